#ifndef PMG_TESTS_UNIT_LINKED_H
#define PMG_TESTS_UNIT_LINKED_H
/** A link to a front that the test plays: it reads fds[1]. Behind cmocka.h. */
#include <unistd.h>

#include "proxy/link.h"

struct linked {
	struct pmg_loop *loop;
	struct pmg_link *link;
	int fds[2]; /* ours, the front's */
};

static inline void linked_message(void *ctx, const struct pmg_msg *msg)
{
	(void)ctx;
	(void)msg;
}

static inline void linked_nothing(void *ctx)
{
	(void)ctx;
}

static inline void linked_begin(struct linked *l)
{
	struct pmg_link_user user = { l, linked_message, linked_nothing, linked_nothing };
	struct pmg_err err = PMG_ERR_INIT;

	assert_int_equal(pmg_loop_new(&l->loop, &err), 0);
	assert_int_equal(pmg_msg_pair(l->fds, &err), 0);
	assert_int_equal(pmg_link_new(l->loop, l->fds[0], &user, &l->link, &err), 0);
}

static inline void linked_end(struct linked *l)
{
	pmg_link_free(l->link);
	pmg_loop_free(l->loop);
	(void)close(l->fds[0]);
	(void)close(l->fds[1]);
}

#endif
