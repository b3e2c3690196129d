#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "verdict/inspect_stream.h"
#include "verdict/zipdir.h"

#define HEAD_MAX    1024U /* of an entry's bytes: for its magic */
#define DAMAGED_MAX 64U   /* headers that make no sense */
#define GAP_MAX     24    /* behind a file's bytes in a zip: its sizes and checksum */

static const struct pmg_inspect_limits limits = {
	.entries = 200000,
	.paths = (size_t)32 << 20,
	.path = 4096,
	.depth = 256,
	.document = (size_t)4 << 20,
	.unpacked = UINT64_C(256) << 20,
	.ratio = 32,
	.most = UINT64_C(8) << 30,
	.cpu_ms = 60000,
	.cpu_ms_mib = 100,
};

const struct pmg_inspect_limits *pmg_inspect_limits_default(void)
{
	return &limits;
}

struct reader {
	struct pmg_inspect_stream stream;
	struct pmg_inspection *in;
	struct archive *archive;
	unsigned damaged; /* headers */
};

static void free_reader(struct reader *r)
{
	pmg_inspect_stream_done(&r->stream);
	if (r->archive)
		(void)archive_read_free(r->archive); /* what failed was told before */
	free(r);
}
PMG_DEFINE_AUTO(reader, struct reader *, free_reader);

static void stop(struct reader *r, enum pmg_trait kind, const char *why)
{
	pmg_inspect_stream_stop(&r->stream, kind, why);
}

/*
 * Concatenated: some readers go on behind the two empty blocks that end a tar, and would install
 * what stands there. What is behind them is looked into as well.
 */
static bool open_archive(struct reader *r)
{
	struct archive *a = r->archive;

	return a && archive_read_support_format_tar(a) == ARCHIVE_OK &&
	       archive_read_support_format_zip_streamable(a) == ARCHIVE_OK &&
	       archive_read_set_option(a, "tar", "read_concatenated_archives", "1") == ARCHIVE_OK &&
	       pmg_inspect_stream_open(&r->stream, a);
}

static void broken(struct reader *r)
{
	const char *why = r->archive ? archive_error_string(r->archive) : NULL;

	if (r->stream.is_stopped)
		return;
	if (r->in->n_entries == 0)
		stop(r, PMG_TRAIT_UNREADABLE, "it is no archive that is known here, or is cut");
	else
		pmg_traits_add(r->in->out, PMG_TRAIT_UNREADABLE, "it is cut or damaged: %s",
			       why ? why : "unknown reason");
	r->stream.is_stopped = true;
}

/* The bytes of an entry, and what was kept of them. */
struct bytes {
	unsigned char head[HEAD_MAX];
	size_t n_head;
	struct pmg_str text; /* the whole, where it is wanted */
	bool is_wanted;
	uint64_t size;
};

/* Holes of sparse files are left out: they would be zeros without end. */
static void take(struct bytes *bytes, const void *block, size_t len, la_int64_t offset)
{
	size_t room = HEAD_MAX - bytes->n_head;

	if (offset < 0 || (uint64_t)offset != bytes->size)
		bytes->is_wanted = false;
	bytes->size += len;
	if (bytes->is_wanted && pmg_str_add(&bytes->text, block, len) < 0)
		bytes->is_wanted = false;
	room = room < len ? room : len;
	if (room > 0)
		memcpy(bytes->head + bytes->n_head, block, room);
	bytes->n_head += room;
}

static void read_bytes(struct reader *r, struct bytes *bytes, const char *path)
{
	const void *block;
	size_t len;
	la_int64_t offset;
	int rc;

	while ((rc = archive_read_data_block(r->archive, &block, &len, &offset)) == ARCHIVE_OK) {
		take(bytes, block, len, offset);
		r->stream.unpacked += len;
		if (!pmg_inspect_stream_goes_on(&r->stream))
			return;
	}
	if (rc == ARCHIVE_FATAL)
		broken(r);
	else if (rc == ARCHIVE_WARN)
		pmg_traits_add(r->in->out, PMG_TRAIT_AMBIGUOUS, "%s: its checksum is wrong", path);
	else if (rc != ARCHIVE_EOF)
		pmg_traits_add(r->in->out, PMG_TRAIT_UNREADABLE, "%s: %s", path,
			       archive_error_string(r->archive));
}

