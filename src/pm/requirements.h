#ifndef PMG_PM_REQUIREMENTS_H
#define PMG_PM_REQUIREMENTS_H
/**
 * Requirements files of pip, as its documentation "Requirements File Format"
 * and PEP 508 have them, read for what they say about where packages come
 * from. Lines that say nothing about that are passed over.
 */
#include <stddef.h>

#include "base/strv.h"

struct pmg_requirement {
	const char *option; /* "index-url", "requirement", "editable" ...; NULL for a requirement */
	const char *name;   /* of a requirement with an address; NULL when it has none */
	const char *value;  /* of the option; address or path of the requirement */
	unsigned line;
};

/** @return 0 to go on, else the reading ends and gives it back */
typedef int pmg_requirements_fn(void *ctx, const struct pmg_requirement *requirement);

/**
 * Lines end where Python ends them: at LF, CR, VT, FF, FS, GS, RS, U+0085, U+2028 and U+2029. A
 * backslash at the end joins the next one, but not that of a comment, which " #" begins, ${NAME}
 * (capitals, digits, "_") is replaced when it is set. UTF-16 and UTF-32 are read by their mark.
 * @param env  borrowed
 * @return 0 or what fn returned
 */
int pmg_requirements_parse(const char *text, size_t len, const struct pmg_strv *env,
			   pmg_requirements_fn *fn, void *ctx) PMG_MUST_CHECK;

/* A line that asks for one version exactly, "name==1.0". */
struct pmg_pin {
	const char *name;
	const char *version;
	const char *hashes; /* "sha256:HEX sha512:HEX" of --hash; NULL: none */
	unsigned line;
};
/** @return 0 to go on, else the reading ends and gives it back */
typedef int pmg_pin_fn(void *ctx, const struct pmg_pin *pin);
/** Lines as pmg_requirements_parse() has them. @return 0 or what fn returned */
int pmg_requirements_pins(const char *text, size_t len, const struct pmg_strv *env, pmg_pin_fn *fn,
			  void *ctx) PMG_MUST_CHECK;

/**
 * Addresses of archives (.whl, .tar.gz, .zip, ...) anywhere in a text that is
 * not read further: pyproject.toml, pylock.toml, a script with inline
 * metadata. "NAME @ " before an address is its name.
 * @return 0 or what fn returned
 */
int pmg_requirements_scan(const char *text, size_t len, pmg_requirements_fn *fn,
			  void *ctx) PMG_MUST_CHECK;

/** One word of a command line or line of a file: "NAME @ ADDRESS", an address or a path. */
int pmg_requirements_word(const char *word, unsigned line, pmg_requirements_fn *fn,
			  void *ctx) PMG_MUST_CHECK;

#endif
