#ifndef PMG_PROXY_JSONSTRICT_H
#define PMG_PROXY_JSONSTRICT_H
/**
 * Read a JSON document strictly while it streams by, in fixed memory, and tell
 * where in it what stands. For documents of which something is to be cut out:
 * whoever parses what remains must have read the whole as this reader did.
 * Hence RFC 8259 to the letter, with nothing that some parser takes in another
 * way: no byte order mark, no comment, no comma too many, no NaN, no control
 * byte in a string, UTF-8 only (RFC 3629), one value and blanks behind it.
 * Duplicate keys are for the caller to refuse, where they matter.
 * Cost: about a nanosecond a byte at most. What is deeper than `told` is checked as
 * strictly, and not reported.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PMG_JSONSTRICT_TEXT_MAX  8192U /* a longer key or string arrives cut */
#define PMG_JSONSTRICT_DEPTH_MAX 256U  /* deeper nesting is refused */

enum pmg_jsonstrict_event {
	PMG_JSONSTRICT_KEY,
	PMG_JSONSTRICT_STRING,
	PMG_JSONSTRICT_SCALAR, /* number or literal; text is its first byte */
	PMG_JSONSTRICT_OBJECT,
	PMG_JSONSTRICT_ARRAY,
	PMG_JSONSTRICT_CLOSE /* of an object or array */
};

struct pmg_jsonstrict_item {
	enum pmg_jsonstrict_event event;
	unsigned depth; /* containers around it: 0 for the outermost value itself */
	uint64_t at;    /* offset of its first byte: quote, bracket; CLOSE: the closing one */
	uint64_t end;   /* offset behind its last byte, the quote; KEY: the colon comes later */
	const char
		*text;   /* what stands between the quotes, escapes as they are; no NUL behind it */
	size_t len;      /* of text */
	bool has_escape; /* there is a backslash in the whole of it */
	bool is_cut;     /* text is only its beginning */
};

/** @return 0, or a negated code after err is filled, which ends the reading */
typedef int (*pmg_jsonstrict_fn)(void *ctx, const struct pmg_jsonstrict_item *item,
				 struct pmg_err *err);

struct pmg_jsonstrict {
	unsigned told; /* deepest level that is reported; fn may change it, from the next item on */
	/* what follows is the reader's own */
	pmg_jsonstrict_fn fn;
	void *ctx;
	unsigned depth;
	unsigned char state;
	bool is_key;
	bool has_escape;
	bool is_cut;
	unsigned char hex;          /* digits of a \uXXXX still to come */
	unsigned char need, lo, hi; /* bytes of a UTF-8 sequence still to come; range of the next */
	unsigned char first;        /* of a scalar */
	const char *literal;        /* rest of true, false, null */
	uint64_t base;              /* offset of the piece at hand */
	uint64_t at;                /* where the token at hand began */
	size_t carried;             /* bytes in carry */
	bool is_object[PMG_JSONSTRICT_DEPTH_MAX + 1];
	char carry[PMG_JSONSTRICT_TEXT_MAX]; /* beginning of a string that a piece ended in */
};

void pmg_jsonstrict_init(struct pmg_jsonstrict *scan, unsigned told, pmg_jsonstrict_fn fn,
			 void *ctx);
/**
 * Read the next piece; calls fn for what it completes.
 * @return 0; -PMG_E_PARSE: not JSON, err names the byte; -PMG_E_LIMIT: nested too deep; what fn
 *         returned. After a failure nothing more may be fed.
 */
int pmg_jsonstrict_feed(struct pmg_jsonstrict *scan, const char *bytes, size_t len,
			struct pmg_err *err) PMG_MUST_CHECK;
/** There is nothing more. @return 0; -PMG_E_PARSE: the document has not ended */
int pmg_jsonstrict_finish(const struct pmg_jsonstrict *scan, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * The text that an item's bytes stand for.
 * @param[out] out  at least len + 1 bytes; NUL-terminated
 * @return its length; -PMG_E_PARSE: half a surrogate pair, or a NUL
 */
int pmg_jsonstrict_decode(const char *text, size_t len, char *out) PMG_MUST_CHECK;

/** Is it that text, to the byte and without an escape? */
bool pmg_jsonstrict_is(const struct pmg_jsonstrict_item *item, const char *text);
/**
 * Which of the keys that decide is it?
 * @param names  NULL-terminated
 * @return its index; -1: none of them; -PMG_E_PARSE (another number): one of them, written with an
 *         escape: nobody who means well does, and not every reader takes it for that key
 */
int pmg_jsonstrict_key(const struct pmg_jsonstrict_item *item,
		       const char *const *names) PMG_MUST_CHECK;
/**
 * The date that a string is, as pmg_clock_parse() reads it.
 * @return 0; -PMG_E_PARSE: it is no string, or no date
 */
int pmg_jsonstrict_date(const struct pmg_jsonstrict_item *item, int64_t *out) PMG_MUST_CHECK;

#endif
