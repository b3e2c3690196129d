#ifndef PMG_SANDBOX_NET_PRIV_H
#define PMG_SANDBOX_NET_PRIV_H
/**
 * Sockets and addresses as connect, bind and send see them.
 *
 *   endpoint.c  reads socket and address of a caller, once
 *   act_net.c   connect, and whom pmg-proxy is told of
 *   act_bind.c  bind
 *   act_send.c  send with an address
 *   act_unix.c  local sockets
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "sandbox/broker_priv.h"

#define PMG_ABSTRACT_MAX 256U /* names of abstract sockets that are kept */
/* "tcp [v6]:65535" or "unix " and an escaped name */
#define PMG_TARGET_SIZE (sizeof(struct sockaddr_un) * 4 + 16)

struct pmg_endpoint {
	int fd; /* duplicate of the caller's socket */
	int domain, type, protocol;
	/* What it is to be connected to or bound at: our copy, nothing the caller can change. */
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		struct sockaddr_un local;
		char bytes[sizeof(struct sockaddr_storage)];
	} to;
	socklen_t len;
	/* Of addresses of the internet; an IPv4 one inside IPv6 counts as IPv4. */
	int family; /* AF_INET, AF_INET6; 0: another kind */
	uint16_t port;
	char host[INET6_ADDRSTRLEN];
	bool is_loopback;
	bool is_synthetic; /* what pmg-proxy answers for names */
};
#define PMG_ENDPOINT_INIT                                                                          \
	{                                                                                          \
		.fd = -1                                                                           \
	}
void pmg_endpoint_done(struct pmg_endpoint *endpoint);
PMG_DEFINE_AUTO_DONE(endpoint, struct pmg_endpoint, pmg_endpoint_done);

/** Socket at argument `arg`. @return 0; -EBADF, -ENOTSOCK */
int pmg_endpoint_socket(struct pmg_request *request, unsigned arg,
			struct pmg_endpoint *out) PMG_MUST_CHECK;
/** Address in the caller's memory. @return 0; -EINVAL, -EFAULT; -EPERM, recorded; -ESRCH: gone */
int pmg_endpoint_address(struct pmg_request *request, uint64_t address, uint64_t len,
			 struct pmg_endpoint *out) PMG_MUST_CHECK;
/** The same of bytes that are ours already, for tests and fuzzing. @return 0 or -EINVAL */
int pmg_endpoint_set(struct pmg_endpoint *out, const void *bytes, size_t len) PMG_MUST_CHECK;
/** "tcp", "udp", "mptcp", "icmp", "ip" */
const char *pmg_endpoint_protocol(const struct pmg_endpoint *endpoint);
/** "tcp 10.0.0.1:443", "udp [::1]:53", "unix @name" */
void pmg_endpoint_target(const struct pmg_endpoint *endpoint, char out[PMG_TARGET_SIZE]);
/** Its port after bind or connect; 0: none. */
uint16_t pmg_endpoint_local_port(const struct pmg_endpoint *endpoint);
/** Its whole end after bind or connect, "10.0.0.1:443", "[::1]:443". Caller frees; NULL: none. */
char *pmg_endpoint_local(const struct pmg_endpoint *endpoint) PMG_MUST_CHECK;

/* act_net.c */
bool pmg_port_is_own(struct pmg_broker *broker, uint16_t port);
void pmg_port_add(struct pmg_broker *broker, uint16_t port);
/** Tell pmg-proxy who is behind the socket's local port, before it reads anything from there.
 *  @param refused  nobody is: what was tried is only to be recorded, with the name it knows */
void pmg_tell_proxy(struct pmg_broker *broker, const struct pmg_who *who,
		    const struct pmg_endpoint *endpoint, bool refused);
/** Connect, and answer; where that may wait, in a thread of its own. at: -1, or the local socket to
 *  connect to in place of the address; closed. The endpoint's socket is taken over. */
void pmg_connect_perform(struct pmg_request *request, struct pmg_endpoint *endpoint, int at,
			 bool tell, struct pmg_answer *answer);

/* act_unix.c */
/** May a local socket be talked to? @param name  "/path" or "@name" @param own  the run's own: only
 *  a rule refuses it @return 0; -EACCES, recorded */
int pmg_unix_judge(struct pmg_request *request, const char *name, bool own) PMG_MUST_CHECK;
void pmg_unix_connect(struct pmg_request *request, struct pmg_endpoint *endpoint,
		      struct pmg_answer *answer);
void pmg_unix_bind(struct pmg_request *request, struct pmg_endpoint *endpoint,
		   struct pmg_answer *answer);

#endif
