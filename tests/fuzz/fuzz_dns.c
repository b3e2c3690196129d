#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "proxy/dns.h"

/* What was understood must read the same again, and every answer must be one. */
static void answer(const uint8_t *data, const struct pmg_dns_query *query)
{
	struct pmg_dns_answer with = { .rcode = PMG_DNS_OK, .name = query->name };
	unsigned char out[PMG_DNS_ANSWER_MAX];
	struct pmg_dns_query again;
	size_t n;

	with.has_data = query->type == PMG_DNS_A || query->type == PMG_DNS_AAAA ||
			query->type == PMG_DNS_PTR;
	n = pmg_dns_write(data, query, &with, out);
	if (n < 12 || n > sizeof out || out[0] != data[0] || !(out[2] & 0x80))
		abort();
	if (pmg_dns_read(out, n, &again) != -PMG_E_PARSE)
		abort(); /* an answer is no query: two servers cannot be made to talk */
	out[2] = 1;
	memset(out + 6, 0, 6);
	n = 12 + query->question;
	if (pmg_dns_read(out, n, &again) < 0 || strcmp(again.name, query->name) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmg_dns_query query;
	unsigned char address[16];
	int r = pmg_dns_read(data, size, &query);

	if (r < -1 && r != -PMG_E_PARSE)
		abort();
	if (r < 0)
		return 0;
	if (strlen(query.name) > PMG_DNS_NAME_MAX || strpbrk(query.name, "\n ABC"))
		abort();
	(void)pmg_dns_reverse(query.name, address);
	if (query.question > 0)
		answer(data, &query);
	return 0;
}
