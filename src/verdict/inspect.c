#include "verdict/inspect.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "tls/hasher.h"
#include "verdict/inspect_priv.h"

#define STACK    ((size_t)512 << 10) /* of a thread: libarchive keeps its tables on the heap */
#define LAST_S   5                   /* for threads to notice that all is over */
#define PIECE    16384U              /* of what nobody looks into */
#define N_DIGEST 2U

/* Lives until the loop has let go of it and the last thread has ended. */
struct pmg_inspectors {
	pthread_mutex_t lock; /* of the queue and of every inspection: all are held shortly */
	pthread_cond_t ended; /* a thread */
	int fd;
	unsigned n_threads;
	struct pmg_inspect *first, *last; /* to be woken */
};

struct pmg_inspect {
	struct pmg_inspectors *all;
	struct pmg_inspect *prev, *next;
	bool is_queued;
	struct pmg_inspect_what what;
	void (*wake)(void *ctx);
	void *ctx;
	/* Below the lock, but for the bytes of the ring that are somebody's. */
	pthread_cond_t moved; /* bytes have come, or the end */
	char *ring;
	size_t at, len;
	bool has_thread, is_owned;
	bool is_waiting;  /* the owner, for room */
	bool is_finished; /* no more comes */
	bool is_done;
	atomic_bool is_cancelled;
	/* The thread's alone, until it is done. */
	struct pmg_hasher *hashers[N_DIGEST];
	struct pmg_inspected result;
};

void pmg_inspect_what_add(struct pmg_inspect_what *what, const char *name, const char *version)
{
	if (what->n_who < PMG_INSPECT_WHO_MAX)
		what->who[what->n_who++] =
			(struct pmg_inspect_who){ pmg_xstrdup(name),
						  version ? pmg_xstrdup(version) : NULL };
}

void pmg_inspect_what_done(struct pmg_inspect_what *what)
{
	size_t i;

	for (i = 0; i < what->n_who; i++) {
		free(what->who[i].name);
		free(what->who[i].version);
	}
	*what = (struct pmg_inspect_what){ 0 };
}

int pmg_inspectors_new(struct pmg_inspectors **out, struct pmg_err *err)
{
	struct pmg_inspectors *all = pmg_xcalloc(1, sizeof *all);

	all->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (all->fd < 0) {
		free(all);
		return pmg_err_set(err, PMG_E_SYS, errno, "eventfd");
	}
	if (pthread_mutex_init(&all->lock, NULL) != 0 || pthread_cond_init(&all->ended, NULL) != 0)
		abort(); /* they take no resources here */
	*out = all;
	return 0;
}

int pmg_inspectors_fd(const struct pmg_inspectors *inspectors)
{
	return inspectors->fd;
}

static void lock(struct pmg_inspectors *all)
{
	if (pthread_mutex_lock(&all->lock) != 0)
		abort();
}

static void unlock(struct pmg_inspectors *all)
{
	if (pthread_mutex_unlock(&all->lock) != 0)
		abort();
}

void pmg_inspectors_free(struct pmg_inspectors *inspectors)
{
	struct timespec until;
	bool is_empty;

	if (!inspectors)
		return;
	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LAST_S;
	lock(inspectors);
	while (inspectors->n_threads > 0 &&
	       pthread_cond_timedwait(&inspectors->ended, &inspectors->lock, &until) == 0)
		;
	is_empty = inspectors->n_threads == 0;
	unlock(inspectors);
	if (!is_empty)
		return; /* a thread is at it still: it is left what it works with */
	(void)pthread_cond_destroy(&inspectors->ended);
	(void)pthread_mutex_destroy(&inspectors->lock);
	(void)close(inspectors->fd);
	free(inspectors);
}

/* Locked. */
static void queue(struct pmg_inspect *inspect)
{
	struct pmg_inspectors *all = inspect->all;
	const uint64_t one = 1;

	if (inspect->is_queued || !inspect->is_owned)
		return;
	inspect->is_queued = true;
	inspect->prev = all->last;
	inspect->next = NULL;
	if (all->last)
		all->last->next = inspect;
	else
		all->first = inspect;
	all->last = inspect;
	(void)!write(all->fd, &one, sizeof one); /* full: then it is readable in any case */
}

/* Locked. */
static void unqueue(struct pmg_inspect *inspect)
{
	struct pmg_inspectors *all = inspect->all;

	if (!inspect->is_queued)
		return;
	inspect->is_queued = false;
	if (inspect->prev)
		inspect->prev->next = inspect->next;
	else
		all->first = inspect->next;
	if (inspect->next)
		inspect->next->prev = inspect->prev;
	else
		all->last = inspect->prev;
}

