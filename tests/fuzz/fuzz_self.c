/* A program on PATH, of whoever: is it pmg? */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "run/self.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_autofd int fd = memfd_create("program", MFD_CLOEXEC);
	struct stat st;
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || fstat(fd, &st) < 0)
		abort();
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	(void)pmg_self_is(path, &st);
	return 0;
}
