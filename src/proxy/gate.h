#ifndef PMG_PROXY_GATE_H
#define PMG_PROXY_GATE_H
/**
 * May a request go out? Every reading of an artifact's address is put to the
 * judge; one that is not allowed, or cannot be judged, stops it: fail closed.
 */
#include "proxy/catalog.h"
#include "proxy/report.h"
#include "verdict/traits.h"

/* What a client is told that is not let through. */
struct pmg_refusal {
	int status;
	enum pmg_eco eco;
	char reason[128]; /* reason phrase: pip and pnpm print it. Printable ASCII */
	char text[1024];  /* one line: package, version, why, ids. npm prints it */
};

struct pmg_gate {
	struct pmg_judge *judge;           /* borrowed */
	struct pmg_report *report;         /* borrowed */
	const struct pmg_catalog *catalog; /* borrowed: which registries are private */
};

/**
 * Is there anything against an artifact that has nothing to do with its age? This is asked first:
 * of what is refused so no registry is asked, not even for its date. A refusal is reported.
 * @param[out] out  filled when the answer is true
 */
bool pmg_gate_bars(const struct pmg_gate *gate, const struct pmg_asked *asked,
		   const struct pmg_url *url, struct pmg_refusal *out);
/**
 * May a request go out? An artifact is judged by asked->published too. The outcome is reported; of
 * one with asked->is_inspected only a refusal, since pmg_gate_release() or pmg_gate_passed()
 * follows.
 * @param[in,out] asked  gets the waivers that were used
 * @param[out] out  filled when the answer is false
 */
bool pmg_gate_admit(const struct pmg_gate *gate, struct pmg_asked *asked, const struct pmg_url *url,
		    struct pmg_refusal *out);

/* What is known of an artifact when all of it has come. All borrowed. */
struct pmg_gate_artifact {
	const struct pmg_traits *findings;
	const struct pmg_strv *others;        /* name, version, name, ...: what else it says inside
					       * to be; NULL */
	const unsigned char *sha256, *sha512; /* NULL: not computed */
	uint32_t block, report;               /* bits of conf/trait.h */
	const char *failed;                   /* why it could not be looked into; NULL */
};

/**
 * An artifact that pmg_gate_admit() let in was looked into: may its end, which is held back, go on?
 * Reported in either case.
 * @param[out] out  filled when the answer is false
 */
bool pmg_gate_release(const struct pmg_gate *gate, const struct pmg_asked *asked,
		      const struct pmg_url *url, const struct pmg_gate_artifact *artifact,
		      struct pmg_refusal *out);
/** Report an admitted artifact as let through whose end was never seen: client or upstream left. */
void pmg_gate_passed(const struct pmg_gate *gate, const struct pmg_asked *asked,
		     const struct pmg_url *url);

#endif
