#include "sandbox/net_priv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static const struct {
	const char *text;
	uint16_t port;
	int protocol;
	int family;
	bool loopback, synthetic;
	const char *target;
} rows[] = {
	{ "10.99.0.1", 443, IPPROTO_TCP, AF_INET, false, false, "tcp 10.99.0.1:443" },
	{ "127.0.0.1", 1, IPPROTO_UDP, AF_INET, true, false, "udp 127.0.0.1:1" },
	{ "127.255.255.255", 1, IPPROTO_TCP, AF_INET, true, false, "tcp 127.255.255.255:1" },
	{ "128.0.0.1", 1, IPPROTO_TCP, AF_INET, false, false, "tcp 128.0.0.1:1" },
	{ "0.0.0.0", 0, IPPROTO_TCP, AF_INET, false, false, "tcp 0.0.0.0:0" },
	{ "198.18.0.0", 1, IPPROTO_TCP, AF_INET, false, true, "tcp 198.18.0.0:1" },
	{ "198.19.255.255", 1, IPPROTO_TCP, AF_INET, false, true, "tcp 198.19.255.255:1" },
	{ "198.17.255.255", 1, IPPROTO_TCP, AF_INET, false, false, "tcp 198.17.255.255:1" },
	{ "198.20.0.0", 1, IPPROTO_TCP, AF_INET, false, false, "tcp 198.20.0.0:1" },
	{ "::1", 65535, IPPROTO_TCP, AF_INET6, true, false, "tcp [::1]:65535" },
	{ "::", 1, 262, AF_INET6, false, false, "mptcp [::]:1" },
	{ "fd00:706d:67::1", 1, IPPROTO_TCP, AF_INET6, false, true, "tcp [fd00:706d:67::1]:1" },
	{ "fd00:706d:68::1", 1, IPPROTO_TCP, AF_INET6, false, false, "tcp [fd00:706d:68::1]:1" },
	{ "fc00::1", 1, IPPROTO_ICMPV6, AF_INET6, false, false, "icmp [fc00::1]:1" },
	{ "::ffff:127.0.0.1", 7, IPPROTO_TCP, AF_INET, true, false, "tcp 127.0.0.1:7" },
	{ "::ffff:198.18.0.1", 7, 99, AF_INET, false, true, "ip 198.18.0.1:7" },
	{ "::127.0.0.1", 7, IPPROTO_TCP, AF_INET6, false, false, "tcp [::127.0.0.1]:7" },
};

static size_t fill(struct sockaddr_in6 *out, const char *text, uint16_t port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };

	*out = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(port) };
	if (inet_pton(AF_INET, text, &in.sin_addr) == 1) {
		memcpy(out, &in, sizeof in);
		return sizeof in;
	}
	assert_int_equal(inet_pton(AF_INET6, text, &out->sin6_addr), 1);
	return sizeof *out;
}

static void an_address_is_read_as_what_it_reaches(void **state)
{
	char target[PMG_TARGET_SIZE];
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		struct pmg_endpoint endpoint = PMG_ENDPOINT_INIT;
		struct sockaddr_in6 from;
		size_t len = fill(&from, rows[i].text, rows[i].port);

		endpoint.protocol = rows[i].protocol;
		assert_int_equal(pmg_endpoint_set(&endpoint, &from, len), 0);
		assert_int_equal(endpoint.family, rows[i].family);
		assert_int_equal(endpoint.port, rows[i].port);
		assert_int_equal(endpoint.is_loopback, rows[i].loopback);
		assert_int_equal(endpoint.is_synthetic, rows[i].synthetic);
		assert_int_equal(endpoint.len, len);
		assert_memory_equal(endpoint.to.bytes, &from, len);
		pmg_endpoint_target(&endpoint, target);
		assert_string_equal(target, rows[i].target);
	}
}

static void an_address_of_a_wrong_size_is_none(void **state)
{
	static const struct {
		sa_family_t family;
		size_t len;
		int result;
	} sizes[] = {
		{ AF_INET, 0, -EINVAL },
		{ AF_INET, 1, -EINVAL },
		{ AF_INET, 2, -EINVAL },
		{ AF_INET, sizeof(struct sockaddr_in) - 1, -EINVAL },
		{ AF_INET, sizeof(struct sockaddr_in), 0 },
		{ AF_INET6, 23, -EINVAL },
		{ AF_INET6, 24, 0 },
		{ AF_UNSPEC, 2, 0 },
		{ AF_UNIX, 2, 0 },
		{ AF_UNIX, 128, 0 },
		{ AF_UNIX, 129, -EINVAL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(sizes); i++) {
		struct pmg_endpoint endpoint = PMG_ENDPOINT_INIT;
		char bytes[256] = "";

		memcpy(bytes, &sizes[i].family, sizeof sizes[i].family);
		assert_int_equal(pmg_endpoint_set(&endpoint, bytes, sizes[i].len), sizes[i].result);
	}
}

static void an_abstract_name_is_said_safely(void **state)
{
	static const struct {
		const char *name;
		size_t len;
		const char *target;
	} names[] = {
		{ "\0mine", 5, "unix @mine" },
		{ "\0a\0b", 4, "unix @a\\x00b" },
		{ "\0\033[2J", 5, "unix @\\x1b[2J" },
		{ "\0a\\b c", 6, "unix @a\\x5cb\\x20c" },
		{ "\0", 1, "unix @" },
	};
	char target[PMG_TARGET_SIZE];
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
		struct pmg_endpoint endpoint = PMG_ENDPOINT_INIT;
		struct sockaddr_un from = { .sun_family = AF_UNIX };

		memcpy(from.sun_path, names[i].name, names[i].len);
		assert_int_equal(
			pmg_endpoint_set(&endpoint, &from,
					 offsetof(struct sockaddr_un, sun_path) + names[i].len),
			0);
		pmg_endpoint_target(&endpoint, target);
		assert_string_equal(target, names[i].target);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_is_read_as_what_it_reaches),
		cmocka_unit_test(an_address_of_a_wrong_size_is_none),
		cmocka_unit_test(an_abstract_name_is_said_safely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
