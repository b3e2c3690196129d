#include "verdict/feed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/path.h"
#include "verdict/feed_priv.h"

const struct pmg_feed_limits *pmg_feed_limits_default(void)
{
	static const struct pmg_feed_limits limits = {
		.record = (size_t)8 * 1024 * 1024,
		.total = 8ULL * 1024 * 1024 * 1024,
		.entries = 4000000,
		.depth = 16,
		.broken = 64,
		.list = (size_t)64 * 1024 * 1024,
	};

	return &limits;
}

static void close_dir(DIR *dir)
{
	if (dir)
		(void)closedir(dir);
}
PMG_DEFINE_AUTO(dir, DIR *, close_dir);

bool pmg_feed_is_record(const char *path)
{
	return pmg_str_has_suffix(path, ".json");
}

int pmg_feed_count(struct pmg_feed_reader *reader, struct pmg_err *err)
{
	if (++reader->entries > reader->limits->entries)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: more than %" PRIu64 " entries",
				   reader->path, reader->limits->entries);
	return 0;
}

int pmg_feed_take(struct pmg_feed_reader *reader, const char *path, const char *text, size_t len,
		  struct pmg_err *err)
{
	reader->total += len; /* both are limited: no overflow */
	if (reader->total > reader->limits->total)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: more than %" PRIu64 " bytes unpacked",
				   reader->path, reader->limits->total);
	return reader->sink->record(reader->sink->arg, path, text, len, err);
}

static void unread(struct pmg_feed_reader *reader, const char *path, const char *why)
{
	reader->sink->unread(reader->sink->arg, path, why);
}

/* @param name  for messages; what fails here concerns this record alone */
static int take_fd(struct pmg_feed_reader *reader, int fd, const char *name, struct pmg_err *err)
{
	pmg_autofree char *text = NULL;
	struct pmg_err why = PMG_ERR_INIT;
	size_t len = 0;
	int r = pmg_io_slurp_fd(fd, "record", reader->limits->record, &text, &len, &why);

	if (r < 0) {
		unread(reader, name, why.msg);
		return 0;
	}
	return pmg_feed_take(reader, name, text, len, err);
}

static int read_folder(struct pmg_feed_reader *reader, int fd, const char *below, unsigned depth,
		       struct pmg_err *err);

/* Files are opened without following links and without waiting: what lies in the folder may have
   been put there by somebody else. */
static int read_entry(struct pmg_feed_reader *reader, int dir, const char *name, const char *path,
		      unsigned depth, struct pmg_err *err)
{
	pmg_autofd int fd = -1;
	struct stat st;
	int r = pmg_feed_count(reader, err);

	if (r < 0)
		return r;
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && errno == ELOOP && !pmg_feed_is_record(name)) {
		reader->sink->other(reader->sink->arg, path);
		return 0;
	}
	if (fd < 0 || fstat(fd, &st) < 0) {
		unread(reader, path, errno == ELOOP ? "a symbolic link" : strerror(errno));
		return 0;
	}
	if (S_ISDIR(st.st_mode))
		return read_folder(reader, fd, path, depth + 1, err);
	if (!pmg_feed_is_record(name))
		reader->sink->other(reader->sink->arg, path);
	else if (!S_ISREG(st.st_mode))
		unread(reader, path, "not a regular file");
	else
		r = take_fd(reader, fd, path, err);
	return r;
}

static int read_folder(struct pmg_feed_reader *reader, int fd, const char *below, unsigned depth,
		       struct pmg_err *err)
{
	int copy = depth > reader->limits->depth ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	pmg_auto(dir) DIR *dir = NULL;
	const struct dirent *entry;
	int r = 0;

	if (depth > reader->limits->depth) {
		unread(reader, below, "folders are nested too deeply");
		return 0;
	}
	dir = copy < 0 ? NULL : fdopendir(copy);
	if (!dir) {
		unread(reader, below, strerror(errno));
		if (copy >= 0)
			(void)close(copy);
		return 0;
	}
	while (r == 0 && (entry = readdir(dir))) {
		pmg_autofree char *path = NULL;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		path = *below ? pmg_path_join(below, entry->d_name) : pmg_xstrdup(entry->d_name);
		r = read_entry(reader, fd, entry->d_name, path, depth, err);
	}
	return r;
}

static const struct {
	off_t at;
	size_t len;
	const char *bytes;
	int (*read)(struct pmg_feed_reader *reader, int fd, struct pmg_err *err);
} kinds[] = {
	/* APPNOTE.TXT 4.3.7 and 4.3.16: a local file header, or the end record of an empty one */
	{ 0, 4, "PK\3\4", pmg_feed_read_zip },           { 0, 4, "PK\5\6", pmg_feed_read_zip },
	{ 0, 3, "\x1f\x8b\x08", pmg_feed_read_tar },     /* RFC 1952, 2.3.1: gzip */
	{ 0, 4, "\x28\xb5\x2f\xfd", pmg_feed_read_tar }, /* RFC 8878, 3.1.1: zstd */
	{ 257, 5, "ustar", pmg_feed_read_tar },          /* POSIX pax, and GNU */
};

static bool begins_with(int fd, size_t i)
{
	char head[8];

	return pread(fd, head, kinds[i].len, kinds[i].at) == (ssize_t)kinds[i].len &&
	       memcmp(head, kinds[i].bytes, kinds[i].len) == 0;
}

int pmg_feed_read(const char *path, const struct pmg_feed_limits *limits,
		  const struct pmg_feed_sink *sink, struct pmg_err *err)
{
	struct pmg_feed_reader reader = { .path = path, .limits = limits, .sink = sink };
	pmg_autofd int fd = -1;
	struct stat st;
	size_t i;
	int r = pmg_io_open(path, &fd, &st, err);

	if (r < 0)
		return r;
	if (S_ISDIR(st.st_mode))
		return read_folder(&reader, fd, "", 0, err);
	if (!S_ISREG(st.st_mode))
		return pmg_err_set(err, PMG_E_SYS, 0, "%s: neither a file nor a folder", path);
	for (i = 0; i < PMG_ARRAY_LEN(kinds); i++)
		if (begins_with(fd, i))
			return kinds[i].read(&reader, fd, err);
	return pmg_feed_read_text(&reader, fd, err);
}
