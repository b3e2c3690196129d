#ifndef PMG_CONF_TOML_H
#define PMG_CONF_TOML_H
/**
 * Other tools' TOML (toml.io, 1.0 and 1.1), read as tolerantly as the most
 * tolerant of their readers: what pmg refused to read but the tool took would
 * be a way round pmg. A document becomes a tree of nodes that know their line.
 * What is no TOML is passed over up to the end of its line, and the rest counts.
 * So do a key that is there twice, a table that is opened again, a missing or a
 * spare comma, an unknown escape (kept as written) and line ends within braces.
 * Numbers, dates and booleans stay text. Text is bytes: nobody looks whether it
 * is UTF-8; a NUL in a string becomes U+FFFD.
 */
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

#define PMG_TOML_TEXT_MAX  33554432U /* bytes of a file: lockfiles are large */
#define PMG_TOML_NODES_MAX 1048576U
#define PMG_TOML_DEPTH_MAX 32U
#define PMG_TOML_KEYS_MAX  4096U /* of one table */

enum pmg_toml_kind {
	PMG_TOML_STRING, /* written in quotes, of any of the four kinds */
	PMG_TOML_WORD,   /* number, date, true, false: as written */
	PMG_TOML_TABLE,
	PMG_TOML_ARRAY /* of tables too */
};

/* A node; the root, a table, owns all below it. Everything is read-only for users. */
struct pmg_toml {
	enum pmg_toml_kind kind;
	unsigned line; /* of its key, of the value where it has none; from 1 */
	char *text;    /* string, word; else NULL */
	char *key;     /* when the parent is a table; else NULL */
	size_t n;      /* children of a table or array */
	struct pmg_toml *first, *last;
	struct pmg_toml *next;   /* sibling, in the order written */
	struct pmg_toml *parent; /* NULL for the root */
};

void pmg_toml_free(struct pmg_toml *root);
PMG_DEFINE_AUTO(toml, struct pmg_toml *, pmg_toml_free);

/**
 * @param file  for messages
 * @param[out] out  the root; untouched on failure
 * @return how many places were passed over (0: none); -PMG_E_LIMIT with file:line
 */
int pmg_toml_parse(const char *file, const char *text, size_t len, struct pmg_toml **out,
		   struct pmg_err *err) PMG_MUST_CHECK;

/* Children in the order written; none for NULL, a string or a word. */
#define pmg_toml_each(node, it)                                                                    \
	for (const struct pmg_toml *it = (node) ? (node)->first : NULL; it; it = (it)->next)

/**
 * Value of a key, the last one where it is there twice. NULL when it is not
 * there, or node is no table or NULL; so calls can be nested. Borrowed.
 */
const struct pmg_toml *pmg_toml_get(const struct pmg_toml *node, const char *key);
/** What a path of keys with dots between ("tool.uv") leads to, else NULL. Borrowed. */
const struct pmg_toml *pmg_toml_at(const struct pmg_toml *node, const char *path);
/** Text of a string or word below key, NULL when there is none. Borrowed. */
const char *pmg_toml_str(const struct pmg_toml *node, const char *key);

#endif
