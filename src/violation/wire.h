#ifndef PMG_VIOLATION_WIRE_H
#define PMG_VIOLATION_WIRE_H
/**
 * What front, pmg-proxy, keeper and broker say to each other (base/msg.h
 * carries it).
 *
 *   front                                   pmg-proxy
 *   REGISTRY* SOURCE* NETRULE* PACKAGES* [LISTEN] START ->
 *                                  <-       READY | FAILED
 *                                  <-       JUDGED* PASSED* TROUBLE* DENIED* (during the run)
 *   ASK*                           ->
 *                                  <-       ANSWER* ANSWERED (to each)
 *   STOP                           ->
 *                                  <-       DATED* CONTENTS* DONE, then it closes
 *
 *   front                                   keeper and broker (one end for both)
 *                                  <-       WALLS | FAILED        keeper
 *   GO                             ->
 *                                  <-       STARTED | FAILED      broker
 *                                  <-       DENIED* STOPPED*
 *   END                            ->       (also: the front closed)
 *                                  <-       DENIED* ENDED, then it closes
 *
 *   broker                                  pmg-proxy
 *   CONNECT* ASK*                  ->
 *                                  <-       ANSWER* ANSWERED (to each)
 *
 * pmg-proxy is started with fd 0 to 2 on /dev/null (2 stays the terminal under
 * --debug), PMG_WIRE_FD the message socket, PMG_WIRE_LISTEN_FD a listening TCP
 * socket, or /dev/null where LISTEN brings those of the walls,
 * PMG_WIRE_BUNDLE_FD an empty file that it fills with the CA bundle.
 * It believes only these messages, never the child's configuration. If the
 * socket closes without STOP it ends at once.
 *
 * Each message is a struct here; encode makes the JSON body, decode checks it.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/msg.h"
#include "base/strv.h"

/* What a message may carry; decode refuses more, and a whole message is at most PMG_MSG_MAX. */
#define PMG_WIRE_ECO_MAX  16U
#define PMG_WIRE_NAME_MAX 512U /* name, version, scope, token, verdict, why */
#define PMG_WIRE_URL_MAX  8192U
#define PMG_WIRE_PATH_MAX 4096U
#define PMG_WIRE_TEXT_MAX 1024U /* reason, note, what */
#define PMG_WIRE_PEM_MAX  4096U
#define PMG_WIRE_LIST_MAX 1024U /* elements of a list, each at most PMG_WIRE_PATH_MAX */

#define PMG_WIRE_FD        3
#define PMG_WIRE_LISTEN_FD 4
#define PMG_WIRE_BUNDLE_FD 5

enum pmg_wire_type {
	PMG_WIRE_REGISTRY = 1,
	PMG_WIRE_SOURCE,
	PMG_WIRE_START,
	PMG_WIRE_READY,
	PMG_WIRE_FAILED,
	PMG_WIRE_JUDGED,
	PMG_WIRE_PASSED,
	PMG_WIRE_TROUBLE,
	PMG_WIRE_STOP,
	PMG_WIRE_DONE,
	PMG_WIRE_NETRULE,
	PMG_WIRE_LISTEN, /* with descriptors */
	PMG_WIRE_DENIED, /* violation/event.h is its body */
	PMG_WIRE_WALLS,  /* with descriptors */
	PMG_WIRE_GO,
	PMG_WIRE_STARTED, /* with the tool's pidfd */
	PMG_WIRE_STOPPED,
	PMG_WIRE_END,
	PMG_WIRE_ENDED,
	PMG_WIRE_CONNECT,
	PMG_WIRE_PACKAGES,
	PMG_WIRE_ASK,
	PMG_WIRE_ANSWER,
	PMG_WIRE_ANSWERED,
	PMG_WIRE_DATED,
	PMG_WIRE_CONTENTS,
	PMG_WIRE_MAX
};

/* Descriptors that LISTEN and WALLS bring: base/msg.h's maximum. Their kinds, in order: "proxy"
 * (HTTP proxy, token needed), "http" (port 80), "tls" (443), "port" (any other), "dns-tcp",
 * "dns-udp"; LISTEN has one more at its end, "broker": the socket on which CONNECT comes. */

struct pmg_wire_registry {
	char *eco;   /* "npm", "pypi" */
	char *url;   /* base address */
	char *scope; /* or NULL */
	/* Its packages (with a scope: those in it) are its own: a record about a public package of
	 * the same name is about another one. */
	bool is_private;
	bool is_replaced; /* the manager asks another in its place: it is not asked for names */
};

struct pmg_wire_source {
	char *eco;
	char *url;
	char *name;    /* or NULL */
	char *version; /* or NULL */
};

