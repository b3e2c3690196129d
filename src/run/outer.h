#ifndef PMG_RUN_OUTER_H
#define PMG_RUN_OUTER_H
/**
 * A pmg inside a guarded run: "npm run x" whose script calls npm again. The
 * outer run leaves its folder's path in PMG_RUN and in the folder a note of
 * its proxy and of all registries and artifacts that it knows. The inner pmg
 * uses that proxy when the outer run is alive and knows everything that the
 * inner tool would fetch from; else it starts a guard of its own, behind the
 * outer proxy. Either way its tool is pointed at a proxy of pmg: what stands in
 * PMG_RUN cannot make a run unguarded.
 *
 * Within walls the inner pmg adds nothing: they hold for whatever it starts, and
 * its own configuration lies behind them. That we are within is not believed
 * from the note: it is tried (sandbox/inside.h).
 */
#include <stdbool.h>

#include "base/strv.h"
#include "pm/pm.h"
#include "run/folder.h"

#define PMG_OUTER_BUNDLE "bundle.pem"
#define PMG_OUTER_NOTE   "run"

struct pmg_outer {
	char *proxy;            /* address with token */
	char *bundle;           /* path */
	char *extra;            /* path (run/certs.h) */
	bool walls;             /* that run has walls, and we are within them */
	struct pmg_strv covers; /* sorted */
};

void pmg_outer_done(struct pmg_outer *outer);
PMG_DEFINE_AUTO_DONE(outer, struct pmg_outer, pmg_outer_done);

/** Write the note into the folder. @param walls  the run has them. @return 0 or -PMG_E_SYS */
int pmg_outer_write(const struct pmg_folder *folder, const char *proxy, bool walls,
		    const struct pmg_facts *facts, struct pmg_err *err) PMG_MUST_CHECK;

/** Is there a living run around us? Whatever is odd is a no. @param[out] out  zeroed before */
bool pmg_outer_find(const struct pmg_strv *env, struct pmg_outer *out);

/** Does the outer proxy know every registry and artifact of facts, in the same way? */
bool pmg_outer_covers(const struct pmg_outer *outer, const struct pmg_facts *facts);

#endif
