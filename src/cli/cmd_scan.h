#ifndef PMG_CLI_CMD_SCAN_H
#define PMG_CLI_CMD_SCAN_H
/**
 * `pmg scan`: what lockfiles pin and what lies installed below a folder, against index, block lists
 * and policy. Linked into pmg-intel alone.
 *
 *   cmd_scan.c         what is found
 *   cmd_scan_report.c  as JSON, and as SARIF
 */
#include "cli/cmd_intel.h"
#include "pm/resolved.h"

struct pmg_scan_opts {
	bool json, sarif;
};
extern const struct pmg_opt pmg_scan_options[];

/* A package that is not to pass. Of one that stands in several places there is one each. */
struct pmg_scan_hit {
	size_t at; /* in the set */
	struct pmg_judgement judgement;
};

struct pmg_scan {
	const char *path; /* as typed; borrowed */
	struct pmg_resolved set;
	struct pmg_scan_hit *hits;
	size_t n_hits, cap_hits;
	struct pmg_scan_hit *let_in; /* what would be listed but for the policy on packages */
	size_t n_let_in, cap_let_in;
	struct pmg_intel_settings settings;
	struct pmg_index_info info;
};
void pmg_scan_done(struct pmg_scan *scan);
PMG_DEFINE_AUTO_DONE(scan, struct pmg_scan, pmg_scan_done);

/** docs/cli-json.md. Caller frees. */
struct json_t *pmg_scan_json(const struct pmg_scan *scan) PMG_MUST_CHECK;
/** SARIF 2.1.0. Caller frees. Source: OASIS sarif-v2.1.0, sections 3.13 to 3.52 */
struct json_t *pmg_scan_sarif(const struct pmg_scan *scan) PMG_MUST_CHECK;
/** "FILE: NAME@VERSION: known malware (MAL-1), waived by ..." of each that was let in. Caller:
 * done. */
void pmg_scan_waived(const struct pmg_scan *scan, struct pmg_strv *out);
/** "known malware (MAL-1 MAL-2): note". Caller frees. */
char *pmg_scan_why(const struct pmg_judgement *judgement) PMG_MUST_CHECK;

int pmg_cmd_scan(const struct pmg_call *call, struct pmg_err *err);

#endif
