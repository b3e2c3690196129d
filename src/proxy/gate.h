#ifndef PMG_PROXY_GATE_H
#define PMG_PROXY_GATE_H
/**
 * May a request go out? Every reading of an artifact's address is put to the
 * judge; one that is not allowed, or cannot be judged, stops it: fail closed.
 */
#include "proxy/catalog.h"
#include "proxy/report.h"

/* What a client is told that is not let through. */
struct pmg_refusal {
	int status;
	enum pmg_eco eco;
	char reason[128]; /* reason phrase: pip and pnpm print it. Printable ASCII */
	char text[1024];  /* one line: package, version, why, ids. npm prints it */
};

struct pmg_gate {
	struct pmg_judge *judge;   /* borrowed */
	struct pmg_report *report; /* borrowed */
};

/**
 * Judge and report.
 * @param[out] out  filled when the answer is false
 */
bool pmg_gate_admit(const struct pmg_gate *gate, const struct pmg_asked *asked,
		    const struct pmg_url *url, struct pmg_refusal *out);

#endif
