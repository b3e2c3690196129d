#ifndef PMG_PM_ENCODING_H
#define PMG_PM_ENCODING_H
/** Texts of Python's tools that are no UTF-8. */
#include <stddef.h>

#include "base/mem.h"

/**
 * UTF-16 and UTF-32 by their byte order mark, as pip and uv read requirements files, made UTF-8.
 * What is no character becomes U+FFFD.
 * @param[out] out_len  of the result
 * @return caller frees; NULL: the text has no such mark
 */
char *pmg_encoding_plain(const char *text, size_t len, size_t *out_len) PMG_MUST_CHECK;

/**
 * What a comment "coding: NAME" in the first two lines declares, where pip would then read other
 * characters than those of ASCII in ASCII's bytes, or nobody can tell.
 * @return caller frees; NULL: none, or one that leaves them be
 */
char *pmg_encoding_odd(const char *text, size_t len) PMG_MUST_CHECK;

#endif
