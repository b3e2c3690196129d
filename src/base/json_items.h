#ifndef PMG_BASE_JSON_ITEMS_H
#define PMG_BASE_JSON_ITEMS_H
/**
 * The items of a JSON array, or the members of an object, one after the other:
 * a tree of all of it can take eighty times the size of the text. What an item
 * holds is not looked at here: pmg_json_parse() tells whether it is JSON, also
 * of a key, and that no key stands twice is for the caller to see.
 */
#include "base/json.h"

struct pmg_json_items {
	const char *name, *text, *at, *end; /* borrowed */
	char close;                         /* what ends it: "]" or "}" */
	bool begun;
};

/* All borrowed from the text. */
struct pmg_json_item {
	const char *key; /* with its quotes; NULL in an array */
	size_t key_len;
	const char *value;
	size_t len;
};

/**
 * @param name  for messages
 * @param[out] out  borrows name and text
 * @return 0; -PMG_E_PARSE: the text is neither an array nor an object
 */
int pmg_json_items_open(const char *name, const char *text, size_t len, struct pmg_json_items *out,
			struct pmg_err *err) PMG_MUST_CHECK;
/** @return 1; 0: that was all, and nothing stands behind it; -PMG_E_PARSE with name:line */
int pmg_json_items_next(struct pmg_json_items *items, struct pmg_json_item *out,
			struct pmg_err *err) PMG_MUST_CHECK;

#endif
