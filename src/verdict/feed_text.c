#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/path.h"
#include "verdict/feed_priv.h"

#define CHUNK 65536U

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* What the beginning of a file has told so far. */
struct peek {
	char first, last;  /* that are not blank, of the first line that is not */
	char second;       /* first that is not blank behind that line */
	bool line_is_over; /* the first line is */
	off_t mark;        /* bytes of a byte order mark */
};

static void peek_at(struct peek *peek, char c)
{
	if (c == '\n' && peek->first)
		peek->line_is_over = true;
	if (is_blank(c))
		return;
	if (peek->line_is_over) {
		peek->second = c;
		return;
	}
	if (!peek->first)
		peek->first = c;
	peek->last = c;
}

static int peek_into(struct pmg_feed_reader *reader, int fd, size_t max, struct peek *peek,
		     struct pmg_err *err)
{
	pmg_autofree char *chunk = pmg_xmalloc(CHUNK);
	size_t at = 0, i;
	ssize_t n;

	while (at <= max && !peek->second) {
		n = pread(fd, chunk, CHUNK, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pmg_err_set(err, PMG_E_SYS, errno, "read %s", reader->path);
		if (n == 0)
			return 0;
		if (at == 0 && n >= 3 && memcmp(chunk, "\xef\xbb\xbf", 3) == 0)
			peek->mark = 3;
		for (i = at == 0 ? (size_t)peek->mark : 0; i < (size_t)n && !peek->second; i++)
			peek_at(peek, chunk[i]);
		at += (size_t)n;
	}
	return 0;
}

struct lines {
	struct pmg_feed_reader *reader;
	struct pmg_str line;
	uint64_t number; /* of the present line, from 1 */
	bool too_long;
};

static int end_line(struct lines *lines, struct pmg_err *err)
{
	const struct pmg_feed_sink *sink = lines->reader->sink;
	pmg_autofree char *path = NULL;
	size_t i = 0;
	int r;

	while (i < lines->line.len && is_blank(lines->line.s[i]))
		i++;
	lines->number++;
	if (i == lines->line.len && !lines->too_long)
		return 0;
	path = pmg_xasprintf("line %llu", (unsigned long long)lines->number);
	r = pmg_feed_count(lines->reader, err);
	if (r == 0 && lines->too_long) {
		pmg_autofree char *why =
			pmg_xasprintf("larger than %zu bytes", lines->reader->limits->record);

		sink->unread(sink->arg, path, why);
	} else if (r == 0) {
		r = pmg_feed_take(lines->reader, path, lines->line.s, lines->line.len, err);
	}
	pmg_str_clear(&lines->line);
	lines->too_long = false;
	return r;
}

static int take_chunk(struct lines *lines, const char *chunk, size_t n, struct pmg_err *err)
{
	const char *end;
	size_t len;
	int r = 0;

	while (r == 0 && n > 0) {
		end = memchr(chunk, '\n', n);
		len = end ? (size_t)(end - chunk) : n;
		if (!lines->too_long && pmg_str_add(&lines->line, chunk, len) < 0) {
			lines->too_long = true;
			pmg_str_clear(&lines->line);
		}
		if (end)
			r = end_line(lines, err);
		len += end ? 1 : 0;
		chunk += len;
		n -= len;
	}
	return r;
}

static int read_lines(struct pmg_feed_reader *reader, int fd, off_t from, struct pmg_err *err)
{
	struct lines lines = { .reader = reader, .line = PMG_STR_INIT(reader->limits->record) };
	pmg_autofree char *chunk = pmg_xmalloc(CHUNK);
	ssize_t n = 0;
	int r = lseek(fd, from, SEEK_SET) < 0 ? pmg_err_set(err, PMG_E_SYS, errno, "seek") : 0;

	while (r == 0 && (n = read(fd, chunk, CHUNK)) != 0) {
		if (n > 0)
			r = take_chunk(&lines, chunk, (size_t)n, err);
		else if (errno != EINTR)
			r = pmg_err_set(err, PMG_E_SYS, errno, "read %s", reader->path);
	}
	if (r == 0)
		r = end_line(&lines, err);
	pmg_str_done(&lines.line);
	return r;
}

/* One record, or a list of another shape: the sink tells. */
static int read_whole(struct pmg_feed_reader *reader, int fd, const char *name, size_t max,
		      struct pmg_err *err)
{
	const struct pmg_feed_sink *sink = reader->sink;
	pmg_autofree char *text = NULL;
	struct pmg_err why = PMG_ERR_INIT;
	size_t len = 0;
	int r = lseek(fd, 0, SEEK_SET) < 0 ? pmg_err_set(err, PMG_E_SYS, errno, "seek") : 0;

	if (r < 0)
		return r;
	if (pmg_io_slurp_fd(fd, "record", max, &text, &len, &why) < 0) {
		sink->unread(sink->arg, name, why.msg);
		return 0;
	}
	r = pmg_feed_count(reader, err);
	if (r == 0 && sink->whole)
		return sink->whole(sink->arg, name, text, len, err);
	return r < 0 ? r : pmg_feed_take(reader, name, text, len, err);
}

/* RFC 8259: no line within a JSON text ends with "}" where the next one begins with "{". */
int pmg_feed_read_text(struct pmg_feed_reader *reader, int fd, struct pmg_err *err)
{
	const struct pmg_feed_limits *limits = reader->limits;
	size_t max = limits->list > limits->record ? limits->list : limits->record;
	struct peek peek = { 0 };
	int r = peek_into(reader, fd, max, &peek, err);

	if (r < 0)
		return r;
	if (peek.first == '<') {
		(void)pmg_err_set(err, PMG_E_PARSE, 0, "%s: a web page, not a feed", reader->path);
		return pmg_err_hint(err, "what was fetched is perhaps a page that says why, or "
					 "one to log in by: look into it");
	}
	if (peek.first == '{' && peek.last == '}' && peek.second == '{')
		return read_lines(reader, fd, peek.mark, err);
	return read_whole(reader, fd, pmg_path_name(reader->path), max, err);
}
