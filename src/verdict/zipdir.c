#include "verdict/zipdir.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define EXTRA_ZIP64  0x0001U
#define EXTRA_UNAME  0x7075U /* another name for the same file */
#define MADE_BY_UNIX 3
#define LARGE32      UINT32_MAX
#define LARGE16      UINT16_MAX
#define NAME_SHOWN   100U

enum { MORE = 1 }; /* besides 0 and errors: a record is not there whole */

struct pmg_zipdir {
	uint64_t start;
	struct pmg_zip_local *locals;
	size_t n;
	size_t told;
	uint64_t size;  /* of the files' records */
	bool has_zip64; /* its end record has come */
	uint64_t zip64_n, zip64_size, zip64_start;
	bool is_complete; /* the end record has come: nothing may follow */
	struct pmg_str buf;
};

struct pmg_zipdir *pmg_zipdir_new(uint64_t start, struct pmg_zip_local *locals, size_t n)
{
	struct pmg_zipdir *dir = pmg_xcalloc(1, sizeof *dir);

	dir->start = start;
	dir->locals = locals;
	dir->n = n;
	dir->buf.max = SIZE_MAX / 2; /* feed() leaves less than a record in it */
	return dir;
}

void pmg_zipdir_free(struct pmg_zipdir *dir)
{
	if (!dir)
		return;
	pmg_str_done(&dir->buf);
	free(dir);
}

static uint64_t get(const unsigned char *p, unsigned n)
{
	uint64_t value = 0;

	while (n-- > 0)
		value = value << 8 | p[n];
	return value;
}

static unsigned get16(const unsigned char *p)
{
	return (unsigned)get(p, 2);
}

/* What a file's record says, with zip64's field taken in. */
struct told {
	uint64_t size, packed, offset;
	const unsigned char *name;
	size_t len;
	unsigned mode;
};

static int odd(struct pmg_err *err, const struct told *told, const char *what)
{
	pmg_autofree char *name = pmg_str_quote((const char *)told->name, told->len, NAME_SHOWN);

	return pmg_err_set(err, PMG_E_PARSE, 0, "%s: %s", name, what);
}

/* Only what is too large for its own field stands here, in this order. */
static int read_zip64(struct told *told, const unsigned char *p, size_t len, struct pmg_err *err)
{
	uint64_t *const fields[] = { &told->size, &told->packed, &told->offset };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(fields); i++) {
		if (*fields[i] != LARGE32)
			continue;
		if (len < 8)
			return odd(err, told, "its zip64 field is too short");
		*fields[i] = get(p, 8);
		p += 8;
		len -= 8;
	}
	return 0;
}

static int read_extra(struct told *told, const unsigned char *p, size_t len, struct pmg_err *err)
{
	unsigned id;
	size_t size;
	int r = 0;

	while (r == 0 && len >= 4) {
		id = get16(p);
		size = get16(p + 2);
		if (size > len - 4)
			return odd(err, told, "its extra fields overlap");
		if (id == EXTRA_UNAME)
			return odd(err, told, "it has a second name");
		if (id == EXTRA_ZIP64)
			r = read_zip64(told, p + 4, size, err);
		p += 4 + size;
		len -= 4 + size;
	}
	return r;
}

static int by_offset(const void *key, const void *element)
{
	uint64_t a = *(const uint64_t *)key;
	uint64_t b = ((const struct pmg_zip_local *)element)->offset;

	return (a > b) - (a < b);
}

/* Folders are written with a slash at the end here and without one there. */
static bool same_name(const char *name, const unsigned char *told, size_t len)
{
	size_t n = strlen(name);

	while (n > 0 && name[n - 1] == '/')
		n--;
	while (len > 0 && told[len - 1] == '/')
		len--;
	return n == len && memcmp(name, told, n) == 0;
}

static int take_file(struct pmg_zipdir *dir, const struct told *told, struct pmg_err *err)
{
	struct pmg_zip_local *local = NULL;

	if (dir->n > 0)
		local = bsearch(&told->offset, dir->locals, dir->n, sizeof *local, by_offset);
	if (!local)
		return odd(err, told, "the directory has it, the archive does not");
	if (!same_name(local->name, told->name, told->len))
		return odd(err, told, "it has another name before its bytes");
	if (local->size != UINT64_MAX && local->size != told->size)
		return odd(err, told, "the directory says another size");
	if (local->is_told)
		return odd(err, told, "the directory has it twice");
	local->is_told = true;
	local->mode = told->mode;
	dir->told++;
	return 0;
}

/* @return the record's length; 0: more bytes are needed. */
static size_t length_of(size_t have, size_t fixed, const unsigned char *at, unsigned n)
{
	size_t len = fixed;

	if (have < fixed)
		return 0;
	for (; n > 0; n--, at += 2)
		len += get16(at);
	return have < len ? 0 : len;
}

static int read_file(struct pmg_zipdir *dir, const unsigned char *p, size_t have, size_t *used,
		     struct pmg_err *err)
{
	size_t len = length_of(have, 46, p + 28, 3);
	struct told told;
	int r;

