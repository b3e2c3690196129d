#ifndef PMG_NET_FETCH_PRIV_H
#define PMG_NET_FETCH_PRIV_H
/** What fetch.c and fetch_part.c share: the head of an answer, and the part of a file that is on
 *  disk. */
#include "net/fetch.h"

/* The fields of an answer's head that matter; NULL: it has none. */
struct pmg_fetch_head {
	char *etag, *last_modified, *challenge, *range, *coding;
};
void pmg_fetch_head_done(struct pmg_fetch_head *head);
/** Look at one line of the head, "Name: value\r\n". */
void pmg_fetch_head_line(struct pmg_fetch_head *head, const char *line, size_t len);
/** Read "Content-Range: bytes N-M/T". @param[out] start, total  N and T. @return false: there is
 *  none, or it cannot be read */
bool pmg_fetch_range(const struct pmg_fetch_head *head, uint64_t *start, uint64_t *total);

/* One fetch, with all its redirects. */
struct pmg_fetch_transfer {
	CURL *easy;
	const struct pmg_fetch_want *want;
	struct pmg_err *err;
	struct pmg_fetch_head head; /* of the last answer */
	char *part, *note;      /* paths: TO.part; TO.part.from, which says what it is a part of */
	char *part_tag;         /* ETag of the part's file; NULL: the fetch cannot be continued */
	int fd;                 /* of part */
	uint64_t have, resumed; /* bytes in it; bytes that were in it before */
	uint64_t total;         /* of a 206: length of the whole file */
	bool begun, discard;    /* the body of this answer: has it begun, is it thrown away */
	bool asked_if, asked_range; /* this request was for changes alone, for the rest alone */
	int r;                      /* what a callback failed with */
};

/** Open or make the part, and find out whether the fetch can be continued. */
int pmg_fetch_part_open(struct pmg_fetch_transfer *t) PMG_MUST_CHECK;
/** Before its first byte: write down what it is a part of. */
int pmg_fetch_part_note(const char *note, const char *url, const struct pmg_fetch_head *head,
			struct pmg_err *err) PMG_MUST_CHECK;
/** Empty it, to begin anew. */
void pmg_fetch_part_drop(struct pmg_fetch_transfer *t);
/** @param r  how the fetch ended. After a failure the part stays only if it can be continued. */
void pmg_fetch_part_close(struct pmg_fetch_transfer *t, int r);

struct curl_slist;
/** Headers of a request. @param first  to the host of want->url: it gets `authorization` */
int pmg_fetch_headers(struct pmg_fetch_transfer *t, bool first,
		      struct curl_slist **out) PMG_MUST_CHECK;

#endif