static void read_entry(struct reader *r, const struct pmg_inspect_entry *entry,
		       enum pmg_inspect_wants wants)
{
	struct bytes bytes = { .text = PMG_STR_INIT(r->in->what->limits.document),
			       .is_wanted = wants != PMG_WANTS_NOTHING };

	read_bytes(r, &bytes, entry->path);
	if (!r->stream.is_stopped && S_ISREG(entry->mode) && !entry->link) {
		pmg_inspection_data(r->in, entry, bytes.head, bytes.n_head, bytes.size);
		if (bytes.is_wanted)
			pmg_inspection_document(r->in, wants, entry->path,
						bytes.text.s ? bytes.text.s : "", bytes.text.len);
		else if (wants != PMG_WANTS_NOTHING)
			pmg_traits_add(r->in->out, PMG_TRAIT_OVERSIZED, "%s is too large",
				       entry->path);
	}
	pmg_str_done(&bytes.text);
}

/* Bytes that this locale cannot show are there as UTF-8, or not at all. */
static const char *text_of(const char *bytes, const char *utf8)
{
	return bytes ? bytes : utf8;
}

static void take_entry(struct reader *r, struct archive_entry *e)
{
	const char *hard = text_of(archive_entry_hardlink(e), archive_entry_hardlink_utf8(e));
	const char *soft = text_of(archive_entry_symlink(e), archive_entry_symlink_utf8(e));
	struct pmg_inspect_entry entry = {
		.path = text_of(archive_entry_pathname(e), archive_entry_pathname_utf8(e)),
		.link = hard ? hard : soft,
		.is_hard = hard != NULL,
		.mode = archive_entry_mode(e),
		.offset = (uint64_t)archive_read_header_position(r->archive),
	};
	pmg_autofree char *path = NULL;
	enum pmg_inspect_wants wants;

	if (!entry.path) {
		r->in->n_entries++;
		stop(r, PMG_TRAIT_UNREADABLE, "it has a path that cannot be read");
		return;
	}
	path = pmg_xstrdup(entry.path); /* libarchive may change its own while it reads on */
	if (!pmg_inspection_entry(r->in, &entry, &wants)) {
		r->stream.is_stopped = true;
		return;
	}
	entry.path = path;
	read_entry(r, &entry, wants);
}

/* A header that makes no sense: some readers stop, others look for the next. */
static void note_damage(struct reader *r)
{
	if (r->damaged++ == 0)
		pmg_traits_add(r->in->out, PMG_TRAIT_AMBIGUOUS, "a header in it is damaged");
	if (r->damaged > DAMAGED_MAX)
		stop(r, PMG_TRAIT_UNREADABLE, "it has too many damaged headers");
}

