#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <unistd.h>

#include "base/mem.h"
#include "verdict/feed_priv.h"

#define BLOCK 65536U

static void free_archive(struct archive *archive)
{
	if (archive)
		(void)archive_read_free(archive); /* what failed was told before */
}
PMG_DEFINE_AUTO(archive, struct archive *, free_archive);

struct zip {
	struct pmg_feed_reader *reader;
	int fd;
	struct archive *archive;
	struct pmg_str text; /* of the present record */
	uint64_t at;         /* number of the present entry, from 1 */
	unsigned broken;
};

static int failed(const struct zip *zip, const char *doing, struct pmg_err *err)
{
	const char *why = archive_error_string(zip->archive);

	(void)pmg_err_set(err, PMG_E_PARSE, 0, "%s: %s: %s", zip->reader->path, doing,
			  why ? why : "damaged");
	return pmg_err_hint(err, "the archive is cut or damaged: fetch it again");
}

/*
 * By the directory at the archive's end alone: read as a stream, an archive
 * that was cut would look like a smaller feed.
 */
static int open_zip(struct zip *zip, struct pmg_err *err)
{
	free_archive(pmg_steal_ptr(&zip->archive));
	zip->at = 0;
	if (lseek(zip->fd, 0, SEEK_SET) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "seek %s", zip->reader->path);
	zip->archive = archive_read_new();
	if (!zip->archive)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "archive_read_new");
	if (archive_read_support_format_zip_seekable(zip->archive) != ARCHIVE_OK ||
	    archive_read_open_fd(zip->archive, zip->fd, BLOCK) != ARCHIVE_OK)
		return failed(zip, "open", err);
	return 0;
}

/* @return 1: *entry is there; 0: end; -PMG_E_PARSE */
static int next_entry(struct zip *zip, struct archive_entry **entry, struct pmg_err *err)
{
	int rc = archive_read_next_header(zip->archive, entry);

	zip->at++;
	if (rc == ARCHIVE_EOF)
		return 0;
	if (rc == ARCHIVE_OK || rc == ARCHIVE_WARN)
		return 1;
	return failed(zip, "read", err);
}

/* Opens anew, behind the entry whose data was broken: libarchive reads no further after that. */
static int pass_over(struct zip *zip, struct pmg_err *err)
{
	struct archive_entry *entry;
	uint64_t behind = zip->at;
	int r;

	if (++zip->broken > zip->reader->limits->broken)
		return failed(zip, "too much of it is broken", err);
	r = open_zip(zip, err);
	while (r == 0 && zip->at < behind) {
		r = next_entry(zip, &entry, err);
		if (r == 0) /* it had more entries a moment ago */
			return failed(zip, "read", err);
		r = r < 0 ? r : 0;
	}
	return r;
}

/* The present entry into zip->text. @return 0; -PMG_E_LIMIT; -PMG_E_PARSE */
static int unpack(struct zip *zip, struct pmg_err *why, int *rc)
{
	const void *block;
	size_t size;
	la_int64_t offset;

	pmg_str_clear(&zip->text);
	while ((*rc = archive_read_data_block(zip->archive, &block, &size, &offset)) ==
	       ARCHIVE_OK) {
		if (offset < 0 || (uint64_t)offset != zip->text.len)
			return pmg_err_set(why, PMG_E_PARSE, 0, "has a hole");
		if (pmg_str_add(&zip->text, block, size) < 0)
			return pmg_err_set(why, PMG_E_LIMIT, 0, "larger than %zu bytes",
					   zip->text.max);
	}
	if (*rc != ARCHIVE_EOF) /* a wrong checksum is ARCHIVE_WARN */
		return pmg_err_set(why, PMG_E_PARSE, 0, "cannot be unpacked: %s",
				   archive_error_string(zip->archive));
	return 0;
}

static int take_entry(struct zip *zip, const char *path, struct pmg_err *err)
{
	const struct pmg_feed_sink *sink = zip->reader->sink;
	struct pmg_err why = PMG_ERR_INIT;
	int rc = ARCHIVE_OK;

	if (unpack(zip, &why, &rc) < 0) {
		sink->unread(sink->arg, path, why.msg);
		return rc == ARCHIVE_FATAL ? pass_over(zip, err) : 0;
	}
	return pmg_feed_take(zip->reader, path, zip->text.s ? zip->text.s : "", zip->text.len, err);
}

static int read_entry(struct zip *zip, struct archive_entry *entry, struct pmg_err *err)
{
	const struct pmg_feed_sink *sink = zip->reader->sink;
	const char *name = archive_entry_pathname(entry);
	pmg_autofree char *path = NULL;
	int r = pmg_feed_count(zip->reader, err);

	if (r < 0 || archive_entry_filetype(entry) == AE_IFDIR)
		return r;
	if (!name) /* bytes that this locale cannot show */
		name = archive_entry_pathname_utf8(entry);
	path = name ? pmg_xstrdup(name) : pmg_xasprintf("entry %llu", (unsigned long long)zip->at);
	if (!name)
		sink->unread(sink->arg, path, "its name cannot be read");
	else if (!pmg_feed_is_record(path))
		sink->other(sink->arg, path);
	else if (archive_entry_filetype(entry) != AE_IFREG)
		sink->unread(sink->arg, path, "not a regular file");
	else
		r = take_entry(zip, path, err);
	return r;
}

int pmg_feed_read_zip(struct pmg_feed_reader *reader, int fd, struct pmg_err *err)
{
	struct zip zip = { .reader = reader,
			   .fd = fd,
			   .text = PMG_STR_INIT(reader->limits->record) };
	struct archive_entry *entry = NULL;
	int r = open_zip(&zip, err);

	while (r == 0 && (r = next_entry(&zip, &entry, err)) > 0)
		r = read_entry(&zip, entry, err);
	free_archive(zip.archive);
	pmg_str_done(&zip.text);
	return r;
}
