#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "verdict/feed_archive.h"

#define TAR_BLOCK 512

/* A stream cannot be read on behind what is broken in it. */
static int give_up(struct pmg_feed_archive *tar, struct pmg_err *err)
{
	return pmg_feed_archive_failed(tar, "read", err);
}

static int open_tar(struct pmg_feed_archive *tar, struct pmg_err *err)
{
	if (lseek(tar->fd, 0, SEEK_SET) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "seek %s", tar->reader->path);
	tar->archive = archive_read_new();
	if (!tar->archive)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "archive_read_new");
	/* Nothing that libarchive would start another program for: it says ARCHIVE_WARN then. */
	if (archive_read_support_filter_gzip(tar->archive) != ARCHIVE_OK ||
	    archive_read_support_filter_zstd(tar->archive) != ARCHIVE_OK ||
	    archive_read_support_format_tar(tar->archive) != ARCHIVE_OK)
		return pmg_err_set(err, PMG_E_UNSUPPORTED, 0,
				   "libarchive reads no tar, gzip or zstd here");
	if (archive_read_open_fd(tar->archive, tar->fd, PMG_FEED_BLOCK) != ARCHIVE_OK)
		return pmg_feed_archive_failed(tar, "open", err);
	return 0;
}

/* What is passed over is unpacked too: a bomb need not be called *.json. */
static int check_unpacked(const struct pmg_feed_archive *tar, struct pmg_err *err)
{
	la_int64_t bytes = archive_filter_bytes(tar->archive, 0);

	if (bytes >= 0 && (uint64_t)bytes <= tar->reader->limits->total)
		return 0;
	return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: more than %" PRIu64 " bytes unpacked",
			   tar->reader->path, tar->reader->limits->total);
}

/*
 * Reads what is left of the entry, in pieces: one huge entry must not be unpacked to its end
 * before anybody looks. @param[out] end  where the data ends in the stream
 */
static int skip_rest(struct pmg_feed_archive *tar, la_int64_t *end, struct pmg_err *err)
{
	const void *block;
	size_t size;
	la_int64_t offset;
	int rc = ARCHIVE_OK, r = 0;

	while (r == 0 &&
	       (rc = archive_read_data_block(tar->archive, &block, &size, &offset)) == ARCHIVE_OK)
		r = check_unpacked(tar, err);
	if (r == 0 && rc != ARCHIVE_EOF)
		r = pmg_feed_archive_failed(tar, "read", err);
	*end = archive_filter_bytes(tar->archive, 0);
	return r;
}

static int no_end(const struct pmg_feed_archive *tar, struct pmg_err *err)
{
	(void)pmg_err_set(err, PMG_E_PARSE, 0, "%s: the archive has no end", tar->reader->path);
	return pmg_err_hint(err, "the archive is cut or damaged: fetch it again");
}

/*
 * The end is marked by blocks of zeros (POSIX pax, "ustar Interchange Format"). libarchive takes
 * the end of the file for one too, but an archive that was cut between two entries would be a
 * smaller feed.
 */
static int read_entries(struct pmg_feed_archive *tar, struct pmg_err *err)
{
	struct archive_entry *entry = NULL;
	la_int64_t end = 0;
	int r;

	while ((r = pmg_feed_archive_next(tar, &entry, err)) > 0) {
		r = check_unpacked(tar, err);
		if (r == 0)
			r = pmg_feed_archive_take(tar, entry, err);
		if (r == 0)
			r = skip_rest(tar, &end, err);
		if (r < 0)
			return r;
	}
	/* up to 511 bytes behind the data fill its last block */
	if (r == 0 && archive_filter_bytes(tar->archive, 0) - end < 2 * TAR_BLOCK)
		r = no_end(tar, err);
	return r;
}

int pmg_feed_read_tar(struct pmg_feed_reader *reader, int fd, struct pmg_err *err)
{
	struct pmg_feed_archive tar = { .reader = reader,
					.fd = fd,
					.text = PMG_STR_INIT(reader->limits->record),
					.pass_over = give_up };
	int r = open_tar(&tar, err);

	if (r == 0)
		r = read_entries(&tar, err);
	pmg_feed_archive_close(&tar);
	return r;
}
