#ifndef PMG_TESTS_HELPER_SCRIPTED_H
#define PMG_TESTS_HELPER_SCRIPTED_H
/**
 * A server on 127.0.0.1 in a child process that does, for each connection, what
 * a script says: be a registry, a parent proxy, or one that misbehaves. It
 * takes one connection after the other until it is stopped.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tls/ca.h"

struct script {
	struct pmg_ca *ca;                /* of the certificates; needed for TLS only */
	const char *host;                 /* the certificate's; NULL for 127.0.0.1 */
	bool tls;                         /* from the first byte on */
	const char *const *connect_reply; /* NULL-terminated pieces, sent with a pause in between */
	bool tls_inside;                  /* after CONNECT: then it plays the target as well */
	const char *answer; /* bytes as they are; NULL: 200 with the request's head as body */
	bool at_once;       /* answer before anything was read */
	bool hang;          /* read and never answer */
	bool reset;         /* end with RST */
	bool echo;          /* after CONNECT: send back what comes */
};

struct scripted {
	pid_t pid;
	uint16_t port;
};

void scripted_start(const struct script *script, struct scripted *out);
void scripted_stop(struct scripted *server);
/** A port on which nothing listens. */
uint16_t scripted_dead_port(void);

#endif
