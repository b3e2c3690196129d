#include "proxy/inflate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/str.h"

static void collect(void *ctx, const char *bytes, size_t len)
{
	assert_int_equal(pmg_str_add(ctx, bytes, len), 0);
}

static void count(void *ctx, const char *bytes, size_t len)
{
	(void)bytes;
	*(size_t *)ctx += len;
}

/* @param bits  as of deflateInit2(): 31 for gzip, 15 for zlib */
static size_t pack(const char *text, size_t len, int bits, char *out, size_t room)
{
	z_stream z = { 0 };

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, bits, 9, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (z_const Bytef *)(size_t)text;
	z.avail_in = (uInt)len;
	z.next_out = (Bytef *)out;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(deflateEnd(&z), Z_OK);
	return room - z.avail_out;
}

static char *unpack(const char *bytes, size_t len, size_t piece)
{
	pmg_auto(inflate) struct pmg_inflate *inflate = pmg_inflate_new(NULL);
	struct pmg_str out = PMG_STR_INIT(1 << 24);
	size_t i;

	for (i = 0; i < len; i += piece)
		assert_int_equal(pmg_inflate_feed(inflate, bytes + i,
						  len - i < piece ? len - i : piece, collect, &out),
				 0);
	return pmg_str_steal(&out);
}

static void both_formats_are_read_whatever_the_pieces(void **state)
{
	static const int formats[] = { 31, 15 };
	char packed[200];
	size_t i, n, piece;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(formats); i++) {
		n = pack("hello, hello, hello", 19, formats[i], packed, sizeof packed);
		for (piece = 1; piece <= n; piece++) {
			pmg_autofree char *got = unpack(packed, n, piece);

			assert_string_equal(got, "hello, hello, hello");
		}
	}
}

static void members_of_gzip_follow_each_other(void **state)
{
	char packed[400];
	pmg_autofree char *got = NULL;
	size_t n = pack("one ", 4, 31, packed, 200);

	(void)state;
	n += pack("two", 3, 31, packed + n, 200);
	got = unpack(packed, n, 7);
	assert_string_equal(got, "one two");
}

static void a_large_yield_comes_whole(void **state)
{
	const size_t size = 1000003;
	pmg_autofree char *text = pmg_xcalloc(1, size + 1);
	pmg_autofree char *packed = pmg_xmalloc(size);
	pmg_autofree char *got = NULL;
	size_t n;

	(void)state;
	memset(text, 'a', size);
	n = pack(text, size, 31, packed, size);
	got = unpack(packed, n, n);
	assert_int_equal(strlen(got), size);
}

static void other_data_is_refused(void **state)
{
	static const char *const rows[] = { "{\"a\":1}", "\x1f\x8b\x09\x01", "PK\x03\x04" };
	size_t i, total = 0;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(inflate) struct pmg_inflate *inflate = pmg_inflate_new(NULL);

		assert_int_equal(pmg_inflate_feed(inflate, rows[i], strlen(rows[i]), count, &total),
				 -PMG_E_PARSE);
	}
	assert_int_equal(total, 0);
}

static void a_bomb_stops_at_the_limit(void **state)
{
	const size_t size = 4U << 20;
	pmg_autofree char *zeros = pmg_xcalloc(1, size);
	pmg_autofree char *packed = pmg_xmalloc(size);
	pmg_auto(inflate) struct pmg_inflate *inflate = pmg_inflate_new(NULL);
	size_t n = pack(zeros, size, 31, packed, size), total = 0, i;
	int r = 0;

	(void)state;
	for (i = 0; i < 300 && r == 0; i++)
		r = pmg_inflate_feed(inflate, packed, n, count, &total);
	assert_int_equal(r, -PMG_E_LIMIT);
	assert_true(total <= PMG_INFLATE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_formats_are_read_whatever_the_pieces),
		cmocka_unit_test(members_of_gzip_follow_each_other),
		cmocka_unit_test(a_large_yield_comes_whole),
		cmocka_unit_test(other_data_is_refused),
		cmocka_unit_test(a_bomb_stops_at_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