struct pmg_wire_start {
	char *token;          /* password of the proxy address; user name is "pmg" */
	char *index_path;     /* intel.db */
	char *blocklist_path; /* blocklist.yml */
	char *managed_path;   /* managed policy, for what it blocks; or NULL */
	char *cache_path;     /* artifact hosts learned earlier: read, never written; or NULL */
	char *dates_path;     /* when artifacts were published, learned earlier; likewise */
	char *contents_path;  /* what versions had in them, learned earlier; likewise */
	char *https_proxy;    /* parent proxy or NULL */
	char *http_proxy;
	char *no_proxy;
	/* The user's own certificates: added to the system roots, upstream and in the bundle. */
	struct pmg_strv ca_files;
	struct pmg_strv ca_dirs;
	bool debug;
	bool walls;   /* LISTEN has come: only what NETRULE allows is reached, and each connection
		       * waits for its CONNECT */
	bool inspect; /* artifacts are opened */
	struct pmg_strv inspect_block;  /* kinds of findings (conf/trait.h) that refuse one */
	struct pmg_strv inspect_report; /* kinds that are recorded */
};

#define PMG_WIRE_PIECE_MAX    16384U   /* bytes of a piece */
#define PMG_WIRE_PACKAGES_MAX 4194304U /* of all of them */

/* A piece of the policy on packages, which is a JSON text of its own (conf/packages.h) that may be
 * longer than a message. */
struct pmg_wire_packages {
	char *piece;
};

/* A rule of the network (policy/policy.h): host[:port], "*.host", address, or "registry". */
struct pmg_wire_netrule {
	int rank, roles, layer;
	char *text;
	char *source;
	bool sensitive;
};

struct pmg_wire_listen {
	struct pmg_strv kinds;
};

/* The walls stand, but for the tool. */
struct pmg_wire_walls {
	struct pmg_strv kinds;
	struct pmg_strv notes; /* for the user */
};

struct pmg_wire_started {
	int pid;
};
struct pmg_wire_stopped {
	int signal;
};
struct pmg_wire_ended {
	int status; /* as of waitpid(2) */
};

/* A process of the run has connected to a listener, or is about to send to one: which process, and
 * where it meant to go. pmg-proxy finds the connection by both of its ends, a datagram by its port.
 * Without `local` the broker has refused it, and pmg-proxy is to report that: it alone knows which
 * name an address of the run stands for. */
struct pmg_wire_connect {
	char *protocol; /* "tcp4", "tcp6", "udp4", "udp6" */
	char *local;    /* its own end, "10.0.0.1:40000"; or NULL */
	char *target;   /* "10.0.0.1:443", "[::1]:443" */
	int role;       /* enum pmg_role */
	char *package;  /* or NULL */
	char *script;
	char *how_known;
	struct pmg_strv process;
};

struct pmg_wire_ready {
	bool index_present;
	int64_t index_built;
	int64_t index_checked; /* when its feeds were last heard of */
	uint64_t index_records;
	uint64_t blocklist_entries;
	char *ca_pem;          /* certificate of the run's authority */
	struct pmg_strv notes; /* for the user: a CA file that could not be read, ... */
};

/* An artifact was asked for and judged; or, "withheld", a version was left out of a document that
 * says what there is. */
struct pmg_wire_judged {
	char *eco;
	char *name;
	char *version;
	char *verdict;   /* "allow", "block", "withheld" */
	char *reason;    /* pmg_reason_text(), or NULL */
	int diag;        /* 3001 ..., 0 */
	char *rule;      /* what "pmg intel unblock" takes, or NULL */
	char *note;      /* or NULL */
	char *instead;   /* withheld: what a tag points to now in its place; or NULL */
	char *published; /* when, RFC 3339; NULL: not known, or not asked */
	uint64_t more;   /* withheld: how many more versions of the same document were */
	char *url;       /* without userinfo and query */
	struct pmg_strv ids;
	struct pmg_strv sources;
	struct pmg_strv findings; /* of its inspection, "kind: text"; kinds: conf/trait.h */
	struct pmg_strv waivers;  /* what would have refused it, and what waived that */
};

/* Something went by that was not judged. */
struct pmg_wire_passed {
	char *target; /* "host:port" of a tunnel, address of an unknown artifact or plain request */
	char *why;    /* "tunnel", "artifact", "request" */
};

/* A request that the proxy could not serve; for the summary of a failed run. */
struct pmg_wire_trouble {
	char *target; /* "host:port" */
	char *what;   /* one line */
	int diag;     /* 4001 ... */
};

