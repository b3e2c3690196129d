#ifndef PMG_CONF_KEYS_H
#define PMG_CONF_KEYS_H
/**
 * YAML keys as rows: a table says which keys a mapping may have, of what kind
 * each is and where its value goes, and one loop reads them. Every other key
 * is an error that names its line and the nearest key that is known.
 */
#include <stddef.h>
#include <stdint.h>

#include "conf/yaml.h"

enum pmg_key_kind {
	PMG_KEY_STR,      /* char *: any scalar but an empty plain one; max bytes */
	PMG_KEY_BOOL,     /* bool: exactly true or false, without quotes */
	PMG_KEY_UINT,     /* uint64_t: digits; at most max */
	PMG_KEY_DURATION, /* uint64_t, seconds: "36h"; at most max */
	PMG_KEY_SIZE,     /* uint64_t, bytes: "256M"; at most max */
	PMG_KEY_ENUM,     /* int: index of one of words */
	PMG_KEY_STRV,     /* struct pmg_strv: a list of texts; at most max of them */
	PMG_KEY_MAP,      /* a mapping with rows of its own, into the same struct */
	PMG_KEY_LIST,     /* a list; read() is called for each item; at most max of them */
	PMG_KEY_CALL,     /* read() is called once with the value, whatever it is */
	PMG_KEY_LATER     /* known to the format, not to this version: an error that says so */
};

#define PMG_KEY_REQUIRED 1U

struct pmg_key {
	const char *name;
	enum pmg_key_kind kind;
	unsigned flags;
	size_t offset; /* of the member that the kind names; for LIST and CALL read()'s business */
	uint64_t max;  /* 0: the kind's own limit */
	const char *const *words;   /* ENUM: NULL-terminated */
	const struct pmg_key *rows; /* MAP: ends with a row without name */
	/** @param out  the struct, not the member. @return 0 or what pmg_yaml_err() returns */
	int (*read)(const struct pmg_yaml *value, void *out, struct pmg_err *err);
};

/**
 * Read a mapping into a struct. Members whose key is not there keep what they
 * were. A char * is freed and replaced, a pmg_strv emptied first.
 * @param rows  ends with a row without name
 * @param node  must be a mapping, else it is an error
 * @param[in,out] out  on failure some members may be set: the caller's *_done() frees them
 * @return 0; -PMG_E_CONFIG with file:line:column
 */
int pmg_keys_read(const struct pmg_key *rows, const struct pmg_yaml *node, void *out,
		  struct pmg_err *err) PMG_MUST_CHECK;

/* Every error of a document, for lint. */
struct pmg_keys_errors {
	struct pmg_err *v; /* each as pmg_keys_read() would have given it */
	size_t n, cap;
};
void pmg_keys_errors_done(struct pmg_keys_errors *errors);
PMG_DEFINE_AUTO_DONE(keys_errors, struct pmg_keys_errors, pmg_keys_errors_done);

#define PMG_KEYS_ERRORS_MAX 1000U /* then the rest is not looked at */

/**
 * The same, going on after what is wrong. The struct holds what is right.
 * @param[out] errors  added to, in the order of the document, missing keys behind
 */
void pmg_keys_read_all(const struct pmg_key *rows, const struct pmg_yaml *node, void *out,
		       struct pmg_keys_errors *errors);

#endif
