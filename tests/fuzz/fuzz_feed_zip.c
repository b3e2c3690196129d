#include "fuzz.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "verdict/feed.h"

#define RECORD_MAX 65536U
#define TOTAL_MAX  (1U << 20)

static int on_record(void *arg, const char *path, const char *text, size_t len, struct pmg_err *err)
{
	size_t *total = arg;

	(void)err;
	(void)text;
	*total += len;
	if (!path || len > RECORD_MAX || *total > TOTAL_MAX)
		abort();
	return 0;
}

static void on_unread(void *arg, const char *path, const char *why)
{
	(void)arg;
	if (!path || !why)
		abort();
}

static void on_other(void *arg, const char *path)
{
	(void)arg;
	if (!path)
		abort();
}

/* Whatever the bytes are: within the limits, to an end. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct pmg_feed_limits limits = {
		RECORD_MAX, TOTAL_MAX, 1000, 4, 4, RECORD_MAX
	};
	pmg_autofd int fd = memfd_create("feed", MFD_CLOEXEC);
	pmg_autofree char *path = pmg_xasprintf("/proc/self/fd/%d", fd);
	size_t total = 0;
	const struct pmg_feed_sink sink = { on_record, on_unread, on_other, &total, NULL };
	struct pmg_err err = PMG_ERR_INIT;

	if (fd < 0 || pmg_io_write_all(fd, data, size, &err) < 0)
		return 0;
	(void)!pmg_feed_read(path, &limits, &sink, &err);
	return 0;
}
