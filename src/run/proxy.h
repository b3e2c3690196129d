#ifndef PMG_RUN_PROXY_H
#define PMG_RUN_PROXY_H
/**
 * The front's end of pmg-proxy: started early, on a listener that the front
 * made, with an empty environment, a session of its own, and nothing open but
 * what violation/wire.h says. It dies with the front.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/packages.h"
#include "pm/pm.h"
#include "violation/record.h"
#include "violation/wire.h"

#define PMG_PROXY_READY_MS 20000 /* from start to READY: a slow disk reads all CA files */
#define PMG_PROXY_ASK_MS   20000 /* from ASK to ANSWERED */
#define PMG_PROXY_DATE_MS  90000 /* the same where registries may have to be asked for dates */
#define PMG_PROXY_STOP_MS  2500  /* from STOP to DONE: a busy machine must not fail a good run */
#define PMG_PROXY_HURRY_MS 800   /* the same when somebody asked us to end */
#define PMG_PROXY_TOKEN    65    /* 64 hexadecimal digits and NUL */

struct pmg_proxy {
	pid_t pid; /* 0: none */
	int fd;    /* message socket; -1: closed */
	uint16_t port;
	char token[PMG_PROXY_TOKEN];
	struct pmg_wire_answer *answers; /* since pmg_proxy_ask(); at most PMG_WIRE_LIST_MAX */
	size_t n_answers, cap_answers;
	struct pmg_strv dated;    /* DATED: lines for the next run, at most PMG_LEARNED_DATES_MAX */
	struct pmg_strv contents; /* CONTENTS, likewise: at most PMG_LEARNED_CONTENTS_MAX */
};

#define PMG_PROXY_INIT                                                                             \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/** Kills it when it still runs; pmg_proxy_done() then has less to wait for. */
void pmg_proxy_end(struct pmg_proxy *proxy);
/** The same, and waits for it. Fit for one that was not started. */
void pmg_proxy_done(struct pmg_proxy *proxy);
PMG_DEFINE_AUTO_DONE(proxy, struct pmg_proxy, pmg_proxy_done);

/**
 * @param program    absolute path of pmg-proxy
 * @param bundle_fd  empty file for the CA bundle; borrowed
 * @param port       0: on a listener of our own; else its listeners come later, by LISTEN, and
 *                   the tool will find it at this port
 * @param debug      its stderr stays ours
 * @param[out] out   PMG_PROXY_INIT before
 */
int pmg_proxy_start(const char *program, int bundle_fd, uint16_t port, bool debug,
		    struct pmg_proxy *out, struct pmg_err *err) PMG_MUST_CHECK;

/** REGISTRY for each registry, SOURCE for each artifact. */
int pmg_proxy_tell(struct pmg_proxy *proxy, const struct pmg_facts *facts,
		   struct pmg_err *err) PMG_MUST_CHECK;
/** PACKAGES: the policy on packages. @return also -PMG_E_LIMIT */
int pmg_proxy_tell_packages(struct pmg_proxy *proxy, const struct pmg_packages *packages,
			    struct pmg_err *err) PMG_MUST_CHECK;
/** START: it has been told all. */
int pmg_proxy_begin(struct pmg_proxy *proxy, const struct pmg_wire_start *start,
		    struct pmg_err *err) PMG_MUST_CHECK;

/** "http://pmg:TOKEN@127.0.0.1:PORT". Caller frees. */
char *pmg_proxy_url(const struct pmg_proxy *proxy) PMG_MUST_CHECK;

/* What one message brought; at most one of them is filled. */
struct pmg_proxy_news {
	enum pmg_wire_type type;
	struct pmg_wire_ready ready;
	struct pmg_wire_done done;
	uint64_t answered; /* number of the question */
};

void pmg_proxy_news_done(struct pmg_proxy_news *news);
PMG_DEFINE_AUTO_DONE(proxy_news, struct pmg_proxy_news, pmg_proxy_news_done);

/**
 * Take one message; JUDGED, PASSED and TROUBLE go into the record. Waits for one.
 * @param[out] news  zeroed before
 * @return 1: taken; 0: the proxy closed; what FAILED says; -PMG_E_PEER: nonsense
 */
int pmg_proxy_take(struct pmg_proxy *proxy, struct pmg_record *record, struct pmg_proxy_news *news,
		   struct pmg_err *err) PMG_MUST_CHECK;

/** ASK: ANSWER for those that are not to pass are kept in proxy->answers, then ANSWERED comes as
 * news. What was kept before goes. */
int pmg_proxy_ask(struct pmg_proxy *proxy, const struct pmg_wire_ask *ask,
		  struct pmg_err *err) PMG_MUST_CHECK;

/** Ask it to end; DONE follows. */
int pmg_proxy_ask_stop(struct pmg_proxy *proxy, struct pmg_err *err) PMG_MUST_CHECK;

#endif
