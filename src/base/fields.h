#ifndef PMG_BASE_FIELDS_H
#define PMG_BASE_FIELDS_H
/**
 * Structs as JSON objects and back, by tables of their fields: what processes of pmg say to each
 * other. Read strictly: two builds of pmg must not half understand each other.
 */
#include <stddef.h>

#include "base/err.h"

#define PMG_FIELD_ITEM_MAX 4096U /* bytes of one element of a list */

struct json_t;

enum pmg_field_kind {
	PMG_FIELD_TEXT,  /* char *, must be there */
	PMG_FIELD_MAYBE, /* char *, NULL when it is not there */
	PMG_FIELD_LIST,  /* struct pmg_strv */
	PMG_FIELD_BOOL,
	PMG_FIELD_INT,  /* int, not negative */
	PMG_FIELD_TIME, /* int64_t, not negative */
	PMG_FIELD_COUNT /* uint64_t */
};

/* One field: the JSON key is the name of the member. The last row has no key. */
struct pmg_field {
	enum pmg_field_kind kind;
	const char *key;
	size_t offset;
	size_t max; /* bytes of a text, elements of a list; of an INT, 0 for INT_MAX */
};

/** @param from  the struct. Caller frees */
struct json_t *pmg_fields_encode(const struct pmg_field *fields, const void *from) PMG_MUST_CHECK;
/**
 * The other way: a field that is missing, unknown, of another type or too large is an error.
 * @param fresh  a zeroed struct of `size` bytes, to be read into; emptied on failure
 * @param[out] out  gets what was read; as it was on failure
 * @return 0 or -PMG_E_PEER, naming the field
 */
int pmg_fields_decode(const struct pmg_field *fields, const struct json_t *body, void *fresh,
		      size_t size, void *out, struct pmg_err *err) PMG_MUST_CHECK;
/** The same, but keys that no field has are passed over. */
int pmg_fields_pick(const struct pmg_field *fields, const struct json_t *body, void *fresh,
		    size_t size, void *out, struct pmg_err *err) PMG_MUST_CHECK;
/** Free the texts and lists of a struct. */
void pmg_fields_done(const struct pmg_field *fields, void *what);
/** @return -PMG_E_PEER: "message field KEY", and what is wrong with it */
int pmg_fields_wrong(struct pmg_err *err, const char *key, const char *what) PMG_MUST_CHECK;

#endif
