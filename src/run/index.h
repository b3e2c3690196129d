#ifndef PMG_RUN_INDEX_H
#define PMG_RUN_INDEX_H
/** Is there an index of known malware, is it young enough, and what does a run do if not? */
#include "base/strv.h"
#include "conf/config.h"
#include "conf/managed.h"
#include "violation/wire.h"

struct pmg_run_index {
	enum pmg_index_state state;
	int64_t checked; /* when it was last known to be what its feeds had */
};

/**
 * @param ready  what the proxy has found
 * @param env    the user's: CI counts
 * @param[out] out  always filled
 * @return 0: the run may go on; -PMG_E_UNSUPPORTED with PMG3007
 */
int pmg_run_index_check(const struct pmg_config *config, const struct pmg_managed *managed,
			const struct pmg_strv *env, const struct pmg_wire_ready *ready,
			struct pmg_run_index *out, struct pmg_err *err) PMG_MUST_CHECK;

/** What to tell the user, NULL: nothing. Caller frees. */
char *pmg_run_index_note(const struct pmg_config *config,
			 const struct pmg_run_index *index) PMG_MUST_CHECK;

#endif
