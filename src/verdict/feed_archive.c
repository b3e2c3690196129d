#include "verdict/feed_archive.h"

#include "base/mem.h"

void pmg_feed_archive_close(struct pmg_feed_archive *archive)
{
	if (archive->archive)
		(void)archive_read_free(archive->archive); /* what failed was told before */
	archive->archive = NULL;
	pmg_str_done(&archive->text);
}

int pmg_feed_archive_failed(const struct pmg_feed_archive *archive, const char *doing,
			    struct pmg_err *err)
{
	const char *why = archive_error_string(archive->archive);

	(void)pmg_err_set(err, PMG_E_PARSE, 0, "%s: %s: %s", archive->reader->path, doing,
			  why ? why : "damaged");
	return pmg_err_hint(err, "the archive is cut or damaged: fetch it again");
}

int pmg_feed_archive_next(struct pmg_feed_archive *archive, struct archive_entry **entry,
			  struct pmg_err *err)
{
	int rc = archive_read_next_header(archive->archive, entry);

	archive->at++;
	if (rc == ARCHIVE_EOF)
		return 0;
	if (rc == ARCHIVE_OK || rc == ARCHIVE_WARN)
		return 1;
	return pmg_feed_archive_failed(archive, "read", err);
}

/* The present entry into archive->text. @return 0; -PMG_E_LIMIT; -PMG_E_PARSE */
static int unpack(struct pmg_feed_archive *archive, struct pmg_err *why, int *rc)
{
	const void *block;
	size_t size;
	la_int64_t offset;

	pmg_str_clear(&archive->text);
	while ((*rc = archive_read_data_block(archive->archive, &block, &size, &offset)) ==
	       ARCHIVE_OK) {
		if (offset < 0 || (uint64_t)offset != archive->text.len)
			return pmg_err_set(why, PMG_E_PARSE, 0, "has a hole");
		if (pmg_str_add(&archive->text, block, size) < 0)
			return pmg_err_set(why, PMG_E_LIMIT, 0, "larger than %zu bytes",
					   archive->text.max);
	}
	if (*rc != ARCHIVE_EOF) /* a wrong checksum is ARCHIVE_WARN */
		return pmg_err_set(why, PMG_E_PARSE, 0, "cannot be unpacked: %s",
				   archive_error_string(archive->archive));
	return 0;
}

static int take_record(struct pmg_feed_archive *archive, const char *path, struct pmg_err *err)
{
	const struct pmg_feed_sink *sink = archive->reader->sink;
	struct pmg_err why = PMG_ERR_INIT;
	int rc = ARCHIVE_OK;

	if (unpack(archive, &why, &rc) < 0) {
		sink->unread(sink->arg, path, why.msg);
		return rc == ARCHIVE_FATAL ? archive->pass_over(archive, err) : 0;
	}
	return pmg_feed_take(archive->reader, path, archive->text.s ? archive->text.s : "",
			     archive->text.len, err);
}

int pmg_feed_archive_take(struct pmg_feed_archive *archive, struct archive_entry *entry,
			  struct pmg_err *err)
{
	const struct pmg_feed_sink *sink = archive->reader->sink;
	const char *name = archive_entry_pathname(entry);
	pmg_autofree char *path = NULL;
	int r = pmg_feed_count(archive->reader, err);

	if (r < 0 || archive_entry_filetype(entry) == AE_IFDIR)
		return r;
	if (!name) /* bytes that this locale cannot show */
		name = archive_entry_pathname_utf8(entry);
	path = name ? pmg_xstrdup(name)
		    : pmg_xasprintf("entry %llu", (unsigned long long)archive->at);
	if (!name)
		sink->unread(sink->arg, path, "its name cannot be read");
	else if (!pmg_feed_is_record(path))
		sink->other(sink->arg, path);
	else if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry))
		sink->unread(sink->arg, path, "not a regular file");
	else
		r = take_record(archive, path, err);
	return r;
}
