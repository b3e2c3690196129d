#ifndef PMG_CONF_YAML_H
#define PMG_CONF_YAML_H
/**
 * Strict YAML for pmg's own files. A document becomes a tree of nodes, each
 * with the place it was written at. Refused, each with path:line:column:
 * a key that is there twice (two readers could disagree on which counts),
 * anchors, aliases and tags (a few lines can grow to gigabytes), a second
 * document, keys that are not text, control bytes, and more than the limits
 * below. Scalars stay text: "1.10" is never a number here.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

#define PMG_YAML_TEXT_MAX  8388608U /* bytes of a file */
#define PMG_YAML_NODES_MAX 262144U
#define PMG_YAML_DEPTH_MAX 32U
#define PMG_YAML_KEYS_MAX  1024U /* of one mapping */

enum pmg_yaml_kind { PMG_YAML_SCALAR, PMG_YAML_MAP, PMG_YAML_SEQ };

/* A node; the root owns all below it. Everything is read-only for users. */
struct pmg_yaml {
	enum pmg_yaml_kind kind;
	bool quoted; /* scalar: written in quotes or as a block; then it is text for sure */
	unsigned line, column; /* of the value, from 1 */
	char *text;            /* scalar: UTF-8 without NUL; else NULL */
	char *key;             /* when the parent is a mapping; else NULL */
	unsigned key_line, key_column;
	size_t n; /* children of a mapping or sequence */
	struct pmg_yaml *first;
	struct pmg_yaml *next;         /* sibling, in the order written */
	const struct pmg_yaml *parent; /* NULL for the root */
	const char *file;              /* as given to pmg_yaml_parse(); the root owns it */
};

void pmg_yaml_free(struct pmg_yaml *root);
PMG_DEFINE_AUTO(yaml, struct pmg_yaml *, pmg_yaml_free);

/* Children in the order written; none for a scalar. */
#define pmg_yaml_each(node, it) for (const struct pmg_yaml *it = (node)->first; it; it = (it)->next)

/**
 * @param file  for messages: the path
 * @param text  len bytes of UTF-8; a byte order mark is skipped
 * @param[out] out  the root; an empty text gives an empty mapping
 * @return 0; -PMG_E_CONFIG with file:line:column, -PMG_E_LIMIT likewise
 */
int pmg_yaml_parse(const char *file, const char *text, size_t len, struct pmg_yaml **out,
		   struct pmg_err *err) PMG_MUST_CHECK;

/** Value of a key; NULL when it is not there or node is no mapping. Borrowed. */
const struct pmg_yaml *pmg_yaml_get(const struct pmg_yaml *node, const char *key);
/** Text of a scalar below key, NULL when there is none. Borrowed. */
const char *pmg_yaml_str(const struct pmg_yaml *node, const char *key);
/** An empty value, "~" or "null" outside quotes. */
bool pmg_yaml_is_null(const struct pmg_yaml *node);
/** Where it stands in the document: "ledger.retention", "block[2].name"; "" for the root. */
char *pmg_yaml_where(const struct pmg_yaml *node) PMG_MUST_CHECK;

/** An error at a node's value: "file:line:column: ...". @return -PMG_E_CONFIG */
int pmg_yaml_err(struct pmg_err *err, const struct pmg_yaml *node, const char *fmt, ...)
	PMG_PRINTF(3, 4);
/** The same at its key. The node must have one. */
int pmg_yaml_key_err(struct pmg_err *err, const struct pmg_yaml *node, const char *fmt, ...)
	PMG_PRINTF(3, 4);

/**
 * Text as a double-quoted scalar that every YAML reader gives back unchanged,
 * on one line. Bytes that are not UTF-8 cannot stand in YAML: they become the
 * four characters \xNN.
 */
char *pmg_yaml_quote(const char *text) PMG_MUST_CHECK;

#endif
