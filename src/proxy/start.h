#ifndef PMG_PROXY_START_H
#define PMG_PROXY_START_H
/**
 * How pmg-proxy begins: hear from the front what there is, load all that is on
 * disk, hand out the CA bundle, and lock itself in. After that no file can be
 * opened that is not named here, and nothing of the network was touched yet.
 */
#include "net/route.h"
#include "proxy/artifact.h"
#include "proxy/catalog.h"
#include "proxy/hosts.h"
#include "tls/bundle.h"
#include "tls/ca.h"
#include "verdict/judge.h"
#include "violation/wire.h"

#define PMG_START_CACHE_MAX 262144U /* bytes of the file of artifact hosts learned earlier */

#define PMG_START_DATES_MAX    2097152U /* of the file of dates learned earlier */
#define PMG_START_CONTENTS_MAX 1048576U /* of the file of what versions had in them */

/* What serving needs. Begins as PMG_START_INIT. */
struct pmg_start {
	struct pmg_wire_start wire; /* as the front sent it */
	struct pmg_catalog *catalog;
	struct pmg_str packages;  /* policy on packages, in the pieces that came */
	struct pmg_hosts *hosts;  /* rules of the network; asked only within walls */
	struct pmg_strv kinds;    /* of the listeners that LISTEN brought */
	struct pmg_msg listeners; /* their descriptors; n_fds 0: none came */
	struct pmg_route *route;
	struct pmg_bundle *bundle;
	struct pmg_ca *ca;
	struct pmg_judge *judge;
	struct pmg_artifact_policy artifacts;
	char *dates;                 /* text of START.dates_path; NULL: none */
	struct pmg_earlier *earlier; /* of START.contents_path */
	int spool_fd;                /* pmg_spool_open(); taken by the server. -1: none */
};

#define PMG_START_INIT                                                                             \
	{                                                                                          \
		.spool_fd = -1                                                                     \
	}

void pmg_start_done(struct pmg_start *start);
PMG_DEFINE_AUTO_DONE(start, struct pmg_start, pmg_start_done);

/** What depends on no message, while the front still learns what to say: libraries, the system's
 * roots, the authority of this run. @return 0 or -PMG_E_... */
int pmg_start_prepare(struct pmg_start *start, struct pmg_err *err) PMG_MUST_CHECK;

/** Read REGISTRY* SOURCE* NETRULE* PACKAGES* [LISTEN] START, all of them even when one cannot be
 * taken.
 * @return 0; -PMG_E_PEER: the front closed or spoke nonsense; -PMG_E_PARSE, -PMG_E_LIMIT: a
 * registry or source that cannot be taken */
int pmg_start_hear(int wire_fd, struct pmg_start *start, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Load the user's roots, judge and cache; write the bundle.
 * @param bundle_fd  an empty file, gets the child's bundle: system, user's, this run's
 * @param[out] ready  zeroed by the caller; what READY says
 */
int pmg_start_load(struct pmg_start *start, int bundle_fd, struct pmg_wire_ready *ready,
		   struct pmg_err *err) PMG_MUST_CHECK;
/** Lock the process in: only what name resolution reads can be opened from here on. Roots, index
 * and lists are in memory or open. No way back. */
int pmg_start_confine(struct pmg_err *err) PMG_MUST_CHECK;

#endif
