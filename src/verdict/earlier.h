#ifndef PMG_VERDICT_EARLIER_H
#define PMG_VERDICT_EARLIER_H
/**
 * What the versions of a package had in them that this machine has seen, so that what is new in a
 * later one can be told: an install script, a program. There is one line for each file that was let
 * in from a registry; the front keeps them from one run to the next (run/learned.h):
 *
 *   eco name form version contents [day]
 *
 * form: "wheel", or "source" for what is anything else, as the files of one version differ.
 * contents: letters of the kinds that it has, "-" for none, and "." with a checksum of its install
 * scripts. A line that says something else is passed over: it only costs that nothing is told.
 */
#include <stdbool.h>

#include "pm/pm.h"
#include "verdict/traits.h"

#define PMG_EARLIER_MAX 8192U /* lines that are kept for the next run, and of the file */

struct pmg_earlier;
/** @param text  taken; of the file that an earlier run left. NULL: there is none */
struct pmg_earlier *pmg_earlier_new(char *text) PMG_MUST_CHECK;
void pmg_earlier_free(struct pmg_earlier *earlier);
PMG_DEFINE_AUTO(earlier, struct pmg_earlier *, pmg_earlier_free);

/* One file of one version. All borrowed. */
struct pmg_earlier_file {
	enum pmg_eco eco;
	const char *name, *version;
	bool is_wheel;
};

/** Add to what was found in a file what the next lower version that was seen did not have, or had
 *  other install scripts for: PMG_TRAIT_NEW_*. */
void pmg_earlier_compare(struct pmg_earlier *earlier, const struct pmg_earlier_file *file,
			 struct pmg_traits *findings);
/** It was let in, and all of it was seen. */
void pmg_earlier_keep(struct pmg_earlier *earlier, const struct pmg_earlier_file *file,
		      const struct pmg_traits *findings);
/** Lines for the next run, without a day. Borrowed. */
const struct pmg_strv *pmg_earlier_kept(const struct pmg_earlier *earlier);

#endif
