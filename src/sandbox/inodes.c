#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sandbox/walls_priv.h"

/* Open addressing with linear probing; at most half full, so that a search for what is not there,
 * which is the rule for every brokered read, ends at once. */
#define FIRST_SLOTS 64U

struct slot {
	uint64_t dev, ino;
	bool taken;
};

struct pmg_inodes {
	struct slot *v;
	size_t slots; /* a power of two */
	size_t n;
};

struct pmg_inodes *pmg_inodes_new(void)
{
	struct pmg_inodes *inodes = pmg_xcalloc(1, sizeof *inodes);

	inodes->slots = FIRST_SLOTS;
	inodes->v = pmg_xcalloc(inodes->slots, sizeof *inodes->v);
	return inodes;
}

void pmg_inodes_free(struct pmg_inodes *inodes)
{
	if (!inodes)
		return;
	free(inodes->v);
	free(inodes);
}

/* Neighbouring inode numbers, which is what files of one folder have, must not be neighbours here:
 * the multiplier is 2^64 divided by the golden ratio (Knuth, volume 3, section 6.4). */
static size_t home_of(const struct pmg_inodes *inodes, uint64_t dev, uint64_t ino)
{
	uint64_t mixed = (ino ^ dev << 32 ^ dev >> 32) * 0x9e3779b97f4a7c15ULL;

	return (size_t)(mixed >> 32) & (inodes->slots - 1);
}

/* The slot that holds it, or the free one where it belongs. */
static struct slot *find(const struct pmg_inodes *inodes, uint64_t dev, uint64_t ino)
{
	size_t i = home_of(inodes, dev, ino);

	while (inodes->v[i].taken && (inodes->v[i].dev != dev || inodes->v[i].ino != ino))
		i = (i + 1) & (inodes->slots - 1);
	return &inodes->v[i];
}

static void enlarge(struct pmg_inodes *inodes)
{
	struct pmg_inodes larger = { .slots = inodes->slots * 2, .n = inodes->n };
	size_t i;

	larger.v = pmg_xcalloc(larger.slots, sizeof *larger.v);
	for (i = 0; i < inodes->slots; i++)
		if (inodes->v[i].taken)
			*find(&larger, inodes->v[i].dev, inodes->v[i].ino) = inodes->v[i];
	free(inodes->v);
	*inodes = larger;
}

bool pmg_inodes_add(struct pmg_inodes *inodes, dev_t dev, ino_t ino)
{
	struct slot *slot = find(inodes, dev, ino);

	if (slot->taken)
		return true;
	if (inodes->n == PMG_INODES_MAX)
		return false;
	*slot = (struct slot){ .dev = dev, .ino = ino, .taken = true };
	if (++inodes->n > inodes->slots / 2)
		enlarge(inodes);
	return true;
}

bool pmg_inodes_has(const struct pmg_inodes *inodes, dev_t dev, ino_t ino)
{
	return inodes && find(inodes, dev, ino)->taken;
}
