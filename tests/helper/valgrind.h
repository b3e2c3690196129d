#ifndef PMG_TESTS_HELPER_VALGRIND_H
#define PMG_TESTS_HELPER_VALGRIND_H
/** Valgrind stands between a program and the kernel, and plays execve and stops differently. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "vgpreload") != NULL;
}

#endif
