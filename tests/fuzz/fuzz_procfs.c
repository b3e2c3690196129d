#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/procfs_priv.h"

#define TEXT_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmg_procfs_stat st = { .ppid = -1 };
	char text[TEXT_MAX + 1];

	size = size < TEXT_MAX ? size : TEXT_MAX;
	memcpy(text, data, size);
	text[size] = '\0';
	if (pmg_procfs_parse_status(text, &st) && (st.tgid < 0 || st.ppid < 0 || st.umask > 0777))
		abort();
	if (pmg_procfs_parse_stat(text, &st) && !memchr(st.comm, '\0', sizeof st.comm))
		abort();
	return 0;
}
