#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/str.h"
#include "verdict/inspect_priv.h"
#include "verdict/zipdir.h"

#define BLOCK       16384U
#define SMALL_BLOCK 1024U /* of formats that make a thousand times as much of it */
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

static void free_archive(struct archive *archive)
{
	if (archive)
		(void)archive_read_free(archive); /* what failed was told before */
}
PMG_DEFINE_AUTO(archive, struct archive *, free_archive);

/* Compressions, by their magic. One at most is undone: libarchive would go on through 25 of them,
 * each a thousandfold. */
static const struct coding {
	size_t len;
	const char *magic;
	int filter;
	size_t block;  /* read at a time: what comes of one block is not interrupted */
	uint64_t most; /* unpacked bytes, which bound a window as well; 0: as the limits say */
} codings[] = {
	{ 2, "\x1f\x8b", ARCHIVE_FILTER_GZIP, BLOCK, 0 },
	{ 3, "BZh", ARCHIVE_FILTER_BZIP2, SMALL_BLOCK, 0 },
	{ 6, "\xfd\x37\x7a\x58\x5a\x00", ARCHIVE_FILTER_XZ, SMALL_BLOCK, UINT64_C(128) << 20 },
};

/* Two blocks in turn: when the archive has ended, what stands behind it is in one of them. */
struct reader {
	struct pmg_inspection *in;
	const struct pmg_inspect_source *source;
	struct archive *archive;
	const struct coding *coding; /* NULL: none */
	char blocks[2][BLOCK];
	size_t lens[2];
	unsigned turn;     /* the block handed out last */
	uint64_t packed;   /* bytes up to the end of that block */
	uint64_t unpacked; /* of entries */
	unsigned damaged;  /* headers */
	bool is_first;     /* the first block was read before */
	bool is_stopped;   /* by us: a limit, or cancelled */
};

static void stop(struct reader *r, enum pmg_trait kind, const char *why)
{
	if (!r->is_stopped)
		pmg_traits_add(r->in->out, kind, "%s", why);
	r->is_stopped = true;
}

static uint64_t cpu_ms(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint64_t most_unpacked(const struct reader *r)
{
	const struct pmg_inspect_limits *l = &r->in->what->limits;
	uint64_t most = l->unpacked + l->ratio * r->packed;

	most = most < l->most ? most : l->most;
	return r->coding && r->coding->most && r->coding->most < most ? r->coding->most : most;
}

static uint64_t most_cpu_ms(const struct reader *r)
{
	const struct pmg_inspect_limits *l = &r->in->what->limits;

	return l->cpu_ms + l->cpu_ms_mib * (r->packed >> 20);
}

/* Entries' bytes do not count what is between them: zeros, headers. */
static bool may_go_on(struct reader *r)
{
	la_int64_t out = archive_filter_bytes(r->archive, 0);
	uint64_t unpacked = out > 0 && (uint64_t)out > r->unpacked ? (uint64_t)out : r->unpacked;

	if (r->in->is_cancelled && atomic_load(r->in->is_cancelled))
		r->is_stopped = true;
	else if (unpacked > most_unpacked(r))
		stop(r, PMG_TRAIT_OVERSIZED, "it unpacks to too much");
	else if (cpu_ms() > most_cpu_ms(r))
		stop(r, PMG_TRAIT_OVERSIZED, "it takes too long to unpack");
	return !r->is_stopped;
}

/* @return 0 at the end, -1 broken off */
static ssize_t next_block(struct reader *r)
{
	size_t room = r->coding ? r->coding->block : BLOCK;
	ssize_t n;

	r->turn ^= 1;
	n = r->source->read(r->source->ctx, r->blocks[r->turn], room);
	r->lens[r->turn] = n > 0 ? (size_t)n : 0;
	r->packed += r->lens[r->turn];
	return n;
}

static la_ssize_t on_read(struct archive *archive, void *ctx, const void **block)
{
	struct reader *r = ctx;
	ssize_t n;

	*block = r->blocks[r->turn];
	if (r->is_first) {
		r->is_first = false;
		return (la_ssize_t)r->lens[r->turn];
	}
	if (r->archive && !may_go_on(r)) {
		archive_set_error(archive, EIO, "stopped");
		return ARCHIVE_FATAL;
	}
	n = next_block(r);
	*block = r->blocks[r->turn];
	if (n < 0)
		r->is_stopped = true;
	return n < 0 ? ARCHIVE_FATAL : (la_ssize_t)n;
}

static void find_coding(struct reader *r)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(codings); i++)
		if (r->lens[r->turn] >= codings[i].len &&
		    memcmp(r->blocks[r->turn], codings[i].magic, codings[i].len) == 0)
			r->coding = &codings[i];
}

/* The first block may be short: the magic needs some bytes of it. */
static bool read_first(struct reader *r)
{
	ssize_t n = 1;

	while (n > 0 && r->lens[0] < BLOCK) {
		n = r->source->read(r->source->ctx, r->blocks[0] + r->lens[0], BLOCK - r->lens[0]);
		r->lens[0] += n > 0 ? (size_t)n : 0;
	}
	r->packed = r->lens[0];
	r->is_first = true;
	r->is_stopped = n < 0;
	if (n == 0 && r->lens[0] == 0)
		stop(r, PMG_TRAIT_UNREADABLE, "it is empty");
	find_coding(r);
	return !r->is_stopped;
}

