#include "fuzz.h"

#include "version_law.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	law_check(PMG_ECO_NPM, data, size);
	return 0;
}
