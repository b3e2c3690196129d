#include "proxy/sniff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/str.h"

/* All of it in pieces of that size. @return how often it was said to be an archive */
static unsigned feed(const char *encoding, const char *bytes, size_t len, size_t piece)
{
	pmg_auto(sniff) struct pmg_sniff *sniff = pmg_sniff_new(encoding);
	unsigned said = 0;
	size_t i;

	for (i = 0; i < len; i += piece)
		said += pmg_sniff_feed(sniff, bytes + i, len - i < piece ? len - i : piece);
	return said;
}

static void archives_are_known_by_their_first_bytes(void **state)
{
	static const struct {
		const char *bytes;
		size_t at;
		unsigned said;
	} rows[] = {
		{ "\x1f\x8b\x08", 0, 1 },
		{ "PK\x03\x04", 0, 1 },
		{ "BZh9", 0, 1 },
		{ "\xfd"
		  "7zXZ",
		  0, 1 },
		{ "\x28\xb5\x2f\xfd", 0, 1 },
		{ "ustar", 257, 1 },
		{ "{\"name\":\"x\"}", 0, 0 },
		{ "<!DOCTYPE html>", 0, 0 },
		{ "\x1f\x8b", 1, 0 },
		{ "ustar", 258, 0 },
	};
	size_t i, piece;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		for (piece = 1; piece <= 600; piece += 299) {
			char body[600] = { 0 };

			memcpy(body + rows[i].at, rows[i].bytes, strlen(rows[i].bytes));
			assert_int_equal(feed(NULL, body, sizeof body, piece), rows[i].said);
			assert_int_equal(feed("identity", body, sizeof body, piece), rows[i].said);
		}
}

/* @param bits  as of deflateInit2(): 31 for gzip, 15 for zlib, -15 for neither */
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

static void a_coding_is_taken_off_first(void **state)
{
	static const struct {
		const char *encoding;
		int bits;
	} rows[] = { { "gzip", 31 }, { "X-GZIP", 31 }, { "deflate", 15 }, { "deflate", -15 } };
	char tar[600] = { 0 }, json[600], packed[800];
	size_t i, n;

	(void)state;
	memcpy(tar + 257, "ustar", 5);
	memset(json, 'x', sizeof json);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		n = pack(tar, sizeof tar, rows[i].bits, packed, sizeof packed);
		assert_int_equal(feed(rows[i].encoding, packed, n, 1), 1);
		assert_int_equal(feed(rows[i].encoding, packed, n, n), 1);
		n = pack(json, sizeof json, rows[i].bits, packed, sizeof packed);
		assert_int_equal(feed(rows[i].encoding, packed, n, n), 0);
	}
}

static void what_cannot_be_looked_into_is_said(void **state)
{
	static const char *const encodings[] = { "br", "zstd", "gzip, gzip", "compress" };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(encodings); i++)
		assert_int_equal(feed(encodings[i], "{\"a\":1}", 7, 2), 1);
	assert_int_equal(feed("gzip", "{\"a\":1}", 7, 7), 1); /* it is not what it says */
	assert_int_equal(feed("br", "", 0, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(archives_are_known_by_their_first_bytes),
		cmocka_unit_test(a_coding_is_taken_off_first),
		cmocka_unit_test(what_cannot_be_looked_into_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
