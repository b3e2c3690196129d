#ifndef PMG_BASE_JSON_H
#define PMG_BASE_JSON_H
/**
 * Small JSON documents over jansson, which only this folder includes.
 * Values are `struct json_t`; getters borrow, builders take what they are given.
 * Not for packuments: those are read as they stream (proxy/).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/strv.h"

struct json_t;

void pmg_json_free(struct json_t *json); /* drops one reference; NULL is fine */
PMG_DEFINE_AUTO(json, struct json_t *, pmg_json_free);

/**
 * Parse a whole text. Duplicate keys are refused (two readers could disagree
 * on which counts), any value may be at the top, depth is limited to 2,048.
 * @param name  for messages: path or URL
 * @return 0; -PMG_E_PARSE with name:line:column
 */
int pmg_json_parse(const char *name, const char *text, size_t len, struct json_t **out,
		   struct pmg_err *err) PMG_MUST_CHECK;

/**
 * The same as a tool in JavaScript reads it, which is what counts for its own files: a byte order
 * mark is passed over, and of a key that stands twice the last one counts.
 */
int pmg_json_parse_as_js(const char *name, const char *text, size_t len, struct json_t **out,
			 struct pmg_err *err) PMG_MUST_CHECK;

/* Getters: the default (NULL, 0, false) when key is absent or of another type; obj may be NULL. */
const char *pmg_json_str(const struct json_t *obj, const char *key);
int64_t pmg_json_int(const struct json_t *obj, const char *key);
bool pmg_json_bool(const struct json_t *obj, const char *key);
const struct json_t *pmg_json_get(const struct json_t *obj, const char *key);
const char *pmg_json_text(const struct json_t *value); /* of a string value */
bool pmg_json_is_object(const struct json_t *value);
bool pmg_json_is_array(const struct json_t *value);
bool pmg_json_is_int(const struct json_t *value);
bool pmg_json_is_bool(const struct json_t *value);
bool pmg_json_is_null(const struct json_t *value);

size_t pmg_json_len(const struct json_t *array); /* 0 when no array */
const struct json_t *pmg_json_at(const struct json_t *array, size_t i);

/* Walk an object: for (it = first; it; it = next). key and value are borrowed. */
void *pmg_json_iter(const struct json_t *obj);
void *pmg_json_iter_next(const struct json_t *obj, void *iter);
const char *pmg_json_iter_key(void *iter);
const struct json_t *pmg_json_iter_value(void *iter);
#define pmg_json_object_each(obj, it)                                                              \
	for (void *it = pmg_json_iter(obj); it; it = pmg_json_iter_next(obj, it))

/* Builders. Bytes that are not UTF-8 are written as \xNN; a NULL text sets nothing. */
struct json_t *pmg_json_object(void) PMG_MUST_CHECK;
struct json_t *pmg_json_array(void) PMG_MUST_CHECK;
void pmg_json_set_str(struct json_t *obj, const char *key, const char *text);
void pmg_json_set_int(struct json_t *obj, const char *key, int64_t n);
/** JSON's integers end at INT64_MAX here: a count above it is written as that. */
void pmg_json_set_count(struct json_t *obj, const char *key, uint64_t n);
void pmg_json_set_bool(struct json_t *obj, const char *key, bool b);
void pmg_json_set(struct json_t *obj, const char *key, struct json_t *taken);
void pmg_json_add(struct json_t *array, struct json_t *taken);
void pmg_json_add_str(struct json_t *array, const char *text);
/** An array of texts. */
struct json_t *pmg_json_strv(const struct pmg_strv *list) PMG_MUST_CHECK;

/** One line, keys in the order they were set. Caller frees. */
char *pmg_json_dump(const struct json_t *json) PMG_MUST_CHECK;

#endif
