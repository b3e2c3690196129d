#ifndef PMG_TESTS_HELPER_TAR_H
#define PMG_TESTS_HELPER_TAR_H
/** Writes tar archives (POSIX ustar) byte by byte, odd ones too; and compresses. */
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

struct tar_entry {
	const char *path; /* at most 99 bytes, unless by a pax header */
	const char *text; /* contents; for links the target */
	size_t zeros;     /* so many behind the text */
	char type;        /* of the header, '0' when 0: '1' hard link, '2' symbolic, '3' device,
			   * '5' folder, '6' FIFO */
	unsigned mode;    /* 0644 when 0 */
};

static inline void tar_block(struct pmg_str *out, const void *bytes, size_t len)
{
	static const char zeros[512];

	if (pmg_str_add(out, bytes, len) < 0 ||
	    (len % 512 && pmg_str_add(out, zeros, 512 - len % 512) < 0))
		abort();
}

static inline void tar_header(struct pmg_str *out, const struct tar_entry *e, const char *link,
			      size_t size)
{
	char h[512] = { 0 };
	unsigned sum = 0;
	size_t i;

	(void)snprintf(h, 100, "%s", e->path);
	(void)snprintf(h + 100, 8, "%07o", (e->mode ? e->mode : 0644) & 07777);
	(void)snprintf(h + 108, 8, "%07o", 0);
	(void)snprintf(h + 116, 8, "%07o", 0);
	(void)snprintf(h + 124, 12, "%011zo", size);
	(void)snprintf(h + 136, 12, "%011o", 0);
	memset(h + 148, ' ', 8);
	h[156] = e->type ? e->type : '0';
	(void)snprintf(h + 157, 100, "%s", link);
	memcpy(h + 257, "ustar\00000", 8);
	for (i = 0; i < sizeof h; i++)
		sum += (unsigned char)h[i];
	(void)snprintf(h + 148, 8, "%06o", sum);
	tar_block(out, h, sizeof h);
}

/* A pax header with one long path. */
static inline void tar_pax(struct pmg_str *out, const char *path)
{
	const struct tar_entry e = { .path = "pax", .type = 'x' };
	size_t len = strlen(path) + strlen(" path=\n");
	size_t digits = (size_t)snprintf(NULL, 0, "%zu", len);
	char *record;

	if ((size_t)snprintf(NULL, 0, "%zu", len + digits) > digits)
		digits++;
	record = pmg_xasprintf("%zu path=%s\n", len + digits, path);
	tar_header(out, &e, "", strlen(record));
	tar_block(out, record, strlen(record));
	free(record);
}

static inline void tar_add(struct pmg_str *out, const struct tar_entry *e)
{
	int is_link = e->type == '1' || e->type == '2';
	const char *text = e->text && !is_link ? e->text : "";
	size_t left, size = strlen(text) + e->zeros;
	char *bytes = pmg_xcalloc(size + 1, 1);

	left = strlen(text);
	memcpy(bytes, text, left);
	if (strlen(e->path) > 99)
		tar_pax(out, e->path);
	tar_header(out, e, is_link ? e->text : "", size);
	tar_block(out, bytes, size);
	free(bytes);
}

static inline void tar_end(struct pmg_str *out)
{
	static const char zeros[1024];

	tar_block(out, zeros, sizeof zeros);
}

/** @param entries  end with a row without path */
static inline void tar_write(struct pmg_str *out, const struct tar_entry *entries)
{
	for (; entries->path; entries++)
		tar_add(out, entries);
	tar_end(out);
}

static inline la_ssize_t tar_on_write(struct archive *a, void *ctx, const void *bytes, size_t len)
{
	(void)a;
	return pmg_str_add(ctx, bytes, len) < 0 ? -1 : (la_ssize_t)len;
}

/** Adds the compressed form. @param filter  ARCHIVE_FILTER_GZIP, ... */
static inline void tar_compress(struct pmg_str *out, const void *bytes, size_t len, int filter)
{
	struct archive *a = archive_write_new();
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, "x");
	archive_entry_set_filetype(entry, AE_IFREG);
	if (archive_write_add_filter(a, filter) != ARCHIVE_OK ||
	    archive_write_set_format_raw(a) != ARCHIVE_OK ||
	    archive_write_set_bytes_in_last_block(a, 1) != ARCHIVE_OK ||
	    archive_write_open(a, out, NULL, tar_on_write, NULL) != ARCHIVE_OK ||
	    archive_write_header(a, entry) != ARCHIVE_OK ||
	    archive_write_data(a, bytes, len) != (la_ssize_t)len ||
	    archive_write_close(a) != ARCHIVE_OK)
		abort();
	archive_entry_free(entry);
	(void)archive_write_free(a);
}

#endif
