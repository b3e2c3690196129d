/* A program that is about to be started, of whoever: who runs it? */
#include "fuzz.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_autofd int fd = memfd_create("program", MFD_CLOEXEC);
	pmg_autofree char *runner = NULL;
	enum pmg_program_kind kind;
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	kind = pmg_program_look(path, &runner);
	if (runner && (kind == PMG_PROGRAM_NONE || strlen(runner) > PATH_MAX))
		abort();
	return 0;
}