void pmg_inspectors_hear(struct pmg_inspectors *inspectors)
{
	struct pmg_inspect *inspect;
	uint64_t n;

	(void)!read(inspectors->fd, &n, sizeof n); /* nothing to read: then nothing is queued */
	for (;;) {
		lock(inspectors);
		inspect = inspectors->first;
		if (inspect)
			unqueue(inspect);
		unlock(inspectors);
		if (!inspect)
			return;
		inspect->wake(inspect->ctx); /* may free it, and others */
	}
}

static void release(struct pmg_inspect *inspect)
{
	size_t i;

	pmg_inspect_what_done(&inspect->what);
	for (i = 0; i < N_DIGEST; i++)
		pmg_hasher_free(inspect->hashers[i]);
	pmg_traits_done(&inspect->result.findings);
	pmg_strv_done(&inspect->result.others);
	free(inspect->result.failed);
	free(inspect->ring);
	(void)pthread_cond_destroy(&inspect->moved);
	free(inspect);
}

/* Locked. @return how many bytes were taken out of the ring */
static size_t take(struct pmg_inspect *inspect, char *to, size_t room)
{
	size_t n = inspect->len < room ? inspect->len : room;
	size_t tail = PMG_INSPECT_BUFFER - inspect->at;
	size_t first = n < tail ? n : tail;

	memcpy(to, inspect->ring + inspect->at, first);
	memcpy(to + first, inspect->ring, n - first);
	inspect->at = (inspect->at + n) % PMG_INSPECT_BUFFER;
	inspect->len -= n;
	if (inspect->is_waiting && inspect->len <= PMG_INSPECT_BUFFER / 2) {
		inspect->is_waiting = false;
		queue(inspect);
	}
	return n;
}

static void fail(struct pmg_inspect *inspect, const char *why)
{
	if (!inspect->result.failed)
		inspect->result.failed = pmg_xstrdup(why);
}

/* Every byte goes by here once, in order. */
static ssize_t pull(void *ctx, void *to, size_t room)
{
	struct pmg_inspect *inspect = ctx;
	struct pmg_err err = PMG_ERR_INIT;
	bool is_over;
	size_t n = 0, i;

	lock(inspect->all);
	while (inspect->len == 0 && !inspect->is_finished && !inspect->is_cancelled)
		if (pthread_cond_wait(&inspect->moved, &inspect->all->lock) != 0)
			abort();
	is_over = inspect->is_cancelled;
	if (!is_over && inspect->len > 0)
		n = take(inspect, to, room);
	unlock(inspect->all);
	for (i = 0; i < N_DIGEST && n > 0; i++)
		if (inspect->hashers[i] && pmg_hasher_add(inspect->hashers[i], to, n, &err) < 0)
			fail(inspect, err.msg);
	return is_over ? -1 : (ssize_t)n;
}

static void inspect_archive(struct pmg_inspect *inspect)
{
	const struct pmg_inspect_source source = { pull, inspect };
	pmg_auto(inspection) struct pmg_inspection in = {
		.what = &inspect->what,
		.out = &inspect->result.findings,
		.is_cancelled = &inspect->is_cancelled,
	};

	if (inspect->what.opens)
		pmg_inspection_read(&in, &source);
	inspect->result.is_whole = in.is_whole;
	inspect->result.is_wheel = in.info != NULL;
	inspect->result.who = in.who;
	inspect->result.others = in.others;
	in.others = (struct pmg_strv){ 0 };
}

static bool has_hasher(const struct pmg_inspect *inspect)
{
	return inspect->hashers[0] || inspect->hashers[1];
}

static void *run(void *arg)
{
	struct pmg_inspect *inspect = arg;
	struct pmg_inspectors *all = inspect->all;
	unsigned char *const digests[N_DIGEST] = { inspect->result.sha256, inspect->result.sha512 };
	struct pmg_err err = PMG_ERR_INIT;
	unsigned char digest[PMG_HASHER_MAX];
	char piece[PIECE];
	bool is_owned;
	size_t i;

	inspect_archive(inspect);
	/* Where nobody wants a digest the rest need not be seen: what comes is dropped then. */
	while (has_hasher(inspect) && pull(inspect, piece, sizeof piece) > 0)
		;
	for (i = 0; i < N_DIGEST; i++) {
		if (!inspect->hashers[i])
			continue;
		if (pmg_hasher_end(inspect->hashers[i], digest, &err) < 0)
			fail(inspect, err.msg);
		memcpy(digests[i], digest, i == 0 ? 32 : 64);
	}
	lock(all);
	inspect->is_done = true;
	is_owned = inspect->is_owned;
	inspect->has_thread = false;
	queue(inspect);
	unlock(all);
	if (!is_owned)
		release(inspect);
	lock(all);
	all->n_threads--;
	(void)pthread_cond_signal(&all->ended);
	unlock(all);
	return NULL;
}