/*
 * Concatenated: some readers go on behind the two empty blocks that end a tar, and would install
 * what stands there. What is behind them is looked into as well.
 */
static bool open_archive(struct reader *r, struct archive *a)
{
	bool ok = archive_read_support_format_tar(a) == ARCHIVE_OK &&
		  archive_read_support_format_zip_streamable(a) == ARCHIVE_OK &&
		  archive_read_set_option(a, "tar", "read_concatenated_archives", "1") ==
			  ARCHIVE_OK &&
		  archive_read_set_read_callback(a, on_read) == ARCHIVE_OK &&
		  archive_read_set_callback_data(a, r) == ARCHIVE_OK &&
		  archive_read_append_filter(a, r->coding ? r->coding->filter
							  : ARCHIVE_FILTER_NONE) == ARCHIVE_OK;

	if (ok)
		ok = archive_read_open1(a) == ARCHIVE_OK;
	r->archive = a;
	return ok;
}

static void broken(struct reader *r)
{
	const char *why = r->archive ? archive_error_string(r->archive) : NULL;

	if (r->is_stopped)
		return;
	if (r->in->n_entries == 0)
		stop(r, PMG_TRAIT_UNREADABLE, "it is no archive that is known here, or is cut");
	else
		pmg_traits_add(r->in->out, PMG_TRAIT_UNREADABLE, "it is cut or damaged: %s",
			       why ? why : "unknown reason");
	r->is_stopped = true;
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
		r->unpacked += len;
		if (!may_go_on(r))
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
	if (!r->is_stopped && S_ISREG(entry->mode) && !entry->link) {
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
		r->is_stopped = true;
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

	while (!r->is_stopped && rc != ARCHIVE_EOF) {
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

/* Hand on what stands behind the archive's end, as long as it is wanted. */
static bool each_behind(struct reader *r, bool (*fn)(void *ctx, const char *bytes, size_t len),
			void *ctx)
{
	la_int64_t end = archive_filter_bytes(r->archive, -1);
	uint64_t left = r->packed - (end < 0 ? 0 : (uint64_t)end);
	size_t now = r->lens[r->turn], before = r->lens[r->turn ^ 1];
	bool goes_on = true;
	ssize_t n;

	if (end < 0 || (uint64_t)end > r->packed || left > now + before) {
		stop(r, PMG_TRAIT_UNREADABLE, "its end cannot be compared");
		return false;
	}
	if (left > now)
		goes_on = fn(ctx, r->blocks[r->turn ^ 1] + (before - (left - now)), left - now);
	if (goes_on && left > 0) {
		left = left < now ? left : now;
		goes_on = fn(ctx, r->blocks[r->turn] + (now - left), left);
	}
	while (goes_on && may_go_on(r) && (n = next_block(r)) != 0) {
		if (n < 0)
			r->is_stopped = true;
		else
			goes_on = fn(ctx, r->blocks[r->turn], (size_t)n);
		goes_on = goes_on && n > 0;
	}
	return goes_on;
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
	if (each_behind(r, on_directory, &zip))
		(void)!pmg_zipdir_end(dir, &zip.err);
	for (i = 0; i < in->n; i++)
		check_mode(in, &locals[i]);
	if (zip.err.msg[0])
		pmg_traits_add(in->out, PMG_TRAIT_AMBIGUOUS, "%s", zip.err.msg);
}

static bool is_zeros(void *ctx, const char *bytes, size_t len)
{
	(void)ctx;
	while (len > 0 && *bytes == '\0') {
		bytes++;
		len--;
	}
	return len == 0;
}

/* Padding is zeros. */
static void check_behind(struct reader *r)
{
	if (!each_behind(r, is_zeros, NULL) && !r->is_stopped)
		pmg_traits_add(r->in->out, PMG_TRAIT_AMBIGUOUS, "bytes follow its end");
}

static void read_archive(struct reader *r)
{
	pmg_auto(archive) struct archive *a = archive_read_new();

	if (!a || !open_archive(r, a)) {
		broken(r);
		return;
	}
	if (walk(r) != ARCHIVE_EOF || r->is_stopped)
		return;
	if (r->in->n_entries == 0)
		stop(r, PMG_TRAIT_UNREADABLE, "it is an archive of nothing");
	else if (is_zip(r) && r->coding)
		stop(r, PMG_TRAIT_UNREADABLE, "it is a zip archive within another");
	else if (is_zip(r))
		compare_zip(r);
	else
		check_behind(r);
}

void pmg_inspection_read(struct pmg_inspection *in, const struct pmg_inspect_source *source)
{
	pmg_autofree struct reader *r = pmg_xcalloc(1, sizeof *r);

	r->in = in;
	r->source = source;
	if (!read_first(r))
		return;
	read_archive(r);
	in->is_whole = !r->is_stopped;
	if (in->n > 0)
		pmg_inspection_paths(in);
	if (!r->is_stopped)
		pmg_inspection_documents(in);
}
