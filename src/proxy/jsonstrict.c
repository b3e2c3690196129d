#include "proxy/jsonstrict.h"

#include <ctype.h>
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "base/str.h"

enum state {
	VALUE,         /* a value must come */
	FIRST_ELEMENT, /* a value, or the array ends */
	FIRST_KEY,     /* a key, or the object ends */
	KEY,
	COLON,
	AFTER, /* behind a value: a comma, or the container ends */
	STRING,
	ESCAPE, /* after the backslash */
	HEX,
	UTF8, /* within a sequence of several bytes */
	LITERAL,
	MINUS, /* parts of a number, by the byte that came last */
	ZERO,
	INTEGER,
	POINT,
	FRACTION,
	EXPONENT,
	EXPONENT_SIGN,
	EXPONENT_DIGIT,
	DONE
};

/* The piece at hand. */
struct piece {
	const char *start, *p, *end;
	const char *text; /* of a string: where its part within this piece begins */
};

static int fail(const struct pmg_jsonstrict *scan, const struct piece *piece, const char *what,
		struct pmg_err *err)
{
	return pmg_err_set(err, PMG_E_PARSE, 0, "byte %" PRIu64 ": %s",
			   scan->base + (uint64_t)(piece->p - piece->start), what);
}

void pmg_jsonstrict_init(struct pmg_jsonstrict *scan, unsigned told, pmg_jsonstrict_fn fn,
			 void *ctx)
{
	memset(scan, 0, offsetof(struct pmg_jsonstrict, carry));
	scan->told = told;
	scan->fn = fn;
	scan->ctx = ctx;
}

static uint64_t offset(const struct pmg_jsonstrict *scan, const struct piece *piece)
{
	return scan->base + (uint64_t)(piece->p - piece->start);
}

