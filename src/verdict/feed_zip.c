#include <errno.h>
#include <unistd.h>

#include "verdict/feed_archive.h"

/*
 * By the directory at the archive's end alone: read as a stream, an archive
 * that was cut would look like a smaller feed.
 */
static int open_zip(struct pmg_feed_archive *zip, struct pmg_err *err)
{
	if (zip->archive)
		(void)archive_read_free(pmg_steal_ptr(&zip->archive));
	zip->at = 0;
	if (lseek(zip->fd, 0, SEEK_SET) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "seek %s", zip->reader->path);
	zip->archive = archive_read_new();
	if (!zip->archive)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "archive_read_new");
	if (archive_read_support_format_zip_seekable(zip->archive) != ARCHIVE_OK ||
	    archive_read_open_fd(zip->archive, zip->fd, PMG_FEED_BLOCK) != ARCHIVE_OK)
		return pmg_feed_archive_failed(zip, "open", err);
	return 0;
}

/* Opens anew, behind the entry whose data was broken: libarchive reads no further after that. */
static int pass_over(struct pmg_feed_archive *zip, struct pmg_err *err)
{
	struct archive_entry *entry;
	uint64_t behind = zip->at;
	int r;

	if (++zip->broken > zip->reader->limits->broken)
		return pmg_feed_archive_failed(zip, "too much of it is broken", err);
	r = open_zip(zip, err);
	while (r == 0 && zip->at < behind) {
		r = pmg_feed_archive_next(zip, &entry, err);
		if (r == 0) /* it had more entries a moment ago */
			return pmg_feed_archive_failed(zip, "read", err);
		r = r < 0 ? r : 0;
	}
	return r;
}

int pmg_feed_read_zip(struct pmg_feed_reader *reader, int fd, struct pmg_err *err)
{
	struct pmg_feed_archive zip = { .reader = reader,
					.fd = fd,
					.text = PMG_STR_INIT(reader->limits->record),
					.pass_over = pass_over };
	struct archive_entry *entry = NULL;
	int r = open_zip(&zip, err);

	while (r == 0 && (r = pmg_feed_archive_next(&zip, &entry, err)) > 0)
		r = pmg_feed_archive_take(&zip, entry, err);
	pmg_feed_archive_close(&zip);
	return r;
}
