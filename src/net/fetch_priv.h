#ifndef PMG_NET_FETCH_PRIV_H
#define PMG_NET_FETCH_PRIV_H
/** What fetch.c and fetch_part.c share: the head of an answer, and the part that is on disk. */
#include "net/fetch.h"

/* Of the head of an answer what is looked at. */
struct fetch_head {
	char *etag, *last_modified, *challenge, *range, *coding;
};
void pmg_fetch_head_done(struct fetch_head *head);
/** Take a line, "Name: value\r\n". */
void pmg_fetch_head_line(struct fetch_head *head, const char *line, size_t len);
/** Where a "Content-Range: bytes N-M/T" begins, and T. @return false: it does not say */
bool pmg_fetch_range(const struct fetch_head *head, uint64_t *start, uint64_t *total);

struct transfer {
	CURL *easy;
	const struct pmg_fetch_want *want;
	struct pmg_err *err;
	struct fetch_head head; /* of the last answer */
	char *part, *note;      /* TO.part; TO.part.from, which says of what it is a part */
	char *part_tag;         /* validator of the part; NULL: it cannot be gone on with */
	int fd;                 /* of part */
	uint64_t have, resumed; /* bytes in it */
	uint64_t total;         /* of a 206: of the whole file */
	bool begun, discard;    /* the body of this answer */
	bool asked_if, asked_range;
	int r; /* of a callback */
};

/** Open or make the part, and see whether it can be gone on with. */
int pmg_fetch_part_open(struct transfer *t) PMG_MUST_CHECK;
/** Note of what the part is one, before its first byte. */
int pmg_fetch_part_note(const char *note, const char *url, const struct fetch_head *head,
			struct pmg_err *err) PMG_MUST_CHECK;
/** Begin it anew. */
void pmg_fetch_part_drop(struct transfer *t);
/** @param r  of the whole: what cannot be gone on with does not stay */
void pmg_fetch_part_close(struct transfer *t, int r);

struct curl_slist;
/** Headers of a request. @param first  it goes to the host that was asked for */
int pmg_fetch_headers(struct transfer *t, bool first, struct curl_slist **out) PMG_MUST_CHECK;

#endif