static bool is_zip(const struct reader *r)
{
	return (archive_format(r->archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP;
}

/* Between two files of a zip is room for another one, which libarchive passes over. */
static void check_gap(struct reader *r, la_int64_t behind)
{
	la_int64_t gap = archive_read_header_position(r->archive) - behind;

	if (gap < 0 || gap > GAP_MAX)
		pmg_traits_add(r->in->out, PMG_TRAIT_AMBIGUOUS, "bytes between its files");
}

/* @return ARCHIVE_EOF: to its end */
static int walk(struct reader *r)
{
	struct archive_entry *e = NULL;
	la_int64_t behind = 0;
	int rc = ARCHIVE_OK;

	while (!r->stream.is_stopped && rc != ARCHIVE_EOF) {
		rc = archive_read_next_header(r->archive, &e);
		r->in->is_tar = !is_zip(r);
		if (rc == ARCHIVE_OK || rc == ARCHIVE_WARN) {
			if (!r->in->is_tar)
				check_gap(r, behind);
			take_entry(r, e);
			behind = archive_filter_bytes(r->archive, -1);
		} else if (rc == ARCHIVE_RETRY) {
			note_damage(r);
		} else if (rc != ARCHIVE_EOF) {
			broken(r);
		}
	}
	return rc;
}

struct zip {
	struct pmg_zipdir *dir;
	struct pmg_err err;
};

static bool on_directory(void *ctx, const char *bytes, size_t len)
{
	struct zip *zip = ctx;

	return pmg_zipdir_feed(zip->dir, bytes, len, &zip->err) == 0;
}

/* Only the directory has it. Installers of Python write the target of a link as a file. */
static void check_mode(struct pmg_inspection *in, const struct pmg_zip_local *local)
{
	mode_t type = local->mode & S_IFMT;

	if (S_ISLNK(type))
		pmg_traits_add(in->out, PMG_TRAIT_LINK, "%s", local->name);
	else if (type != 0 && !S_ISREG(type) && !S_ISDIR(type))
		pmg_traits_add(in->out, PMG_TRAIT_DEVICE, "%s", local->name);
	else if (!S_ISDIR(type) && (local->mode & (S_ISUID | S_ISGID)))
		pmg_traits_add(in->out, PMG_TRAIT_SETUID, "%s", local->name);
}

static void compare_zip(struct reader *r)
{
	struct pmg_inspection *in = r->in;
	pmg_autofree struct pmg_zip_local *locals = pmg_xcalloc(in->n + 1, sizeof *locals);
	pmg_auto(zipdir) struct pmg_zipdir *dir = NULL;
	struct zip zip = { .err = PMG_ERR_INIT };
	la_int64_t start = archive_filter_bytes(r->archive, -1);
	size_t i;

	for (i = 0; i < in->n; i++)
		locals[i] = (struct pmg_zip_local){ .offset = in->v[i].offset,
						    .size = in->v[i].size,
						    .name = in->paths.s + in->v[i].raw };
	dir = pmg_zipdir_new(start < 0 ? 0 : (uint64_t)start, locals, in->n);
	zip.dir = dir;
	if (pmg_inspect_stream_behind(&r->stream, r->archive, on_directory, &zip))
		(void)!pmg_zipdir_end(dir, &zip.err);
	for (i = 0; i < in->n; i++)
		check_mode(in, &locals[i]);
	if (zip.err.msg[0])
		pmg_traits_add(in->out, PMG_TRAIT_AMBIGUOUS, "%s", zip.err.msg);
}

/* What libarchive does not tell of a tar. */
static void check_headers(struct reader *r)
{
	const struct pmg_err *err = &r->stream.tar_err;

	if (r->in->n_entries > 0 && r->in->is_tar && err->msg[0])
		pmg_traits_add(r->in->out, PMG_TRAIT_AMBIGUOUS, "%s", err->msg);
}

static void read_archive(struct reader *r)
{
	if (walk(r) != ARCHIVE_EOF || r->stream.is_stopped)
		return;
	if (r->in->n_entries == 0)
		stop(r, PMG_TRAIT_UNREADABLE, "it is an archive of nothing");
	else if (!is_zip(r))
		pmg_inspect_stream_end_tar(&r->stream, r->archive);
	else if (r->stream.coding)
		stop(r, PMG_TRAIT_UNREADABLE, "it is a zip archive within another");
	else
		compare_zip(r);
}

void pmg_inspection_read(struct pmg_inspection *in, const struct pmg_inspect_source *source)
{
	pmg_auto(reader) struct reader *r = pmg_xcalloc(1, sizeof *r);

	r->in = in;
	r->stream.in = in;
	r->stream.source = source;
	r->archive = archive_read_new();
	if (!pmg_inspect_stream_begin(&r->stream))
		return;
	if (open_archive(r))
		read_archive(r);
	else
		broken(r);
	check_headers(r);
	in->is_whole = !r->stream.is_stopped;
	if (in->n > 0)
		pmg_inspection_paths(in);
	if (!r->stream.is_stopped)
		pmg_inspection_documents(in);
}
