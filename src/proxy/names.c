#include "proxy/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define BUCKETS     4096U
#define GENERATIONS 31U /* times that a place gives a new address before an old one comes again */
#define NONE        UINT16_MAX

/* Places are numbered; those below PMG_NAMES_KEPT are the kept ones. */
struct place {
	char *name; /* NULL: free */
	uint32_t generation;
	uint16_t newer, older; /* in the order of use */
	uint16_t next;         /* in its bucket */
};

struct part {
	uint16_t newest, oldest;
};

struct pmg_names {
	struct place places[PMG_NAMES_MAX];
	uint16_t buckets[BUCKETS];
	struct part parts[2]; /* kept ones, others */
};

static const unsigned char prefix4[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 198, 18 };
static const unsigned char prefix6[] = { 0xfd, 0, 0x70, 0x6d, 0, 0x67, 0, 0, 0, 0, 0, 0 };

static struct part *part_of(struct pmg_names *names, uint16_t at)
{
	return &names->parts[at < PMG_NAMES_KEPT ? 0 : 1];
}

static void take_out(struct pmg_names *names, uint16_t at)
{
	struct place *place = &names->places[at];
	struct part *part = part_of(names, at);

	if (place->newer == NONE)
		part->newest = place->older;
	else
		names->places[place->newer].older = place->older;
	if (place->older == NONE)
		part->oldest = place->newer;
	else
		names->places[place->older].newer = place->newer;
}

static void put_first(struct pmg_names *names, uint16_t at)
{
	struct place *place = &names->places[at];
	struct part *part = part_of(names, at);

	place->newer = NONE;
	place->older = part->newest;
	if (part->newest == NONE)
		part->oldest = at;
	else
		names->places[part->newest].newer = at;
	part->newest = at;
}

struct pmg_names *pmg_names_new(void)
{
	struct pmg_names *names = pmg_xcalloc(1, sizeof *names);
	size_t i;

	memset(names->buckets, 0xff, sizeof names->buckets);
	for (i = 0; i < PMG_ARRAY_LEN(names->parts); i++)
		names->parts[i] = (struct part){ NONE, NONE };
	for (i = PMG_NAMES_MAX; i-- > 0;)
		put_first(names, (uint16_t)i);
	return names;
}

void pmg_names_free(struct pmg_names *names)
{
	size_t i;

	if (!names)
		return;
	for (i = 0; i < PMG_NAMES_MAX; i++)
		free(names->places[i].name);
	free(names);
}

static uint16_t *bucket_of(struct pmg_names *names, const char *name)
{
	return &names->buckets[pmg_fnv1a(PMG_FNV1A_INIT, name, strlen(name)) % BUCKETS];
}

static uint16_t find_name(struct pmg_names *names, const char *name)
{
	uint16_t at = *bucket_of(names, name);

	while (at != NONE && strcmp(names->places[at].name, name) != 0)
		at = names->places[at].next;
	return at;
}

/* The address that stood for it must not lead to another name at once: somebody may still use it.
 */
static void forget(struct pmg_names *names, uint16_t at)
{
	struct place *place = &names->places[at];
	uint16_t *link;

	if (!place->name)
		return;
	for (link = bucket_of(names, place->name); *link != at; link = &names->places[*link].next)
		;
	*link = place->next;
	free(place->name);
	place->name = NULL;
	place->generation = (place->generation + 1) % GENERATIONS;
}

static uint16_t add_name(struct pmg_names *names, const char *name, bool is_kept)
{
	uint16_t at = names->parts[is_kept ? 0 : 1].oldest;
	uint16_t *bucket = bucket_of(names, name);

	forget(names, at);
	names->places[at].name = pmg_xstrdup(name);
	names->places[at].next = *bucket;
	*bucket = at;
	return at;
}

/* From 1: the first address of the network stays free. */
static uint32_t number_of(const struct pmg_names *names, uint16_t at)
{
	return names->places[at].generation * PMG_NAMES_MAX + at + 1;
}

void pmg_names_give(struct pmg_names *names, const char *name, bool is_kept, struct in6_addr *v4,
		    struct in6_addr *v6)
{
	uint16_t at = find_name(names, name);
	uint32_t number;
	size_t i;

	if (at == NONE)
		at = add_name(names, name, is_kept);
	take_out(names, at);
	put_first(names, at);
	number = number_of(names, at);
	memcpy(v4->s6_addr, prefix4, sizeof prefix4);
	v4->s6_addr[13] |= (unsigned char)(number >> 16);
	memcpy(v6->s6_addr, prefix6, sizeof prefix6);
	for (i = 12; i < 16; i++)
		v6->s6_addr[i] = (unsigned char)(number >> (15 - i) * 8);
	memcpy(v4->s6_addr + 14, v6->s6_addr + 14, 2);
}

/* @return false: not one of ours */
static bool read_number(const struct in6_addr *address, uint32_t *out)
{
	const unsigned char *b = address->s6_addr;
	uint32_t low = (uint32_t)b[14] << 8 | b[15];

	*out = low | (uint32_t)b[12] << 24 | (uint32_t)b[13] << 16;
	if (memcmp(b, prefix6, 6) == 0) /* the whole /48, whatever it stands for */
		return true;
	*out = low | (uint32_t)(b[13] & 1) << 16;
	return memcmp(b, prefix4, 13) == 0 && (b[13] & 0xfe) == 18;
}

bool pmg_names_is_ours(const struct in6_addr *address)
{
	uint32_t number;

	return read_number(address, &number);
}

const char *pmg_names_find(const struct pmg_names *names, const struct in6_addr *address)
{
	uint32_t number;
	uint16_t at;

	if (!read_number(address, &number) || number == 0 ||
	    (memcmp(address, prefix6, 6) == 0 && memcmp(address, prefix6, sizeof prefix6) != 0))
		return NULL;
	at = (uint16_t)((number - 1) % PMG_NAMES_MAX);
	return number_of(names, at) == number ? names->places[at].name : NULL;
}