static int tell(struct pmg_jsonstrict *scan, enum pmg_jsonstrict_event event, uint64_t at,
		uint64_t end, struct pmg_err *err)
{
	struct pmg_jsonstrict_item item = {
		.event = event, .depth = scan->depth, .at = at, .end = end, .text = ""
	};

	return scan->fn(scan->ctx, &item, err);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static unsigned char after_value(const struct pmg_jsonstrict *scan)
{
	return scan->depth == 0 ? DONE : AFTER;
}

static int open_container(struct pmg_jsonstrict *scan, struct piece *piece, struct pmg_err *err)
{
	bool is_object = *piece->p == '{';
	uint64_t at = offset(scan, piece);
	int r = 0;

	if (scan->depth == PMG_JSONSTRICT_DEPTH_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "byte %" PRIu64 ": nested deeper than %u",
				   at, PMG_JSONSTRICT_DEPTH_MAX);
	piece->p++;
	scan->state = is_object ? FIRST_KEY : FIRST_ELEMENT;
	if (scan->depth <= scan->told)
		r = tell(scan, is_object ? PMG_JSONSTRICT_OBJECT : PMG_JSONSTRICT_ARRAY, at, at + 1,
			 err);
	scan->is_object[++scan->depth] = is_object;
	return r;
}

static int close_container(struct pmg_jsonstrict *scan, struct piece *piece, struct pmg_err *err)
{
	uint64_t at = offset(scan, piece);

	if (scan->depth == 0 || scan->is_object[scan->depth] != (*piece->p == '}'))
		return fail(scan, piece, "closes what is not open", err);
	piece->p++;
	scan->depth--;
	scan->state = after_value(scan);
	return scan->depth <= scan->told ? tell(scan, PMG_JSONSTRICT_CLOSE, at, at + 1, err) : 0;
}

static void open_string(struct pmg_jsonstrict *scan, struct piece *piece, bool is_key)
{
	scan->at = offset(scan, piece);
	scan->is_key = is_key;
	scan->has_escape = false;
	scan->is_cut = false;
	scan->carried = 0;
	scan->state = STRING;
	piece->text = ++piece->p;
}

/* The part of a string that ends with the piece: kept, for when the rest comes. */
static void carry(struct pmg_jsonstrict *scan, const char *text, const char *end)
{
	size_t n = (size_t)(end - text), room = PMG_JSONSTRICT_TEXT_MAX - scan->carried;

	if (n > room) {
		scan->is_cut = true;
		n = room;
	}
	memcpy(scan->carry + scan->carried, text, n);
	scan->carried += n;
}

static int tell_string(struct pmg_jsonstrict *scan, struct piece *piece, const char *quote,
		       struct pmg_err *err)
{
	struct pmg_jsonstrict_item item = {
		.event = scan->is_key ? PMG_JSONSTRICT_KEY : PMG_JSONSTRICT_STRING,
		.depth = scan->depth,
		.at = scan->at,
		.end = offset(scan, piece),
		.text = piece->text,
		.len = (size_t)(quote - piece->text),
		.has_escape = scan->has_escape,
	};

	if (scan->carried > 0 || scan->is_cut) {
		carry(scan, piece->text, quote);
		item.text = scan->carry;
		item.len = scan->carried;
		item.is_cut = scan->is_cut;
	}
	if (item.len > PMG_JSONSTRICT_TEXT_MAX) { /* as if it had come in pieces */
		item.len = PMG_JSONSTRICT_TEXT_MAX;
		item.is_cut = true;
	}
	return scan->fn(scan->ctx, &item, err);
}

/* What nearly always follows a string, without the detour of a state. */
static void pass_separator(struct pmg_jsonstrict *scan, struct piece *piece)
{
	if (piece->p == piece->end)
		return;
	if (scan->state == COLON && *piece->p == ':') {
		scan->state = VALUE;
		piece->p++;
	} else if (scan->state == AFTER && *piece->p == ',') {
		scan->state = scan->is_object[scan->depth] ? KEY : VALUE;
		piece->p++;
	}
}

static int close_string(struct pmg_jsonstrict *scan, struct piece *piece, struct pmg_err *err)
{
	const char *quote = piece->p++;
	int r = 0;

	scan->state = scan->is_key ? COLON : after_value(scan);
	if (scan->depth <= scan->told)
		r = tell_string(scan, piece, quote, err);
	pass_separator(scan, piece);
	return r;
}

/* Eight bytes at a time: is there a quote, a backslash, a control byte, or one that is not ASCII?
 * @return the first such byte, or end */
static const char *plain(const char *p, const char *end)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = ones * 0x80;
	uint64_t w, q, b, found;

	for (; end - p >= 8; p += 8) {
		memcpy(&w, p, 8);
		w = le64toh(w); /* the first byte is the lowest one */
		q = w ^ ones * '"';
		b = w ^ ones * '\\';
		found = (((q - ones) & ~q) | ((b - ones) & ~b) | ((w - ones * 0x20) & ~w) | w) &
			high;
		if (found) /* above its lowest bit it may be wrong: a borrow went through */
			return p + __builtin_ctzll(found) / 8;
	}
	while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20 &&
	       (unsigned char)*p < 0x80)
		p++;
	return p;
}

