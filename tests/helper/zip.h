#ifndef PMG_TESTS_HELPER_ZIP_H
#define PMG_TESTS_HELPER_ZIP_H
/** Writes zip and tar archives, odd ones too. Ends the program on trouble. */
#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct zip_entry {
	const char *name; /* ends in "/": a folder */
	const char *text; /* NULL: `zeros` bytes of zeros */
	size_t zeros;
	bool link; /* a symbolic link to text */
};

static inline void zip_must(struct archive *a, int rc)
{
	if (rc == ARCHIVE_OK)
		return;
	fprintf(stderr, "zip: %s\n", archive_error_string(a));
	abort();
}

static inline void zip_add(struct archive *a, const struct zip_entry *e)
{
	struct archive_entry *entry = archive_entry_new();
	bool folder = e->name[strlen(e->name) - 1] == '/';
	size_t left = e->text ? strlen(e->text) : e->zeros, n;
	static const char zeros[65536];

	archive_entry_set_pathname(entry, e->name);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_filetype(entry, e->link ? AE_IFLNK : folder ? AE_IFDIR : AE_IFREG);
	if (e->link)
		archive_entry_set_symlink(entry, e->text);
	else
		archive_entry_set_size(entry, (la_int64_t)left);
	zip_must(a, archive_write_header(a, entry));
	while (!folder && !e->link && left > 0) {
		n = e->text || left < sizeof zeros ? left : sizeof zeros;
		if (archive_write_data(a, e->text ? e->text : zeros, n) != (la_ssize_t)n)
			zip_must(a, ARCHIVE_FATAL);
		left -= n;
	}
	archive_entry_free(entry);
}

/** @param entries  end with a row without name. @param store  without compression */
static inline void zip_write(const char *path, const struct zip_entry *entries, bool store)
{
	struct archive *a = archive_write_new();

	zip_must(a, archive_write_set_format_zip(a));
	zip_must(a, archive_write_set_options(a, store ? "zip:compression=store"
						       : "zip:compression=deflate"));
	zip_must(a, archive_write_open_filename(a, path));
	for (; entries->name; entries++)
		zip_add(a, entries);
	zip_must(a, archive_write_close(a));
	(void)archive_write_free(a);
}

enum zip_tar_filter { ZIP_TAR_PLAIN, ZIP_TAR_GZIP, ZIP_TAR_ZSTD };

/** The same as a tar archive. */
static inline void zip_write_tar(const char *path, const struct zip_entry *entries,
				 enum zip_tar_filter filter)
{
	struct archive *a = archive_write_new();

	zip_must(a, archive_write_set_format_pax_restricted(a));
	if (filter == ZIP_TAR_GZIP)
		zip_must(a, archive_write_add_filter_gzip(a));
	if (filter == ZIP_TAR_ZSTD)
		zip_must(a, archive_write_add_filter_zstd(a));
	zip_must(a, archive_write_open_filename(a, path));
	for (; entries->name; entries++)
		zip_add(a, entries);
	zip_must(a, archive_write_close(a));
	(void)archive_write_free(a);
}

#endif