/* The signals are the loop's. */
static int create(struct pmg_inspect *inspect)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t every, before;
	int r;

	r = pthread_attr_init(&attr);
	if (r != 0)
		return r;
	(void)sigfillset(&every);
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	(void)pthread_attr_setstacksize(&attr, STACK);
	r = pthread_sigmask(SIG_SETMASK, &every, &before);
	if (r == 0) {
		r = pthread_create(&thread, &attr, run, inspect);
		(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	(void)pthread_attr_destroy(&attr);
	return r;
}

/* Locked. Without a thread nothing is known of it, and that is told. */
static void start(struct pmg_inspect *inspect)
{
	if (inspect->has_thread || inspect->is_done)
		return;
	inspect->has_thread = true;
	inspect->all->n_threads++;
	if (!inspect->result.failed && create(inspect) == 0)
		return;
	inspect->has_thread = false;
	inspect->all->n_threads--;
	fail(inspect, "no thread could be started");
	inspect->is_done = true;
	queue(inspect);
}

struct pmg_inspect *pmg_inspect_new(struct pmg_inspectors *inspectors,
				    struct pmg_inspect_what *what, void (*wake)(void *ctx),
				    void *ctx)
{
	struct pmg_inspect *inspect = pmg_xcalloc(1, sizeof *inspect);
	struct pmg_err err = PMG_ERR_INIT;

	inspect->all = inspectors;
	inspect->what = *what;
	*what = (struct pmg_inspect_what){ 0 };
	inspect->wake = wake;
	inspect->ctx = ctx;
	inspect->is_owned = true;
	if (pthread_cond_init(&inspect->moved, NULL) != 0)
		abort();
	inspect->ring = pmg_xmalloc(PMG_INSPECT_BUFFER);
	if ((inspect->what.sha256 && pmg_hasher_new(256, &inspect->hashers[0], &err) < 0) ||
	    (inspect->what.sha512 && pmg_hasher_new(512, &inspect->hashers[1], &err) < 0))
		fail(inspect, err.msg);
	return inspect;
}

void pmg_inspect_free(struct pmg_inspect *inspect)
{
	struct pmg_inspectors *all;
	bool has_thread;

	if (!inspect)
		return;
	all = inspect->all;
	inspect->is_cancelled = true;
	lock(all);
	unqueue(inspect);
	inspect->is_owned = false;
	has_thread = inspect->has_thread;
	(void)pthread_cond_signal(&inspect->moved);
	unlock(all);
	if (!has_thread)
		release(inspect);
}

static void put(struct pmg_inspect *inspect, const char *bytes, size_t len)
{
	size_t at = (inspect->at + inspect->len) % PMG_INSPECT_BUFFER;
	size_t tail = PMG_INSPECT_BUFFER - at;
	size_t first = len < tail ? len : tail;

	memcpy(inspect->ring + at, bytes, first);
	memcpy(inspect->ring, bytes + first, len - first);
	inspect->len += len;
}

bool pmg_inspect_feed(struct pmg_inspect *inspect, const void *bytes, size_t len)
{
	bool fits;

	assert(len <= PMG_INSPECT_BUFFER && !inspect->is_finished);
	lock(inspect->all);
	fits = inspect->is_done || len <= PMG_INSPECT_BUFFER - inspect->len;
	if (!inspect->is_done && fits)
		put(inspect, bytes, len);
	if (!fits || inspect->len > PMG_INSPECT_BUFFER / 2)
		start(inspect); /* only it makes room */
	inspect->is_waiting = !fits;
	(void)pthread_cond_signal(&inspect->moved);
	unlock(inspect->all);
	return fits;
}

void pmg_inspect_finish(struct pmg_inspect *inspect)
{
	lock(inspect->all);
	inspect->is_finished = true;
	start(inspect);
	if (inspect->is_done)
		queue(inspect); /* it failed early: told now */
	(void)pthread_cond_signal(&inspect->moved);
	unlock(inspect->all);
}

struct pmg_inspected *pmg_inspect_result(struct pmg_inspect *inspect)
{
	bool is_done;

	lock(inspect->all);
	is_done = inspect->is_done;
	unlock(inspect->all);
	return is_done ? &inspect->result : NULL;
}
