#ifndef PMG_VERDICT_JUDGE_PRIV_H
#define PMG_VERDICT_JUDGE_PRIV_H
/** The judge from the inside: judge.c opens and fills it, decide.c answers. */
#include "verdict/blocklist.h"
#include "verdict/index.h"
#include "verdict/judge.h"
#include "verdict/waivers.h"

struct pmg_judge {
	struct pmg_index *index; /* NULL: there is none */
	int64_t checked;         /* of the index: pmg_index_info */
	struct pmg_blocklist blocklist;
	struct pmg_blocklist managed;
	struct pmg_waivers *waivers; /* never NULL once it is open */
};

#endif
