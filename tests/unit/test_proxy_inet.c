#include "proxy/inet.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static void texts_are_read_and_written(void **state)
{
	static const struct {
		const char *text, *host;
		uint16_t port;
		bool is_loopback;
	} rows[] = {
		{ "10.99.0.1:443", "10.99.0.1", 443, false },
		{ "[fd00::1]:80", "fd00::1", 80, false },
		{ "[::ffff:10.99.0.1]:80", "10.99.0.1", 80, false },
		{ "127.5.0.1:1", "127.5.0.1", 1, true },
		{ "[::1]:2", "::1", 2, true },
		{ "0.0.0.0:3", "127.0.0.1", 3, true },
		{ "[::]:4", "::1", 4, true },
	};
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_inet end;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *host = NULL;

		assert_int_equal(pmg_inet_parse(rows[i].text, &end, &err), 0);
		host = pmg_inet_host(&end);
		assert_string_equal(host, rows[i].host);
		assert_int_equal(end.port, rows[i].port);
		assert_int_equal(pmg_inet_is_loopback(&end), rows[i].is_loopback);
	}
}

static void names_and_nonsense_are_none(void **state)
{
	static const char *const rows[] = { "", "host.test:80", "127.1:80", ":", "[::1:80", "::1" };
	struct pmg_inet end = { .port = 7 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		assert_int_equal(pmg_inet_parse(rows[i], &end, &err), -PMG_E_PARSE);
	assert_int_equal(end.port, 7);
}

static void what_the_kernel_says_equals_what_is_written(void **state)
{
	struct sockaddr_storage from = { 0 };
	struct sockaddr_in *v4 = (void *)&from;
	struct sockaddr_in6 *v6 = (void *)&from;
	struct pmg_inet a, b;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	v4->sin_family = AF_INET;
	v4->sin_port = htons(443);
	assert_int_equal(inet_pton(AF_INET, "10.99.0.1", &v4->sin_addr), 1);
	assert_int_equal(pmg_inet_read(&from, &a, &err), 0);
	assert_int_equal(pmg_inet_parse("10.99.0.1:443", &b, &err), 0);
	assert_true(pmg_inet_is_same(&a, &b));
	assert_int_equal(pmg_inet_parse("10.99.0.1:444", &b, &err), 0);
	assert_false(pmg_inet_is_same(&a, &b));
	assert_int_equal(pmg_inet_parse("10.99.0.2:443", &b, &err), 0);
	assert_false(pmg_inet_is_same(&a, &b));
	v6->sin6_family = AF_INET6;
	assert_int_equal(inet_pton(AF_INET6, "::ffff:10.99.0.1", &v6->sin6_addr), 1);
	assert_int_equal(pmg_inet_read(&from, &b, &err), 0);
	assert_true(pmg_inet_is_same(&a, &b));
	from.ss_family = AF_UNIX;
	assert_int_equal(pmg_inet_read(&from, &b, &err), -PMG_E_PARSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_read_and_written),
		cmocka_unit_test(names_and_nonsense_are_none),
		cmocka_unit_test(what_the_kernel_says_equals_what_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