/* May these packages pass? They are not being fetched: a lockfile pins them, or they lie installed,
 * or a script of theirs is about to run. All lists have one element for each package; those marked
 * "front" are empty in a question of the broker. */
struct pmg_wire_ask {
	uint64_t number; /* of the question; its answers repeat it */
	char *eco;
	struct pmg_strv names;
	struct pmg_strv versions; /* "": not known */
	struct pmg_strv hashes;   /* "sha512-BASE64 sha256:HEX", "" for none */
	/* Front: whether its age is judged (enum pmg_pin_age): "": no; "ahead": not yet, but its
	 * date will be wanted; "before" or "after": yes, the run begins or has ended. "open": its
	 * version is not settled, so what is said of all versions counts alone. */
	struct pmg_strv ages;
	struct pmg_strv urls; /* front: where its archive is from (pm/resolved.h); "": a registry */
	uint64_t limit_ms;    /* front: how long it waits for dates; 0: as long as pmg-proxy does */
};

/* About one of these packages: it may not pass, or passes only by a waiver of the user's policy.
 * There is no answer about those that pass without. */
struct pmg_wire_answer {
	uint64_t number;
	uint64_t at;   /* which package: index in the lists of ASK */
	char *verdict; /* "block", "indeterminate"; "allow": a waiver was used */
	char *reason;
	int diag;   /* 3001 ... */
	char *rule; /* as of JUDGED */
	char *note;
	struct pmg_strv ids;
	struct pmg_strv sources;
	struct pmg_strv waivers; /* as of JUDGED */
};

/* That was all to this question. */
struct pmg_wire_answered {
	uint64_t number;
};

/* When artifacts that were let in had been published, for the next run. Sent before DONE, some
 * lines at a time. */
struct pmg_wire_dated {
	struct pmg_strv lines; /* "eco base-url name version-or-file seconds-since-1970" */
};

/* What artifacts that were let in have in them; sent in the same way. */
struct pmg_wire_contents {
	struct pmg_strv lines; /* verdict/earlier.h */
};

struct pmg_wire_done {
	uint64_t requests;
	uint64_t bytes;          /* of bodies, to the child */
	struct pmg_strv learned; /* "eco base-url artifact-host:port" lines for the cache */
};

/* For each message NAME: body for pmg_msg_send() (it refuses what is too large); decode of a
 * received body into a zeroed struct, strictly: a field that is missing, unknown, of another type
 * or too large is -PMG_E_PEER naming it, and *out stays as it was; done frees what decode made. */
#define PMG_WIRE_DECLARE(NAME)                                                                     \
	struct json_t *pmg_wire_##NAME##_encode(const struct pmg_wire_##NAME *m) PMG_MUST_CHECK;   \
	int pmg_wire_##NAME##_decode(const struct json_t *body, struct pmg_wire_##NAME *out,       \
				     struct pmg_err *err) PMG_MUST_CHECK;                          \
	void pmg_wire_##NAME##_done(struct pmg_wire_##NAME *m);                                    \
	PMG_DEFINE_AUTO_DONE(wire_##NAME, struct pmg_wire_##NAME, pmg_wire_##NAME##_done)

PMG_WIRE_DECLARE(registry);
PMG_WIRE_DECLARE(source);
PMG_WIRE_DECLARE(start);
PMG_WIRE_DECLARE(ready);
PMG_WIRE_DECLARE(judged);
PMG_WIRE_DECLARE(passed);
PMG_WIRE_DECLARE(trouble);
PMG_WIRE_DECLARE(dated);
PMG_WIRE_DECLARE(contents);
PMG_WIRE_DECLARE(done);
PMG_WIRE_DECLARE(netrule);
PMG_WIRE_DECLARE(listen);
PMG_WIRE_DECLARE(walls);
PMG_WIRE_DECLARE(started);
PMG_WIRE_DECLARE(stopped);
PMG_WIRE_DECLARE(ended);
PMG_WIRE_DECLARE(connect);
PMG_WIRE_DECLARE(packages);
PMG_WIRE_DECLARE(ask);
PMG_WIRE_DECLARE(answer);
PMG_WIRE_DECLARE(answered);

/* FAILED carries an error: code, errnum, diag, msg, hint. */
struct json_t *pmg_wire_failed_encode(const struct pmg_err *failed) PMG_MUST_CHECK;
/** *out becomes the sender's error. @return 0 or -PMG_E_PEER in err */
int pmg_wire_failed_decode(const struct json_t *body, struct pmg_err *out,
			   struct pmg_err *err) PMG_MUST_CHECK;

#endif
