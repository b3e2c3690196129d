#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "verdict/tardir.h"

#define BLOCK 512U

/* A header and what stands behind it. */
struct part {
	char type; /* '0' when 0 */
	const char *name;
	const char *body;
	size_t len;       /* of the body, where it holds NULs */
	const char *size; /* its field, when it is not the body's */
	const char *target;
	size_t at; /* bytes of the header that are other ones */
	const char *bytes;
	size_t n_bytes;
	const char *sum; /* its field, when it is not right */
};

struct row {
	const char *why;
	struct part parts[5];
	const char *expected; /* NULL: nothing is odd */
};

#define LONG(t, s)                                                                                 \
	{                                                                                          \
		.type = (t), .name = "././@LongLink", .body = (s), .len = sizeof(s)                \
	}
#define PAX(s)                                                                                     \
	{                                                                                          \
		.type = 'x', .name = "pax", .body = (s)                                            \
	}
#define BYTES(n, s) .at = (n), .bytes = (s), .n_bytes = sizeof(s) - 1
#define FILE_                                                                                      \
	{                                                                                          \
		.name = "p/f", .body = "text"                                                      \
	}

static void put_block(struct pmg_str *out, const void *bytes, size_t len)
{
	static const char zeros[BLOCK];

	assert_int_equal(pmg_str_add(out, bytes, len), 0);
	assert_int_equal(pmg_str_add(out, zeros, (BLOCK - len % BLOCK) % BLOCK), 0);
}

static void put(struct pmg_str *out, const struct part *part)
{
	size_t i, len = part->len ? part->len : part->body ? strlen(part->body) : 0;
	char h[BLOCK] = { 0 };
	unsigned sum = 0;

	(void)snprintf(h, 100, "%s", part->name);
	(void)snprintf(h + 100, 8, "%07o", 0644U);
	(void)snprintf(h + 124, 12, "%011zo", len);
	if (part->size)
		memcpy(h + 124, part->size, 12);
	(void)snprintf(h + 136, 12, "%011o", 0U);
	memset(h + 148, ' ', 8);
	h[156] = part->type ? part->type : '0';
	(void)snprintf(h + 157, 100, "%s", part->target ? part->target : "");
	memcpy(h + 257, "ustar\00000", 8);
	if (part->bytes)
		memcpy(h + part->at, part->bytes, part->n_bytes);
	for (i = 0; i < BLOCK; i++)
		sum += (unsigned char)h[i];
	(void)snprintf(h + 148, 8, "%06o", sum);
	if (part->sum)
		memcpy(h + 148, part->sum, 8);
	put_block(out, h, BLOCK);
	if (len > 0)
		put_block(out, part->body, len);
}

/* In pieces of every size the same. */
static void assert_says(const struct pmg_str *bytes, const char *expected)
{
	size_t piece, at, n;

	for (piece = 1; piece <= bytes->len; piece += 1 + piece / 2) {
		pmg_auto(tardir) struct pmg_tardir *dir = pmg_tardir_new();
		struct pmg_err err = PMG_ERR_INIT;
		int r = 0;

		for (at = 0; r == 0 && at < bytes->len; at += n) {
			n = bytes->len - at < piece ? bytes->len - at : piece;
			r = pmg_tardir_feed(dir, bytes->s + at, n, &err);
		}
		if (r == 0)
			r = pmg_tardir_end(dir, &err);
		assert_string_equal(err.msg, expected ? expected : "");
		assert_int_equal(r, expected ? -PMG_E_PARSE : 0);
	}
}

static void assert_rows(const struct row *rows, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		pmg_auto(str) struct pmg_str tar = PMG_STR_INIT(10000);

		print_message("%s\n", rows[i].why);
		for (k = 0; k < PMG_ARRAY_LEN(rows[i].parts) && rows[i].parts[k].name; k++)
			put(&tar, &rows[i].parts[k]);
		put_block(&tar, (const char[BLOCK]){ 0 }, BLOCK);
		assert_says(&tar, rows[i].expected);
	}
}

