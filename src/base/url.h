#ifndef PMG_BASE_URL_H
#define PMG_BASE_URL_H
/**
 * http and https addresses, read strictly (RFC 3986, the parts that package
 * managers use). What decides must not be read in two ways, so anything odd is
 * an error: a control byte, a blank, a backslash, a port that is no number.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define PMG_URL_MAX 8192U

struct pmg_url {
	char *scheme;   /* "http" or "https", lower case */
	char *userinfo; /* as written, still percent-encoded; NULL when none. Never shown */
	char *host;     /* lower case; IPv6 without brackets */
	uint16_t port;  /* host order; the scheme's own when none was written */
	char *path;     /* from "/"; never empty; no query, no fragment; dot segments removed */
	char *query;    /* without "?"; NULL when none */
};

void pmg_url_done(struct pmg_url *url);
PMG_DEFINE_AUTO_DONE(url, struct pmg_url, pmg_url_done);

/** @return 0; -PMG_E_PARSE: not such an address (the text is in msg, quoted, without userinfo) */
int pmg_url_parse(const char *text, struct pmg_url *out, struct pmg_err *err) PMG_MUST_CHECK;
/** "host:port", "[v6]:port"; host lower case. @return 0 or -PMG_E_PARSE. Caller frees host. */
int pmg_hostport_parse(const char *text, uint16_t default_port, char **host, uint16_t *port,
		       struct pmg_err *err) PMG_MUST_CHECK;
/** scheme://host[:port]path without userinfo and query; port left out when it is the scheme's. */
char *pmg_url_text(const struct pmg_url *url) PMG_MUST_CHECK;
/** "host:port", IPv6 in brackets. */
char *pmg_url_authority(const struct pmg_url *url) PMG_MUST_CHECK;
/** Decode %XX. @return new text; NULL when malformed or a NUL is encoded */
char *pmg_url_decode(const char *s) PMG_MUST_CHECK;
bool pmg_host_is_loopback(const char *host); /* localhost, *.localhost, 127/8 (also mapped), ::1 */

#endif
