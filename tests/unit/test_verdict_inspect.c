#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../helper/tar.h"
#include "tls/hasher.h"
#include "verdict/inspect.h"

#define JSON   "{\"name\":\"a\",\"version\":\"1\",\"scripts\":{\"install\":\"x\"}}"
#define WAIT_S 60

/* One that is fed from "a loop". */
struct fed {
	struct pmg_inspectors *all;
	struct pmg_inspect *inspect;
	unsigned wakes;
};

static void on_wake(void *ctx)
{
	((struct fed *)ctx)->wakes++;
}

static void hear(struct fed *fed)
{
	struct pollfd wait = { .fd = pmg_inspectors_fd(fed->all), .events = POLLIN };

	assert_int_equal(poll(&wait, 1, WAIT_S * 1000), 1);
	pmg_inspectors_hear(fed->all);
}

static void begin(struct fed *fed)
{
	struct pmg_inspect_what what = { .eco = PMG_ECO_NPM,
					 .limits = *pmg_inspect_limits_default(),
					 .opens = true,
					 .sha256 = true,
					 .sha512 = true };

	pmg_inspect_what_add(&what, "a", "1");
	fed->inspect = pmg_inspect_new(fed->all, &what, on_wake, fed);
	assert_int_equal(what.n_who, 0);
}

static const struct pmg_inspected *feed_all(struct fed *fed, const char *bytes, size_t len,
					    size_t piece)
{
	size_t n;

	for (; len > 0; bytes += n, len -= n) {
		n = len < piece ? len : piece;
		while (!pmg_inspect_feed(fed->inspect, bytes, n))
			hear(fed);
	}
	assert_null(pmg_inspect_result(fed->inspect));
	pmg_inspect_finish(fed->inspect);
	while (!pmg_inspect_result(fed->inspect))
		hear(fed);
	return pmg_inspect_result(fed->inspect);
}

static void assert_digest(unsigned bits, const char *bytes, size_t len, const unsigned char *digest)
{
	pmg_auto(hasher) struct pmg_hasher *hasher = NULL;
	unsigned char expected[PMG_HASHER_MAX];
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_hasher_new(bits, &hasher, &err), 0);
	assert_int_equal(pmg_hasher_add(hasher, bytes, len, &err), 0);
	assert_int_equal(pmg_hasher_end(hasher, expected, &err), 0);
	assert_memory_equal(expected, digest, bits / 8);
}

static void make(struct pmg_str *out, size_t zeros)
{
	const struct tar_entry entries[] = {
		{ .path = "package/package.json", .text = JSON },
		{ .path = "package/big", .zeros = zeros },
		{ 0 },
	};

	tar_write(out, entries);
}

static void digests_and_findings_are_those_of_all_bytes_in_any_pieces(void **state)
{
	static const size_t zeros[] = { 1000, 3 << 20 };
	static const size_t pieces[] = { 1, 1000, 16384, PMG_INSPECT_BUFFER };
	struct fed fed = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	const struct pmg_inspected *result;
	size_t i, k;

	(void)state;
	assert_int_equal(pmg_inspectors_new(&fed.all, &err), 0);
	for (i = 0; i < PMG_ARRAY_LEN(zeros); i++) {
		pmg_auto(str) struct pmg_str tar = PMG_STR_INIT(SIZE_MAX / 2);

		make(&tar, zeros[i]);
		for (k = i; k < PMG_ARRAY_LEN(pieces); k++) {
			begin(&fed);
			result = feed_all(&fed, tar.s, tar.len, pieces[k]);
			assert_null(result->failed);
			assert_int_equal(pmg_traits_kinds(&result->findings),
					 PMG_TRAIT_BIT(PMG_TRAIT_SCRIPTS));
			assert_digest(256, tar.s, tar.len, result->sha256);
			assert_digest(512, tar.s, tar.len, result->sha512);
			pmg_inspect_free(fed.inspect);
		}
	}
	pmg_inspectors_free(fed.all);
}

/* What is no archive ends the inspection at once; the rest is hashed still. */
static void what_is_no_archive_is_hashed_to_its_end(void **state)
{
	pmg_auto(str) struct pmg_str bytes = PMG_STR_INIT(SIZE_MAX / 2);
	struct fed fed = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	const struct pmg_inspected *result;
	size_t i;

	(void)state;
	for (i = 0; i < 200000; i++)
		assert_int_equal(pmg_str_addf(&bytes, "%zu ", i), 0);
	assert_int_equal(pmg_inspectors_new(&fed.all, &err), 0);
	begin(&fed);
	result = feed_all(&fed, bytes.s, bytes.len, 20000);
	assert_int_equal(pmg_traits_kinds(&result->findings), PMG_TRAIT_BIT(PMG_TRAIT_UNREADABLE));
	assert_digest(512, bytes.s, bytes.len, result->sha512);
	pmg_inspect_free(fed.inspect);
	pmg_inspectors_free(fed.all);
}