/* What npm, git, GNU tar, bsdtar and Python's tarfile write. */
static void what_packers_write_is_silent(void **state)
{
	static const struct row rows[] = {
		{ "nothing", { { .name = NULL } }, NULL },
		{ "files",
		  { FILE_,
		    { .type = '\0', .name = "p/e" },
		    { .type = '5', .name = "p/d/" },
		    { .type = '0', .name = "p/g", .body = "x" } },
		  NULL },
		{ "a folder by its name alone", { { .type = '0', .name = "p/d/" } }, NULL },
		{ "links",
		  { { .type = '2', .name = "p/l", .target = "f" },
		    { .type = '1', .name = "p/h", .target = "p/f" } },
		  NULL },
		{ "npm's header",
		  { PAX("15 path=p/long\n10 size=4\n23 NODETAR.comment=abc\n19 "
			"SCHILY.nlink=12\n"),
		    FILE_ },
		  NULL },
		{ "git's header",
		  { { .type = 'g', .name = "pax", .body = "13 comment=a\n" },
		    PAX("12 path=p/l\n"),
		    FILE_ },
		  NULL },
		{ "attributes in binary",
		  { PAX("32 SCHILY.xattr.com.apple.x=\nab\n"), FILE_ },
		  NULL },
		{ "GNU's long names",
		  { LONG('K', "p/target"),
		    LONG('L', "p/name"),
		    { .type = '2', .name = "p/l", .target = "f" } },
		  NULL },
		{ "the other way round",
		  { LONG('L', "p/name"), LONG('K', "p/target"), { .type = '2', .name = "p/l" } },
		  NULL },
		{ "a pax target",
		  { PAX("14 linkpath=a\n"), { .type = '2', .name = "p/l" } },
		  NULL },
		{ "a prefix", { { .type = '0', .name = "f", BYTES(345, "p") } }, NULL },
		{ "spaces around a number",
		  { { .type = '0', .name = "p/f", .body = "text", .size = "         4 \0" } },
		  NULL },
		{ "no size",
		  { { .type = '0', .name = "p/f", .size = "\0\0\0\0\0\0\0\0\0\0\0" } },
		  NULL },
		{ "a large owner",
		  { { .type = '0', .name = "p/f", BYTES(108, "\x80\0\0\0\x7f\xff\xff\xff") } },
		  NULL },
		{ "a time before 1970",
		  { { .type = '0',
		      .name = "p/f",
		      BYTES(136, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xf0") } },
		  NULL },
	};

	(void)state;
	assert_rows(rows, PMG_ARRAY_LEN(rows));
}

static void what_some_readers_take_otherwise_is_told(void **state)
{
	static const char order[] = "././@LongLink: a header that is for it has one for itself";
	static const char target[] =
		"p/f: it is a link without a target, or a target without a link";
	static const char body[] = "p/f: it has bytes where not all readers expect any";
	static const char number[] = "p/f: a number in its header is odd";
	static const char sum[] = "p/f: the checksum of its header is wrong";
	static const char kind[] = "p/f: it is of a kind that not all readers know";
	const struct row rows[] = {
		{ "pax before L", { PAX("10 size=4\n"), LONG('L', "p/n"), FILE_ }, order },
		{ "pax before K", { PAX("10 size=4\n"), LONG('K', "p/n"), FILE_ }, order },
		{ "L twice", { LONG('L', "p/n"), LONG('L', "p/m"), FILE_ }, order },
		{ "K twice", { LONG('K', "p/n"), LONG('K', "p/m"), FILE_ }, order },
		{ "pax behind L",
		  { LONG('L', "p/n"), PAX("10 size=4\n"), FILE_ },
		  "pax: a header that is for it has one for itself" },
		{ "pax twice",
		  { PAX("10 size=4\n"), PAX("10 size=4\n"), FILE_ },
		  "pax: a header that is for it has one for itself" },
		{ "global behind pax",
		  { PAX("10 size=4\n"),
		    { .type = 'g', .name = "pax", .body = "13 comment=a\n" },
		    FILE_ },
		  "pax: a header that is for it has one for itself" },
		{ "no file behind it",
		  { PAX("10 size=4\n") },
		  "its last header is for a file that is not there" },
		{ "two sizes", { PAX("10 size=8\n"), FILE_ }, "p/f: its two sizes differ" },
		{ "a size for all",
		  { { .type = 'g', .name = "pax", .body = "10 size=4\n" }, FILE_ },
		  "pax: a pax header says it of all files" },
		{ "a name for all",
		  { { .type = 'g', .name = "pax", .body = "12 path=p/n\n" }, FILE_ },
		  "pax: a pax header says it of all files" },
		{ "a link with a body",
		  { { .type = '1', .name = "p/f", .body = "text", .target = "x" } },
		  body },
		{ "a folder with a body",
		  { { .type = '5', .name = "p/f", .body = "text" } },
		  body },
		{ "a device with a body",
		  { { .type = '3', .name = "p/f", .body = "text" } },
		  body },
		{ "a FIFO with a body", { { .type = '6', .name = "p/f", .body = "text" } }, body },
		{ "a file that is named as a folder",
		  { { .type = '0', .name = "p/d/", .body = "text" } },
		  "p/d/: it has bytes where not all readers expect any" },
		{ "and that by pax", { PAX("13 path=p/d/\n"), FILE_ }, body },
		{ "and that by GNU's", { LONG('L', "p/d/"), FILE_ }, body },
		{ "a target, and no link",
		  { { .type = '0', .name = "p/f", .target = "x" } },
		  target },
		{ "a pax target, and no link", { PAX("14 linkpath=a\n"), FILE_ }, target },
		{ "a long target, and no link", { LONG('K', "p/t"), FILE_ }, target },
		{ "a link to nowhere", { { .type = '2', .name = "p/f" } }, target },
		{ "base 256 without need",
		  { { .type = '0',
		      .name = "p/f",
		      .body = "text",
		      .size = "\x80\0\0\0\0\0\0\0\0\0\0\4" } },
		  number },
		{ "negative base 256",
		  { { .type = '0',
		      .name = "p/f",
		      .size = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff" } },
		  number },
		{ "more than JavaScript counts",
		  { { .type = '0', .name = "p/f", BYTES(136, "\x80\0\0\0\0\x20\0\0\0\0\0\0") } },
		  number },
		{ "no base 256",
		  { { .type = '0', .name = "p/f", BYTES(108, "\xc0\0\0\0\0\0\0\1") } },
		  number },
		{ "a time where a prefix ends",
		  { { .type = '0', .name = "p/f", BYTES(476, "\x80\xff\0\0\0\0\0\0\0\0\0\0") } },
		  number },
		{ "negative", { { .type = '0', .name = "p/f", .size = "-00000000001" } }, number },
		{ "no octal", { { .type = '0', .name = "p/f", .size = "00000000008\0" } }, number },
		{ "a NUL before it",
		  { { .type = '0', .name = "p/f", .size = "\0\00000000004\0" } },
		  number },
		{ "two numbers",
		  { { .type = '0', .name = "p/f", .size = "0000004 0004" } },
		  number },
		{ "a wrong checksum", { { .type = '0', .name = "p/f", .sum = "0000001\0" } }, sum },
		{ "a checksum of eight digits",
		  { { .type = '0', .name = "p/f", .sum = "00000001" } },
		  sum },
		{ "contiguous", { { .type = '7', .name = "p/f" } }, kind },
		{ "sparse", { { .type = 'S', .name = "p/f" } }, kind },
		{ "Solaris' pax", { { .type = 'X', .name = "p/f" } }, kind },
		{ "a volume's name", { { .type = 'V', .name = "p/f" } }, kind },
		{ "no name", { { .type = '0', .name = "" } }, ": it has no name" },
		{ "no name, but by pax",
		  { PAX("12 path=p/n\n"), { .type = '0', .name = "" } },
		  ": it has no name" },
		{ "no long name", { LONG('L', ""), FILE_ }, "././@LongLink: it has no name" },
		{ "behind a long name",
		  { LONG('L', "p/n\0evil"), FILE_ },
		  "././@LongLink: bytes follow the end of its name" },
	};

	(void)state;
	assert_rows(rows, PMG_ARRAY_LEN(rows));
}

static void a_prefix_counts_where_its_format_has_one(void **state)
{
	static const char *const magics[] = { "ustar  \0", "ustar\00001", "\0\0\0\0\0\0\0\0" };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(magics); i++) {
		char bytes[345 - 257 + 1] = { 0 };
		const struct part part = {
			.name = "p/f", .at = 257, .bytes = bytes, .n_bytes = sizeof bytes
		};
		pmg_auto(str) struct pmg_str plain = PMG_STR_INIT(10000);
		pmg_auto(str) struct pmg_str odd = PMG_STR_INIT(10000);

		memcpy(bytes, magics[i], 8);
		put(&plain, &part);
		assert_says(&plain, NULL);
		bytes[345 - 257] = 'q';
		put(&odd, &part);
		assert_says(&odd, "p/f: a part of its name stands where not all readers look");
	}
}

static void records_of_pax_are_read_as_strictly_as_readers_differ(void **state)
{
	static const struct {
		const char *body;
		size_t len;
		const char *expected;
	} rows[] = {
		{ "12 path=a\n", 0, "malformed" },
		{ "8 path=a\n", 0, "malformed" },
		{ "010 path=a\n", 0, "malformed" },
		{ "x path=a\n", 0, "malformed" },
		{ "8 patha\n", 0, "malformed" },
		{ "99999999 path=a\n", 0, "malformed" },
		{ "8 path=\n", 0, "malformed" },
		{ "11 path=a\0\n", 11, "malformed" },
		{ "10 path=a\n\0", 11, "malformed" },
		{ "10 size=-\n", 0, "malformed" },
		{ "30 size=99999999999999999999x\n", 0, "malformed" },
		{ "29 SCHILY.x=a\n12 path=evil/\n\n", 0, "malformed" },
		{ "10 path=a\n10 path=b\n", 0, "twice" },
		{ "10 size=4\n10 size=4\n", 0, "twice" },
		{ "10 type=5\n", 0, "key" },
		{ "12 ignore=1\n", 0, "key" },
		{ "22 GNU.sparse.major=1\n", 0, "sparse" },
		{ "21 SCHILY.realsize=8\n", 0, "sparse" },
	};
	static const struct {
		const char *word, *said;
	} said[] = {
		{ "malformed", "pax: a record of its pax header is malformed" },
		{ "twice", "pax: its pax header says it twice" },
		{ "key", "pax: its pax header has a key that is not known" },
		{ "sparse", "pax: it is a sparse file" },
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		const struct part parts[] = {
			{ .type = 'x', .name = "pax", .body = rows[i].body, .len = rows[i].len },
			FILE_
		};
		pmg_auto(str) struct pmg_str tar = PMG_STR_INIT(10000);

		print_message("%s", rows[i].body);
		put(&tar, &parts[0]);
		put(&tar, &parts[1]);
		for (k = 0; strcmp(said[k].word, rows[i].expected) != 0;)
			k++;
		assert_says(&tar, said[k].said);
	}
}

/* More than node-tar reads of one. Nothing of it is kept here. */
static void a_header_without_end_is_told_at_its_start(void **state)
{
	const struct part part = { .type = 'L', .name = "././@LongLink", .size = "00004000001\0" };
	pmg_auto(str) struct pmg_str tar = PMG_STR_INIT(10000);

	(void)state;
	put(&tar, &part);
	assert_says(&tar, "././@LongLink: it has bytes where not all readers expect any");
}

static void behind_the_end_are_zeros_alone(void **state)
{
	pmg_auto(str) struct pmg_str tar = PMG_STR_INIT(10000);
	const struct part part = FILE_;
	char zeros[BLOCK] = { 0 };
	size_t i;

	(void)state;
	put(&tar, &part);
	assert_says(&tar, NULL);
	for (i = 0; i < 9; i++) {
		put_block(&tar, zeros, BLOCK);
		assert_says(&tar, NULL);
	}
	put(&tar, &part);
	assert_says(&tar, "bytes follow its end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_packers_write_is_silent),
		cmocka_unit_test(what_some_readers_take_otherwise_is_told),
		cmocka_unit_test(a_prefix_counts_where_its_format_has_one),
		cmocka_unit_test(records_of_pax_are_read_as_strictly_as_readers_differ),
		cmocka_unit_test(a_header_without_end_is_told_at_its_start),
		cmocka_unit_test(behind_the_end_are_zeros_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
