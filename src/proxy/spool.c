#include "proxy/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pmg_spool {
	int fd;
	size_t memory;                              /* in use, of all */
	size_t n_used;                              /* blocks */
	uint32_t next;                              /* the first that was never used */
	size_t n_free;                              /* given back, below next */
	uint32_t free_blocks[PMG_SPOOL_BLOCKS_MAX]; /* the first n_free of them */
};

int pmg_spool_open(void)
{
	static const char *const folders[] = { "/var/tmp", "/tmp" };
	size_t i;
	int fd = -1;

	for (i = 0; i < PMG_ARRAY_LEN(folders) && fd < 0; i++)
		fd = open(folders[i], O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	return fd;
}

struct pmg_spool *pmg_spool_new(int fd)
{
	struct pmg_spool *spool = pmg_xcalloc(1, sizeof *spool);

	spool->fd = fd;
	return spool;
}

void pmg_spool_free(struct pmg_spool *spool)
{
	if (!spool)
		return;
	if (spool->fd >= 0)
		(void)close(spool->fd);
	free(spool);
}

static void give_back(struct pmg_spool *spool, uint32_t block)
{
	spool->free_blocks[spool->n_free++] = block;
	if (--spool->n_used > 0)
		return;
	/* Nobody needs a byte of it: the disk gets all back at once. */
	(void)!ftruncate(spool->fd, 0);
	spool->n_free = 0;
	spool->next = 0;
}

void pmg_spooled_done(struct pmg_spooled *body)
{
	struct pmg_spool *spool = body->spool;
	size_t i;

	if (spool)
		spool->memory -= body->memory.len;
	for (i = 0; i < body->n_blocks; i++)
		give_back(spool, body->blocks[i]);
	pmg_str_done(&body->memory);
	free(body->blocks);
	*body = (struct pmg_spooled){ .spool = spool };
}

static int add_block(struct pmg_spooled *body, struct pmg_err *err)
{
	struct pmg_spool *spool = body->spool;

	if (spool->fd < 0 || spool->n_used == PMG_SPOOL_BLOCKS_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "no room for so large a document");
	body->blocks =
		pmg_grow(body->blocks, body->n_blocks, &body->cap_blocks, sizeof *body->blocks);
	body->blocks[body->n_blocks++] =
		spool->n_free > 0 ? spool->free_blocks[--spool->n_free] : spool->next++;
	spool->n_used++;
	return 0;
}

/* Where byte `at` of the file's part is; and how far its block goes. */
static off_t place(const struct pmg_spooled *body, uint64_t at, size_t *left)
{
	uint64_t within = at % PMG_SPOOL_BLOCK;

	*left = (size_t)(PMG_SPOOL_BLOCK - within);
	return (off_t)(body->blocks[at / PMG_SPOOL_BLOCK] * (uint64_t)PMG_SPOOL_BLOCK + within);
}

static int add_to_file(struct pmg_spooled *body, const char *bytes, size_t len, struct pmg_err *err)
{
	uint64_t at = body->len - body->memory.len;
	size_t left;
	off_t offset;
	ssize_t n;

	while (len > 0) {
		if (at / PMG_SPOOL_BLOCK == body->n_blocks && add_block(body, err) < 0)
			return -PMG_E_LIMIT;
		offset = place(body, at, &left);
		n = pwrite(body->spool->fd, bytes, len < left ? len : left, offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return pmg_err_set(err, PMG_E_SYS, n < 0 ? errno : ENOSPC,
					   "a document could not be put aside");
		bytes += n;
		len -= (size_t)n;
		at += (size_t)n;
		body->len += (size_t)n;
	}
	return 0;
}

/* How much more of it may stay in memory. */
static size_t memory_left(const struct pmg_spooled *body)
{
	size_t all = PMG_SPOOL_MEMORY_MAX - body->spool->memory;
	size_t one = PMG_SPOOL_ONE_MAX - body->memory.len;

	if (body->n_blocks > 0) /* what follows goes behind what is in the file */
		return 0;
	return all < one ? all : one;
}

int pmg_spooled_add(struct pmg_spooled *body, const char *bytes, size_t len, struct pmg_err *err)
{
	size_t n = memory_left(body);

	if (len > PMG_SPOOL_BODY_MAX - body->len)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "a document of more than %llu bytes",
				   (unsigned long long)PMG_SPOOL_BODY_MAX);
	n = n < len ? n : len;
	body->memory.max = PMG_SPOOL_ONE_MAX;
	if (n > 0 && pmg_str_add(&body->memory, bytes, n) < 0)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "a document outgrew its memory");
	body->spool->memory += n;
	body->len += n;
	return n < len ? add_to_file(body, bytes + n, len - n, err) : 0;
}

int pmg_spooled_read(const struct pmg_spooled *body, uint64_t at, char *to, size_t room, size_t *n,
		     struct pmg_err *err)
{
	size_t left, want;
	off_t offset;
	ssize_t got;

	*n = 0;
	if (at >= body->len)
		return 0;
	if (at < body->memory.len) {
		left = body->memory.len - (size_t)at;
		*n = left < room ? left : room;
		memcpy(to, body->memory.s + at, *n);
		return 0;
	}
	offset = place(body, at - body->memory.len, &left);
	want = room < left ? room : left;
	if (want > body->len - at)
		want = (size_t)(body->len - at);
	do
		got = pread(body->spool->fd, to, want, offset);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return pmg_err_set(err, PMG_E_SYS, got < 0 ? errno : EIO,
				   "a document that was put aside cannot be read");
	*n = (size_t)got;
	return 0;
}