/* First byte of a sequence of several: how many follow, and what the next may be (RFC 3629). */
static bool lead(struct pmg_jsonstrict *scan, unsigned char c)
{
	static const struct {
		unsigned char first, last, need, lo, hi;
	} rows[] = {
		{ 0xc2, 0xdf, 1, 0x80, 0xbf }, { 0xe0, 0xe0, 2, 0xa0, 0xbf },
		{ 0xe1, 0xec, 2, 0x80, 0xbf }, { 0xed, 0xed, 2, 0x80, 0x9f },
		{ 0xee, 0xef, 2, 0x80, 0xbf }, { 0xf0, 0xf0, 3, 0x90, 0xbf },
		{ 0xf1, 0xf3, 3, 0x80, 0xbf }, { 0xf4, 0xf4, 3, 0x80, 0x8f },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (c >= rows[i].first && c <= rows[i].last) {
			scan->need = rows[i].need;
			scan->lo = rows[i].lo;
			scan->hi = rows[i].hi;
			return true;
		}
	return false;
}

static int on_string(struct pmg_jsonstrict *scan, struct piece *piece, struct pmg_err *err)
{
	unsigned char c;

	piece->p = plain(piece->p, piece->end);
	if (piece->p == piece->end)
		return 0;
	c = (unsigned char)*piece->p;
	if (c == '"')
		return close_string(scan, piece, err);
	if (c < 0x20)
		return fail(scan, piece, "a control byte in a string", err);
	if (c == '\\') {
		scan->has_escape = true;
		scan->state = ESCAPE;
	} else if (lead(scan, c)) {
		scan->state = UTF8;
	} else {
		return fail(scan, piece, "not UTF-8", err);
	}
	piece->p++;
	return 0;
}

static int on_utf8(struct pmg_jsonstrict *scan, struct piece *piece, struct pmg_err *err)
{
	unsigned char c = (unsigned char)*piece->p;

	if (c < scan->lo || c > scan->hi)
		return fail(scan, piece, "not UTF-8", err);
	scan->lo = 0x80;
	scan->hi = 0xbf;
	if (--scan->need == 0)
		scan->state = STRING;
	piece->p++;
	return 0;
}

static int on_escape(struct pmg_jsonstrict *scan, struct piece *piece, struct pmg_err *err)
{
	char c = *piece->p;

	if (c == 'u')
		scan->hex = 4;
	else if (c == '\0' || !strchr("\"\\/bfnrt", c))
		return fail(scan, piece, "an escape that JSON does not have", err);
	scan->state = c == 'u' ? HEX : STRING;
	piece->p++;
	return 0;
}

static int on_hex(struct pmg_jsonstrict *scan, struct piece *piece, struct pmg_err *err)
{
	if (!isxdigit((unsigned char)*piece->p))
		return fail(scan, piece, "an escape that JSON does not have", err);
	if (--scan->hex == 0)
		scan->state = STRING;
	piece->p++;
	return 0;
}

static int end_scalar(struct pmg_jsonstrict *scan, const struct piece *piece, struct pmg_err *err)
{
	struct pmg_jsonstrict_item item = { .event = PMG_JSONSTRICT_SCALAR,
					    .depth = scan->depth,
					    .at = scan->at,
					    .end = offset(scan, piece),
					    .text = (const char *)&scan->first,
					    .len = 1 };

	scan->state = after_value(scan);
	return scan->depth <= scan->told ? scan->fn(scan->ctx, &item, err) : 0;
}

static int on_literal(struct pmg_jsonstrict *scan, struct piece *piece, struct pmg_err *err)
{
	if (*piece->p != *scan->literal)
		return fail(scan, piece, "no value of JSON", err);
	piece->p++;
	return *++scan->literal ? 0 : end_scalar(scan, piece, err);
}

/* Where a byte leads from a state of a number. 0: nowhere, and VALUE is no part of one. */
static unsigned char number_step(unsigned char state, char c)
{
	bool is_digit = c >= '0' && c <= '9', is_e = c == 'e' || c == 'E';

	switch (state) {
	case MINUS:
		return c == '0' ? ZERO : is_digit ? INTEGER : 0;
	case INTEGER:
		return is_digit ? INTEGER : c == '.' ? POINT : is_e ? EXPONENT : 0;
	case ZERO:
		return c == '.' ? POINT : is_e ? EXPONENT : 0;
	case POINT:
		return is_digit ? FRACTION : 0;
	case FRACTION:
		return is_digit ? FRACTION : is_e ? EXPONENT : 0;
	case EXPONENT:
		return c == '+' || c == '-' ? EXPONENT_SIGN : is_digit ? EXPONENT_DIGIT : 0;
	default: /* EXPONENT_SIGN, EXPONENT_DIGIT */
		return is_digit ? EXPONENT_DIGIT : 0;
	}
}

static bool is_whole_number(unsigned char state)
{
	return state == ZERO || state == INTEGER || state == FRACTION || state == EXPONENT_DIGIT;
}

static int on_number(struct pmg_jsonstrict *scan, struct piece *piece, struct pmg_err *err)
{
	unsigned char next;

	for (; piece->p < piece->end; piece->p++) {
		next = number_step(scan->state, *piece->p);
		if (next == 0 && !is_whole_number(scan->state))
			return fail(scan, piece, "no number of JSON", err);
		if (next == 0)
			return end_scalar(scan, piece, err); /* the byte is looked at again */
		scan->state = next;
	}
	return 0;
}

static int start_scalar(struct pmg_jsonstrict *scan, struct piece *piece, struct pmg_err *err)
{
	char c = *piece->p;

	scan->at = offset(scan, piece);
	scan->first = (unsigned char)c;
	scan->literal = c == 't' ? "true" : c == 'f' ? "false" : c == 'n' ? "null" : NULL;
	if (scan->literal) {
		scan->state = LITERAL;
		return 0; /* its first letter is looked at again */
	}
	scan->state = c == '-' ? (unsigned char)MINUS : number_step(MINUS, c);
	if (scan->state == 0)
		return fail(scan, piece, "no value of JSON", err);
	piece->p++;
	return 0;
}

static int on_value(struct pmg_jsonstrict *scan, struct piece *piece, struct pmg_err *err)
{
	char c = *piece->p;

	if (c == '"') {
		open_string(scan, piece, false);
		return on_string(scan, piece, err);
	}
	if (c == '{' || c == '[')
		return open_container(scan, piece, err);
	if (c == ']' && scan->state == FIRST_ELEMENT)
		return close_container(scan, piece, err);
	return start_scalar(scan, piece, err);
}

static int on_key(struct pmg_jsonstrict *scan, struct piece *piece, struct pmg_err *err)
{
	if (*piece->p == '"') {
		open_string(scan, piece, true);
		return on_string(scan, piece, err);
	}
	if (*piece->p == '}' && scan->state == FIRST_KEY)
		return close_container(scan, piece, err);
	return fail(scan, piece, "a key was expected", err);
}

static int on_colon(struct pmg_jsonstrict *scan, struct piece *piece, struct pmg_err *err)
{
	if (*piece->p != ':')
		return fail(scan, piece, "a colon was expected", err);
	scan->state = VALUE;
	piece->p++;
	return 0;
}

static int on_after(struct pmg_jsonstrict *scan, struct piece *piece, struct pmg_err *err)
{
	if (*piece->p == '}' || *piece->p == ']')
		return close_container(scan, piece, err);
	if (*piece->p != ',')
		return fail(scan, piece, "a comma was expected", err);
	scan->state = scan->is_object[scan->depth] ? KEY : VALUE;
	piece->p++;
	return 0;
}

static int on_done(struct pmg_jsonstrict *scan, struct piece *piece, struct pmg_err *err)
{
	return fail(scan, piece, "something follows the document", err);
}

static int step(struct pmg_jsonstrict *scan, struct piece *piece, struct pmg_err *err)
{
	static int (*const on[])(struct pmg_jsonstrict * scan, struct piece * piece,
				 struct pmg_err * err) = {
		[VALUE] = on_value,
		[FIRST_ELEMENT] = on_value,
		[FIRST_KEY] = on_key,
		[KEY] = on_key,
		[COLON] = on_colon,
		[AFTER] = on_after,
		[STRING] = on_string,
		[ESCAPE] = on_escape,
		[HEX] = on_hex,
		[UTF8] = on_utf8,
		[LITERAL] = on_literal,
		[MINUS] = on_number,
		[ZERO] = on_number,
		[INTEGER] = on_number,
		[POINT] = on_number,
		[FRACTION] = on_number,
		[EXPONENT] = on_number,
		[EXPONENT_SIGN] = on_number,
		[EXPONENT_DIGIT] = on_number,
		[DONE] = on_done,
	};

	return on[scan->state](scan, piece, err);
}

static bool is_between(unsigned char state)
{
	return state <= AFTER || state == DONE;
}

static bool is_in_string(unsigned char state)
{
	return state >= STRING && state <= UTF8;
}

int pmg_jsonstrict_feed(struct pmg_jsonstrict *scan, const char *bytes, size_t len,
			struct pmg_err *err)
{
	struct piece piece = { .start = bytes, .p = bytes, .end = bytes + len, .text = bytes };
	int r;

	while (piece.p < piece.end) {
		if (is_between(scan->state) && is_blank(*piece.p)) {
			piece.p++;
			continue;
		}
		r = step(scan, &piece, err);
		if (r < 0)
			return r;
	}
	if (is_in_string(scan->state) && scan->depth <= scan->told)
		carry(scan, piece.text, piece.end);
	scan->base += len;
	return 0;
}

int pmg_jsonstrict_finish(const struct pmg_jsonstrict *scan, struct pmg_err *err)
{
	/* A number alone ends with the document. */
	if (scan->state == DONE || (scan->depth == 0 && is_whole_number(scan->state)))
		return 0;
	return pmg_err_set(err, PMG_E_PARSE, 0, "byte %" PRIu64 ": the document has not ended",
			   scan->base);
}
