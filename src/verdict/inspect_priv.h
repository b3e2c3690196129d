#ifndef PMG_VERDICT_INSPECT_PRIV_H
#define PMG_VERDICT_INSPECT_PRIV_H
/**
 * The inspection of one archive, without threads: bytes are pulled from a source, findings come
 * out. inspect_read.c walks the archive, inspect_entry.c judges what stands in its headers,
 * inspect_inside.c what its own documents say. inspect.c feeds it.
 */
#include <stdatomic.h>
#include <sys/types.h>

#include "base/str.h"
#include "verdict/inspect.h"

/* Where the bytes come from. */
struct pmg_inspect_source {
	/** @return bytes put into `to`, 0 at the end, -1: broken off. May wait. */
	ssize_t (*read)(void *ctx, void *to, size_t room);
	void *ctx;
};

/* An entry of the archive; all borrowed. */
struct pmg_inspect_entry {
	const char *path;
	const char *link; /* target, NULL when it is no link */
	bool is_hard;     /* of a link */
	mode_t mode;      /* type and bits, as of stat(2) */
	uint64_t offset;  /* of its header */
};

/* A path that was seen. Texts are offsets into `paths` of the inspection, which grows and moves. */
struct pmg_inspect_path {
	size_t raw; /* as it stands in the archive */
	size_t key; /* what is compared: without ".", double slashes and, of npm, the top folder */
	uint64_t offset; /* of its header */
	uint64_t size;   /* unpacked */
	bool is_folder, is_link;
};

enum pmg_inspect_wants { PMG_WANTS_NOTHING, PMG_WANTS_PACKAGE_JSON, PMG_WANTS_METADATA };

struct pmg_inspection {
	const struct pmg_inspect_what *what;
	struct pmg_traits *out;
	const atomic_bool *is_cancelled; /* NULL: cannot be */

	bool is_whole; /* nothing stopped the reading */
	bool is_tar;   /* no zip: all of it should lie below one top folder */
	size_t n_entries;
	struct pmg_str paths;
	struct pmg_inspect_path *v; /* the paths, in the order of the archive */
	size_t n, cap;
	bool has_long; /* one was too long, and is not in v */
	bool is_full;  /* limits.paths is reached: no more are added to v */
	char *top;     /* name of the first top folder */
	size_t beside; /* how many files lie beside it, and the first of them */
	char *first_beside;
	char *info; /* name of the *.dist-info folder: it is a wheel */
	bool is_egg, has_setup, has_project, is_named;
	const struct pmg_inspect_who *who; /* as in struct pmg_inspected */
	struct pmg_strv others;            /* as in struct pmg_inspected */
};

void pmg_inspection_done(struct pmg_inspection *in);
PMG_DEFINE_AUTO_DONE(inspection, struct pmg_inspection, pmg_inspection_done);

/** Read all of it; what stops it is a finding too. The source may have bytes left. */
void pmg_inspection_read(struct pmg_inspection *in, const struct pmg_inspect_source *source);

/** Look at an entry's header. @param[out] wants  whether its bytes are needed whole. @return false:
 *  there are too many entries, stop here */
bool pmg_inspection_entry(struct pmg_inspection *in, const struct pmg_inspect_entry *entry,
			  enum pmg_inspect_wants *wants) PMG_MUST_CHECK;
/** The bytes of that entry have gone by. @param head  its first len bytes. @param size  of all */
void pmg_inspection_data(struct pmg_inspection *in, const struct pmg_inspect_entry *entry,
			 const unsigned char *head, size_t len, uint64_t size);
/** All entries were seen: find what only all paths together show. */
void pmg_inspection_paths(struct pmg_inspection *in);

/** Look at a document that was wanted. */
void pmg_inspection_document(struct pmg_inspection *in, enum pmg_inspect_wants wants,
			     const char *path, const char *text, size_t len);
/** Look at the folder whose name says which package a wheel is: "NAME-VERSION.dist-info". */
void pmg_inspection_info(struct pmg_inspection *in, const char *folder);
/** All documents were seen: find what only all of them together show. */
void pmg_inspection_documents(struct pmg_inspection *in);

#endif
