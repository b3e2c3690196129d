#ifndef PMG_VIOLATION_FIELDS_PRIV_H
#define PMG_VIOLATION_FIELDS_PRIV_H
/** Messages as tables of their fields: wire.c has one a message, event.c that of an event. */
#include <stddef.h>

#include "base/err.h"

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

/* One field of a message: the JSON key is the name of the member. The last row has no key. */
struct pmg_field {
	enum pmg_field_kind kind;
	const char *key;
	size_t offset;
	size_t max; /* bytes of a text, elements of a list; of an INT, 0 for INT_MAX */
};

struct json_t *pmg_fields_encode(const struct pmg_field *field, const void *from) PMG_MUST_CHECK;
/** @param fresh  a zeroed message of `size` bytes; *out is only written when all is well
 *  @return 0 or -PMG_E_PEER naming the field */
int pmg_fields_decode(const struct pmg_field *fields, const struct json_t *body, void *fresh,
		      size_t size, void *out, struct pmg_err *err) PMG_MUST_CHECK;
/** The same, but keys that no field has are left where they are. */
int pmg_fields_pick(const struct pmg_field *fields, const struct json_t *body, void *fresh,
		    size_t size, void *out, struct pmg_err *err) PMG_MUST_CHECK;
void pmg_fields_done(const struct pmg_field *field, void *what);
/** @return -PMG_E_PEER: message field "key" what */
int pmg_fields_wrong(struct pmg_err *err, const char *key, const char *what) PMG_MUST_CHECK;

#endif
