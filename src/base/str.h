#ifndef PMG_BASE_STR_H
#define PMG_BASE_STR_H
/**
 * Text: a buffer that is born with its limit, and small questions about strings.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/* A growing byte buffer. s is NUL-terminated once anything was added, else NULL. */
struct pmg_str {
	char *s;
	size_t len; /* bytes, without the NUL */
	size_t cap;
	size_t max; /* len never exceeds it */
};

#define PMG_STR_INIT(limit)                                                                        \
	{                                                                                          \
		.max = (limit)                                                                     \
	}

void pmg_str_done(struct pmg_str *str); /* frees, keeps max: usable again */
PMG_DEFINE_AUTO_DONE(str, struct pmg_str, pmg_str_done);

/** Append. @return 0; -PMG_E_LIMIT past max, then nothing was added. */
int pmg_str_add(struct pmg_str *str, const void *bytes, size_t len) PMG_MUST_CHECK;
int pmg_str_adds(struct pmg_str *str, const char *s) PMG_MUST_CHECK;
int pmg_str_addf(struct pmg_str *str, const char *fmt, ...) PMG_MUST_CHECK PMG_PRINTF(2, 3);
/** Room for `room` more bytes at s + len; the caller then adds to len. @return as pmg_str_add */
int pmg_str_reserve(struct pmg_str *str, size_t room) PMG_MUST_CHECK;
/** Drop n bytes from the front. n <= len. */
void pmg_str_consume(struct pmg_str *str, size_t n);
void pmg_str_clear(struct pmg_str *str); /* len 0, memory kept */
/** Hand the text over, "" when nothing was added; the buffer is empty again. */
char *pmg_str_steal(struct pmg_str *str) PMG_MUST_CHECK;

bool pmg_streq(const char *a, const char *b); /* NULL equals only NULL */
bool pmg_str_has_prefix(const char *s, const char *prefix);
bool pmg_str_has_suffix(const char *s, const char *suffix);
bool pmg_str_has_prefix_nocase(const char *s, const char *prefix);

/**
 * Decimal number: digits only, no sign, no blank, nothing after it.
 * @return 0; -PMG_E_PARSE: not a number; -PMG_E_LIMIT: above max
 */
int pmg_parse_uint(const char *s, uint64_t max, uint64_t *out) PMG_MUST_CHECK;

/**
 * The word nearest to what was typed, for "did you mean".
 * @param words  NULL-terminated
 * @return one of words, or NULL when none is near: more edits than a third of the letters, plus one
 */
const char *pmg_str_nearest(const char *typed, const char *const *words);

/**
 * Make outside text safe for a terminal: control bytes and bytes that are not
 * UTF-8 become \xNN, the rest stays. Bidirectional overrides (U+202A..U+202E,
 * U+2066..U+2069) are escaped too, since they reorder what a person reads.
 * @return new text, at most max source bytes followed by "..." when cut
 */
char *pmg_str_quote(const char *s, size_t len, size_t max) PMG_MUST_CHECK;

/** One word of a POSIX shell that stands for exactly s, quoted where that is needed. */
char *pmg_str_shell(const char *s) PMG_MUST_CHECK;

/**
 * Length of the well-formed UTF-8 sequence (RFC 3629) that text begins with, 0 when it is none.
 * @param[out] cp  the code point; undefined when 0 is returned
 */
size_t pmg_utf8_len(const char *text, size_t left, uint32_t *cp) PMG_MUST_CHECK;

/** Base64 with padding (RFC 4648 section 4). */
char *pmg_base64(const void *bytes, size_t len) PMG_MUST_CHECK;
/** Read it: exactly n bytes, padded, and no bit set that means nothing, so that bytes have one
 * text.
 *  @return false: it is no such text; *out is undefined */
bool pmg_base64_read(const char *text, size_t len, unsigned char *out, size_t n) PMG_MUST_CHECK;
/** Lower-case hexadecimal. */
char *pmg_hex(const void *bytes, size_t len) PMG_MUST_CHECK;
/** Compare secrets without telling by time where they differ. */
bool pmg_equal_secret(const void *a, const void *b, size_t len);

#endif
