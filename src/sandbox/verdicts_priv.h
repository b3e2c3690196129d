#ifndef PMG_SANDBOX_VERDICTS_PRIV_H
#define PMG_SANDBOX_VERDICTS_PRIV_H
/**
 * May a package run what it is about to run? What comes out of a manager's own cache the proxy has
 * not seen, so a script is put to its judge before it begins: each package once, by the socket that
 * CONNECT takes. Whose script it is stands in who_priv.h.
 */
#include "sandbox/broker_priv.h"

#define PMG_VERDICTS_MAX 4096U /* packages remembered; beyond, some are asked again */
#define PMG_VERDICTS_MS  5000  /* for an answer: then it is no */
#define PMG_CODE_LISTED  3008

struct pmg_verdicts;
struct pmg_verdicts *pmg_verdicts_new(void) PMG_MUST_CHECK;
void pmg_verdicts_free(struct pmg_verdicts *verdicts);
PMG_DEFINE_AUTO(verdicts, struct pmg_verdicts *, pmg_verdicts_free);

/**
 * Ask, or remember. From any thread: one asks at a time.
 * @param proxy    the socket to pmg-proxy, which says nothing else on it
 * @param package  "name@version", "name"
 * @param[out] why  where it may not: in words; caller frees
 * @return may it? Without an answer: no
 */
bool pmg_verdicts_ask(struct pmg_verdicts *verdicts, int proxy, const char *eco,
		      const char *package, char **why);

/**
 * The caller is about to become `object`: may the package that it runs for, and the one that the
 * program lies in? pmg_who_exec() comes before.
 * @return 0; -EACCES, recorded
 */
int pmg_verdicts_exec(struct pmg_request *request, const struct pmg_object *object) PMG_MUST_CHECK;

#endif
