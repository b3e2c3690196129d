#include "verdict/digest.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* The strongest first. */
static const struct {
	enum pmg_digest_alg alg;
	const char *prefix;
	size_t len;
} algs[] = {
	{ PMG_DIGEST_SHA512, "sha512-", 64 },
	{ PMG_DIGEST_SHA256, "sha256-", 32 },
};

size_t pmg_digest_len(enum pmg_digest_alg alg)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(algs); i++)
		if (algs[i].alg == alg)
			return algs[i].len;
	return 0;
}

/* @return the digit's value, or -1 */
static int digit(const char *digits, char c)
{
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static int lower(char c)
{
	return digit("0123456789abcdef", c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c);
}

int pmg_digest_hex(enum pmg_digest_alg alg, const char *text, struct pmg_digest *out,
		   struct pmg_err *err)
{
	struct pmg_digest digest = { .alg = alg };
	size_t i, n = pmg_digest_len(alg);
	int high, low;

	if (n == 0 || strlen(text) != 2 * n)
		return pmg_err_set(err, PMG_E_PARSE, 0, "a digest of %zu digits, not of %zu",
				   strlen(text), 2 * n);
	for (i = 0; i < n; i++) {
		high = lower(text[2 * i]);
		low = lower(text[2 * i + 1]);
		if (high < 0 || low < 0)
			return pmg_err_set(err, PMG_E_PARSE, 0, "a digest is not hexadecimal");
		digest.bytes[i] = (unsigned char)(high * 16 + low);
	}
	*out = digest;
	return 0;
}

/* The first word of this algorithm. @return 1: there is one; 0: none; -PMG_E_PARSE */
static int read_word(const char *text, size_t i, struct pmg_digest *out, struct pmg_err *err)
{
	static const char blanks[] = " \t\r\n\f";
	size_t prefix = strlen(algs[i].prefix), len;

	for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
		len = strcspn(text, blanks);
		if (pmg_str_has_prefix(text, algs[i].prefix)) {
			size_t word = strcspn(text, " \t\r\n\f?") - prefix;

			out->alg = algs[i].alg;
			if (pmg_base64_read(text + prefix, word, out->bytes, algs[i].len))
				return 1;
			return pmg_err_set(err, PMG_E_PARSE, 0, "a digest %.6s is not base64",
					   algs[i].prefix);
		}
		text += len;
	}
	return 0;
}

int pmg_digest_sri(const char *text, struct pmg_digest *out, struct pmg_err *err)
{
	struct pmg_digest digest = { 0 };
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < PMG_ARRAY_LEN(algs); i++)
		r = read_word(text, i, &digest, err);
	if (r < 0)
		return r;
	if (r == 0)
		return pmg_err_set(err, PMG_E_NOTFOUND, 0, "neither sha512 nor sha256");
	*out = digest;
	return 0;
}
