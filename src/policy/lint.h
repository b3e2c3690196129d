#ifndef PMG_POLICY_LINT_H
#define PMG_POLICY_LINT_H
/**
 * All that is wrong, or odd, with a profile or a preset, without running anything. What is an error
 * here is one in a run. What a preset would open is asked of the whole list of what stays closed,
 * for a project of a made-up name in the caller's home: the answer is the same on every machine.
 */
#include "policy/library.h"

struct pmg_finding {
	bool is_error;         /* else a warning: it can be used */
	unsigned line, column; /* 0: of the whole file */
	char *message;
	char *hint; /* NULL: none */
};

struct pmg_findings {
	struct pmg_finding *v; /* by place */
	size_t n, cap;
	size_t n_errors;
};
void pmg_findings_done(struct pmg_findings *findings);
PMG_DEFINE_AUTO_DONE(findings, struct pmg_findings, pmg_findings_done);

/**
 * @param home  the user's, absolute
 * @param file  path of the file, or how it is called
 * @param[out] out  added to
 */
void pmg_lint(const struct pmg_library *library, const char *home, enum pmg_library_kind kind,
	      const char *file, const char *text, size_t len, struct pmg_findings *out);

/**
 * The same of a profile, with more warnings, of what is not wrong but hardly meant: allowances that
 * allow nothing since something stronger closes it, programs whose loader or interpreter (on this
 * machine) is not allowed, all of the home or of the project, variables that come or go anyway,
 * package managers that nobody knows.
 * @param managers  names of all tools, NULL-terminated
 */
void pmg_lint_strict(const struct pmg_library *library, const char *home, const char *file,
		     const char *text, size_t len, const char *const *managers,
		     struct pmg_findings *out);

/** Add one about the file as a whole. Copies. @param hint  NULL or "": none */
void pmg_findings_add(struct pmg_findings *findings, bool is_error, const char *message,
		      const char *hint);

/** The first error, as "file:line:column: message". @return 0: there is none; -PMG_E_CONFIG */
int pmg_findings_err(const struct pmg_findings *findings, const char *file,
		     struct pmg_err *err) PMG_MUST_CHECK;

#endif