	if (len == 0)
		return MORE;
	told = (struct told){ .size = get(p + 24, 4),
			      .packed = get(p + 20, 4),
			      .offset = get(p + 42, 4),
			      .name = p + 46,
			      .len = get16(p + 28),
			      .mode = p[5] == MADE_BY_UNIX ? get16(p + 40) : 0 };
	if (dir->has_zip64)
		return odd(err, &told, "it stands behind the directory's end");
	r = read_extra(&told, p + 46 + told.len, get16(p + 30), err);
	if (r == 0)
		r = take_file(dir, &told, err);
	*used = len;
	dir->size += len;
	return r;
}

static int read_zip64_end(struct pmg_zipdir *dir, const unsigned char *p, size_t have, size_t *used,
			  struct pmg_err *err)
{
	if (have < 56)
		return MORE;
	if (get(p + 4, 8) != 44 || dir->has_zip64)
		return pmg_err_set(err, PMG_E_PARSE, 0, "its zip64 end record is odd");
	dir->has_zip64 = true;
	dir->zip64_n = get(p + 32, 8);
	dir->zip64_size = get(p + 40, 8);
	dir->zip64_start = get(p + 48, 8);
	*used = 56;
	return 0;
}

static int read_locator(struct pmg_zipdir *dir, const unsigned char *p, size_t have, size_t *used,
			struct pmg_err *err)
{
	if (have < 20)
		return MORE;
	if (!dir->has_zip64 || get(p + 8, 8) != dir->start + dir->size)
		return pmg_err_set(err, PMG_E_PARSE, 0, "its zip64 locator points elsewhere");
	*used = 20;
	return 0;
}

/* What the end record says, or zip64's where its field is full. */
static uint64_t pick(const struct pmg_zipdir *dir, uint64_t value, uint64_t full, uint64_t zip64)
{
	return dir->has_zip64 && value == full ? zip64 : value;
}

static int read_end(struct pmg_zipdir *dir, const unsigned char *p, size_t have, size_t *used,
		    struct pmg_err *err)
{
	size_t len = length_of(have, 22, p + 20, 1);

	if (len == 0)
		return MORE;
	if (get(p + 4, 4) != 0)
		return pmg_err_set(err, PMG_E_PARSE, 0, "it has several parts");
	if (pick(dir, get16(p + 10), LARGE16, dir->zip64_n) != dir->told ||
	    get16(p + 8) != get16(p + 10))
		return pmg_err_set(err, PMG_E_PARSE, 0, "its directory counts other files");
	if (pick(dir, get(p + 12, 4), LARGE32, dir->zip64_size) != dir->size ||
	    pick(dir, get(p + 16, 4), LARGE32, dir->zip64_start) != dir->start)
		return pmg_err_set(err, PMG_E_PARSE, 0, "its end points to another directory");
	dir->is_complete = true;
	*used = len;
	return 0;
}

static const struct {
	unsigned char magic[4];
	int (*read)(struct pmg_zipdir *dir, const unsigned char *p, size_t have, size_t *used,
		    struct pmg_err *err);
} records[] = {
	{ { 'P', 'K', 1, 2 }, read_file },
	{ { 'P', 'K', 6, 6 }, read_zip64_end },
	{ { 'P', 'K', 6, 7 }, read_locator },
	{ { 'P', 'K', 5, 6 }, read_end },
};

static int read_record(struct pmg_zipdir *dir, const unsigned char *p, size_t have, size_t *used,
		       struct pmg_err *err)
{
	size_t i;

	if (dir->is_complete)
		return pmg_err_set(err, PMG_E_PARSE, 0, "bytes follow its end");
	if (have < 4)
		return MORE;
	for (i = 0; i < PMG_ARRAY_LEN(records); i++)
		if (memcmp(p, records[i].magic, 4) == 0)
			return records[i].read(dir, p, have, used, err);
	return pmg_err_set(err, PMG_E_PARSE, 0, "its directory is followed by something else");
}

int pmg_zipdir_feed(struct pmg_zipdir *dir, const void *bytes, size_t len, struct pmg_err *err)
{
	size_t at = 0, used = 0;
	int r = 0;

	if (pmg_str_add(&dir->buf, bytes, len) < 0)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "its directory is too large");
	while (r == 0 && at < dir->buf.len) {
		r = read_record(dir, (const unsigned char *)dir->buf.s + at, dir->buf.len - at,
				&used, err);
		if (r == 0)
			at += used;
	}
	pmg_str_consume(&dir->buf, at);
	return r == MORE ? 0 : r;
}

int pmg_zipdir_end(struct pmg_zipdir *dir, struct pmg_err *err)
{
	size_t i;

	if (!dir->is_complete)
		return pmg_err_set(err, PMG_E_PARSE, 0, "its directory is cut");
	for (i = 0; i < dir->n; i++)
		if (!dir->locals[i].is_told)
			break;
	if (i < dir->n) {
		const char *name = dir->locals[i].name;
		const struct told told = { .name = (const unsigned char *)name,
					   .len = strlen(name) };

		return odd(err, &told, "the directory does not have it");
	}
	return 0;
}
