#ifndef PMG_VERDICT_TARPAX_H
#define PMG_VERDICT_TARPAX_H
/**
 * The records of a pax header ("LEN KEY=VALUE\n"), read as they come: what they say of the entry
 * behind them that matters for where the next header is and whose body comes, and whether all
 * readers of them agree. Some go by LEN, some by the line's end; some take any key for a property.
 *
 * Source: POSIX.1-2017, pax, "pax Extended Header".
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMG_TARPAX_KEY 32U /* bytes of a key that are looked at */

/* Of the entry that is to come. */
struct pmg_tarpax_told {
	bool has_path, has_target, has_size;
	char last; /* byte of the path */
	uint64_t size;
};

/* All zeros before the first byte of a header, but is_global. */
struct pmg_tarpax {
	bool is_global; /* for all entries behind it */
	enum { PMG_TARPAX_LEN, PMG_TARPAX_NAME, PMG_TARPAX_VALUE } at;
	size_t left; /* bytes of the record; or its length, as far as it was read */
	size_t digits;
	char key[PMG_TARPAX_KEY];
	size_t n_key, n_value;
	bool has_dot;     /* the key: it is of some vendor's */
	bool is_new_line; /* the value's last byte is one */
};

/** @return NULL; else in what readers differ, and no more is to be fed */
const char *pmg_tarpax_feed(struct pmg_tarpax *pax, const unsigned char *bytes, size_t len,
			    struct pmg_tarpax_told *told);
/** That was all of it. */
const char *pmg_tarpax_end(const struct pmg_tarpax *pax);

#endif
