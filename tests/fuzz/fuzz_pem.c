#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "tls/pem.h"

/* Every step moves on within the text, and what it gives is one DER frame within the limit. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *end = text + size, *before = NULL;
	struct pmg_der der = { 0 };
	enum pmg_pem kind = PMG_PEM_BAD;

	if (size == 0)
		return 0;
	while (kind != PMG_PEM_END) {
		before = text;
		kind = pmg_pem_next(&text, end, &der);
		if (text > end || (kind != PMG_PEM_END && text <= before))
			abort();
		if (kind != PMG_PEM_CERT)
			continue;
		if (der.len < 2 || der.len > PMG_PEM_CERT_MAX || der.bytes[0] != 0x30)
			abort();
		free(der.bytes);
	}
	return 0;
}
