#ifndef PMG_PROXY_CLIENT_PRIV_H
#define PMG_PROXY_CLIENT_PRIV_H
/**
 * The parts of a client's connection:
 *
 *   client.c           input, output, states
 *   client_request.c   what the head of a request leads to
 *   client_answer.c    what goes back, as it comes
 *   client_document.c  an answer that is read whole before it goes on (document.h)
 *   client_artifact.c  an answer whose end is held back (artifact.h)
 */
#include "proxy/ages.h"
#include "proxy/artifact.h"
#include "proxy/client.h"
#include "proxy/document.h"
#include "proxy/learn.h"
#include "proxy/reach.h"
#include "proxy/request.h"
#include "proxy/respond.h"
#include "proxy/sniff.h"
#include "proxy/stream.h"

enum pmg_client_state {
	PMG_CLIENT_HEAD,      /* a request is awaited */
	PMG_CLIENT_PROBE,     /* a CONNECT waits until an index has told its artifact hosts */
	PMG_CLIENT_PEEK,      /* a CONNECT was answered: is it TLS or HTTP that follows? */
	PMG_CLIENT_HANDSHAKE, /* of TLS */
	PMG_CLIENT_AGE,       /* a request waits until it is known when its package came out */
	PMG_CLIENT_EXCHANGE,  /* a request is with upstream */
	PMG_CLIENT_JUDGING,   /* its answer is an artifact, and its end is held back */
	PMG_CLIENT_DATING,    /* its answer is there whole, and waits for dates */
	PMG_CLIENT_DELIVER,   /* and goes to the client */
	PMG_CLIENT_FLUSH,     /* the answer is complete, but not all is sent */
	PMG_CLIENT_LINGER,    /* all is sent; what still comes is thrown away */
	PMG_CLIENT_DEAD,      /* everything is closed; only the memory waits to be freed */
	PMG_CLIENT_STATES
};

struct pmg_client {
	struct pmg_service *service;
	struct pmg_client *prev, *next;
	enum pmg_client_state state;
	struct pmg_stream stream;
	struct pmg_watch *watch;
	struct pmg_timer timer;
	struct pmg_task input_task;    /* input is at hand that the loop does not tell of */
	struct pmg_task send_task;     /* output was queued from within a callback of libcurl's */
	struct pmg_task probe_task;    /* the probe has ended */
	struct pmg_task document_task; /* the document may go on */
	struct pmg_task free_task;

	struct pmg_str in;
	size_t scanned; /* of a head, in `in` */
	struct pmg_str out;
	size_t out_at;      /* sent of it */
	bool wants_out;     /* reading has to wait until the socket can be written (TLS) */
	bool wants_in;      /* and the other way round */
	bool is_stalled;    /* the client does not take what is queued */
	bool is_broken;     /* writing failed: nothing more will get out */
	bool is_hurried;    /* a head has begun: the rest must come soon */
	bool sends_no_more; /* it has closed its half behind requests that wait to be read */
	bool is_ours;       /* it has shown the token */
	uint64_t born_ms;

	struct pmg_peer *peer; /* NULL without walls */
	bool is_captured;      /* it believes to be with the target itself */
	bool is_deceiving;     /* it names another than its address stands for: no rule helps */
	enum pmg_client_speaks speaks;
	char *denied; /* its request is read only to be answered so */

	char *inside_host; /* after a CONNECT that is looked into */
	struct pmg_inside inside;
	uint64_t requests; /* since it leads there */

	/* Of the request at hand. */
	struct pmg_request request;
	struct pmg_asked asked;
	int minor; /* HTTP/1.minor */
	struct pmg_exchange *exchange;
	struct pmg_chunked chunked;
	uint64_t body_left; /* of a body with Content-Length */
	bool has_body;      /* of the request: all was read */
	bool is_bad_body;   /* its chunks are malformed */
	bool has_head;      /* of the response: queued */
	bool is_text;       /* the response has to be plain text: pmg_artifacts_want_text() */
	bool is_disguised;  /* and was not */
	bool drops_body;    /* of the response: it leads elsewhere */
	struct pmg_outgoing outgoing;
	struct pmg_learner *learner;
	struct pmg_artifact *artifact; /* an answer that is looked into */
	struct pmg_sniff *sniff;       /* of an answer that should be no artifact */
	struct pmg_document *document; /* an answer that is read before it goes on */
	struct pmg_ages_wait age;      /* for the date of what is asked for */
	struct pmg_head held;          /* head of the request that waits for it */
	unsigned held_times;
	bool closes; /* the connection ends after this answer */
	bool breaks; /* and the client must see that the answer is not whole */
};

/* client.c */
void pmg_client_enter(struct pmg_client *client, enum pmg_client_state state);
/** Close everything; the memory is freed soon after, so that callers may still look at state.
 *  Not from within libcurl's callbacks. */
void pmg_client_end(struct pmg_client *client);
/** Write what is queued, as far as it goes. Changes no state: fit for libcurl's callbacks. */
void pmg_client_write(struct pmg_client *client);
/** The same, and act on the outcome. Not from within libcurl's callbacks. */
void pmg_client_send(struct pmg_client *client);
/** Register what the loop has to tell of, after anything has changed. */
void pmg_client_update(struct pmg_client *client);

/* client_request.c */
/** Look for a request in what was read. */
void pmg_client_serve(struct pmg_client *client);
/** A connection that was captured: request.url is where it believes to be. */
void pmg_client_serve_captured(struct pmg_client *client);
/** Say no, in the words of whom it believes to be with, and report it. */
void pmg_client_deny(struct pmg_client *client, const struct pmg_reach *reach);
void pmg_client_on_age(void *client);   /* judge it, now that its date is known */
void pmg_client_on_probe(void *client); /* tunnel or look inside, now that the index was asked */

/** Say no to a package. */
void pmg_client_refuse_package(struct pmg_client *client, const struct pmg_refusal *refusal);

/* client_answer.c */
/** Queue an answer of the proxy's own; then the connection goes on (keeps) or ends. */
void pmg_client_answer(struct pmg_client *client, const struct pmg_answer *answer);
void pmg_client_refuse(struct pmg_client *client, int status, const char *text); /* and close */
/** Send the request at hand upstream. @param head  is changed */
void pmg_client_forward(struct pmg_client *client, struct pmg_head *head);
/** Nothing of the request at hand is needed any more. */
void pmg_client_forget(struct pmg_client *client);
/** Body bytes that go to the client; its head goes before the first. */
enum pmg_flow pmg_client_deliver_bytes(void *client, const char *bytes, size_t len);
/** There is nothing more to come: whatever the client was sent is whole, or must not look so. */
void pmg_client_end_answer(struct pmg_client *client, bool is_whole);

/* client_document.c */
void pmg_client_on_document(void *client); /* more may come, or its dates are there */
/** All of it has come. */
void pmg_client_end_document(struct pmg_client *client);
/** The client takes more of it. */
void pmg_client_deliver(struct pmg_client *client);

/* client_artifact.c */
/** Does the answer's head begin an artifact that is looked into? Then it waits in there. */
bool pmg_client_begin_artifact(struct pmg_client *client, struct pmg_head *head,
			       enum pmg_framing framing, uint64_t length);
/** All of it has come, or (whole: false) no more will. */
void pmg_client_end_artifact(struct pmg_client *client);

#endif