/* And where nobody asked for digests nothing more is waited for. */
static void what_is_no_archive_is_done_early_without_digests(void **state)
{
	struct pmg_inspect_what what = { .eco = PMG_ECO_NPM,
					 .limits = *pmg_inspect_limits_default(),
					 .opens = true };
	pmg_autofree char *bytes = pmg_xcalloc(PMG_INSPECT_BUFFER, 1);
	struct fed fed = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	unsigned i;

	(void)state;
	memset(bytes, 'x', PMG_INSPECT_BUFFER);
	assert_int_equal(pmg_inspectors_new(&fed.all, &err), 0);
	fed.inspect = pmg_inspect_new(fed.all, &what, on_wake, &fed);
	assert_true(pmg_inspect_feed(fed.inspect, bytes, PMG_INSPECT_BUFFER));
	while (!pmg_inspect_result(fed.inspect))
		hear(&fed);
	for (i = 0; i < 10; i++)
		assert_true(pmg_inspect_feed(fed.inspect, bytes, PMG_INSPECT_BUFFER));
	i = fed.wakes;
	pmg_inspect_finish(fed.inspect);
	hear(&fed);
	assert_int_equal(fed.wakes, i + 1); /* told once more: now it counts */
	assert_int_equal(pmg_traits_kinds(&pmg_inspect_result(fed.inspect)->findings),
			 PMG_TRAIT_BIT(PMG_TRAIT_UNREADABLE));
	pmg_inspect_free(fed.inspect);
	pmg_inspectors_free(fed.all);
}

/* Whoever feeds is told "later", not made to wait; and nothing of it is taken then. */
static void there_is_room_for_so_much_and_no_more(void **state)
{
	pmg_autofree char *bytes = pmg_xcalloc(PMG_INSPECT_BUFFER, 1);
	struct fed fed = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_inspectors_new(&fed.all, &err), 0);
	begin(&fed);
	assert_true(pmg_inspect_feed(fed.inspect, bytes, PMG_INSPECT_BUFFER / 2));
	assert_false(pmg_inspect_feed(fed.inspect, bytes, PMG_INSPECT_BUFFER));
	assert_null(pmg_inspect_result(fed.inspect));
	pmg_inspect_free(fed.inspect);
	pmg_inspectors_free(fed.all);
}

/* Little is in the buffer, so that no thread has begun: one has to make room all the same. */
static void a_piece_that_does_not_fit_is_taken_in_the_end(void **state)
{
	pmg_autofree char *bytes = pmg_xcalloc(PMG_INSPECT_BUFFER, 1);
	struct fed fed = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	assert_int_equal(pmg_inspectors_new(&fed.all, &err), 0);
	begin(&fed);
	assert_true(pmg_inspect_feed(fed.inspect, bytes, 1000));
	while (!pmg_inspect_feed(fed.inspect, bytes, PMG_INSPECT_BUFFER))
		hear(&fed);
	assert_true(fed.wakes > 0);
	pmg_inspect_free(fed.inspect);
	pmg_inspectors_free(fed.all);
}

/* In whatever state it is let go of: no thread is left, no memory, and nobody is woken. */
static void it_may_be_dropped_at_any_time(void **state)
{
	pmg_auto(str) struct pmg_str tar = PMG_STR_INIT(SIZE_MAX / 2);
	struct fed fed = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	unsigned wakes;
	size_t i;

	(void)state;
	make(&tar, 200000);
	assert_int_equal(pmg_inspectors_new(&fed.all, &err), 0);
	for (i = 0; i < 40; i++) {
		begin(&fed);
		if (i % 4 > 0)
			assert_true(pmg_inspect_feed(fed.inspect, tar.s, 140000));
		if (i % 4 > 1)
			assert_true(pmg_inspect_feed(fed.inspect, tar.s + 140000, 60000));
		if (i % 4 > 2)
			pmg_inspect_finish(fed.inspect);
		wakes = fed.wakes;
		pmg_inspect_free(fed.inspect);
		pmg_inspectors_hear(fed.all);
		assert_int_equal(fed.wakes, wakes);
	}
	pmg_inspectors_free(fed.all);
	pmg_inspectors_free(NULL);
	pmg_inspect_free(NULL);
}

static void many_at_once_do_not_disturb_each_other(void **state)
{
	enum { N = 16 };
	pmg_auto(str) struct pmg_str tar = PMG_STR_INIT(SIZE_MAX / 2);
	struct fed feds[N] = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_inspectors *all = NULL;
	size_t at, i;

	(void)state;
	make(&tar, 600000);
	assert_int_equal(pmg_inspectors_new(&all, &err), 0);
	for (i = 0; i < N; i++) {
		feds[i].all = all;
		begin(&feds[i]);
	}
	for (at = 0; at < tar.len; at += 512)
		for (i = 0; i < N; i++)
			while (!pmg_inspect_feed(feds[i].inspect, tar.s + at, 512))
				hear(&feds[i]);
	for (i = 0; i < N; i++)
		pmg_inspect_finish(feds[i].inspect);
	for (i = 0; i < N; i++) {
		const struct pmg_inspected *result;

		while (!(result = pmg_inspect_result(feds[i].inspect)))
			hear(&feds[i]);
		assert_digest(512, tar.s, tar.len, result->sha512);
		assert_int_equal(pmg_traits_kinds(&result->findings),
				 PMG_TRAIT_BIT(PMG_TRAIT_SCRIPTS));
		pmg_inspect_free(feds[i].inspect);
	}
	pmg_inspectors_free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digests_and_findings_are_those_of_all_bytes_in_any_pieces),
		cmocka_unit_test(what_is_no_archive_is_hashed_to_its_end),
		cmocka_unit_test(what_is_no_archive_is_done_early_without_digests),
		cmocka_unit_test(there_is_room_for_so_much_and_no_more),
		cmocka_unit_test(a_piece_that_does_not_fit_is_taken_in_the_end),
		cmocka_unit_test(it_may_be_dropped_at_any_time),
		cmocka_unit_test(many_at_once_do_not_disturb_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
