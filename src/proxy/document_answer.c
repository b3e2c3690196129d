#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "proxy/document_priv.h"

#define PACKED_PIECE 2048U /* of what is inflated: at most a thousand times as much comes out */
#define FIELDS_ADDED 2U    /* to the head of a filtered answer */

/* Is one of the validators in a list that one? Weakly (RFC 9110, 13.1.2). */
static bool lists_etag(const char *list, const char *etag)
{
	size_t n;

	etag += strncmp(etag, "W/", 2) == 0 ? 2 : 0;
	for (; *list; list += strspn(list, ", \t")) {
		list += strncmp(list, "W/", 2) == 0 ? 2 : 0;
		n = *list == '"' ? 1 + strcspn(list + 1, "\"") : strcspn(list, ",");
		n += list[n] == '"';
		if (n == strlen(etag) && strncmp(list, etag, n) == 0)
			return true;
		list += n;
		if (n == 0)
			break;
	}
	return false;
}

/* Does the client have just that already? */
static bool is_unchanged(const struct pmg_document *document)
{
	const char *etag = pmg_head_get(&document->head, "etag");
	const char *modified = pmg_head_get(&document->head, "last-modified");

	if (document->if_none_match)
		return etag && lists_etag(document->if_none_match, etag);
	return document->if_modified_since && modified &&
	       strcmp(document->if_modified_since, modified) == 0;
}

/* What is left depends on the document as it was and on what is withheld; and says so. */
static void set_etag(struct pmg_document *document, const char *theirs)
{
	struct pmg_str text = PMG_STR_INIT(SIZE_MAX / 2);
	char hex[PMG_SHA256_HEX];
	size_t i;

	(void)!pmg_str_addf(&text, "%s\n", theirs);
	for (i = 0; i < document->filtered.n; i++)
		(void)!pmg_str_addf(&text, "%s %s\n",
				    document->filtered.withheld[i].version
					    ? document->filtered.withheld[i].version
					    : "",
				    document->filtered.withheld[i].file
					    ? document->filtered.withheld[i].file
					    : "");
	pmg_sha256_hex(text.s, text.len, hex);
	pmg_str_done(&text);
	(void)snprintf(document->etag, sizeof document->etag, "\"pmg-%.32s\"", hex);
}

static void add_field(struct pmg_head *head, const char *name, const char *value)
{
	head->fields[head->n++] = (struct pmg_field){ (char *)(size_t)name, (char *)(size_t)value };
}

/* Nothing in the head may let a cache take it for the whole, now or when the run is over. */
static void change_head(struct pmg_document *document)
{
	static const char *const theirs[] = { "etag",
					      "last-modified",
					      "cache-control",
					      "expires",
					      "age",
					      "content-encoding",
					      "content-md5",
					      "digest",
					      "content-digest",
					      "repr-digest",
					      "accept-ranges",
					      "content-length",
					      "npm-notice",
					      "x-checksum-sha1",
					      "x-checksum-md5" };
	struct pmg_head *head = &document->head;
	const char *etag = pmg_head_get(head, "etag");
	size_t i;

	if (etag)
		set_etag(document, etag);
	for (i = 0; i < PMG_ARRAY_LEN(theirs); i++)
		pmg_head_remove(head, theirs[i]);
	head->fields = pmg_xrealloc(head->fields, head->n + FIELDS_ADDED, sizeof *head->fields);
	add_field(head, "cache-control", "no-store");
	if (document->etag[0])
		add_field(head, "etag", document->etag);
}

static int sink(void *ctx, const char *bytes, size_t len)
{
	struct pmg_document *document = ctx;

	return pmg_str_add(&document->ready, bytes, len);
}

static int unchanged(struct pmg_document *document, int minor, bool keeps,
		     struct pmg_outgoing *outgoing, struct pmg_str *out)
{
	static char reason[] = "Not Modified";

	document->head.status = 304;
	document->head.reason = reason;
	pmg_head_remove(&document->head, "content-length");
	pmg_head_remove(&document->head, "content-encoding");
	return pmg_response_write(&document->head, PMG_FRAMING_NONE, 0, minor, keeps, outgoing,
				  out);
}

int pmg_document_start(struct pmg_document *document, int minor, bool keeps,
		       struct pmg_outgoing *outgoing, struct pmg_str *out, struct pmg_err *err)
{
	const char *encoding = pmg_head_get(&document->head, "content-encoding");
	bool is_unknown;
	uint64_t length = document->body.len;
	int r;

	if ((document->filters || document->is_lost) && document->why.code != 0) {
		(void)pmg_err_set(err, document->why.code, 0, "the document of %s: %s",
				  document->name, document->why.msg);
		return pmg_err_diag(err, PMG_DIAG_DOCUMENT);
	}
	if (document->is_filtered) {
		if (pmg_inflate_is_needed(encoding, &is_unknown))
			document->inflate = pmg_inflate_new(encoding);
		change_head(document);
		length = pmg_splice_length(&document->filtered.splice);
		pmg_splicer_init(&document->splicer, &document->filtered.splice, sink, document);
	}
	if (is_unchanged(document))
		return unchanged(document, minor, keeps, outgoing, out);
	r = pmg_response_write(&document->head, PMG_FRAMING_LENGTH, length, minor, keeps, outgoing,
			       out);
	return r < 0 ? pmg_err_set(err, PMG_E_LIMIT, 0, "the head of the answer is too large") : 1;
}

struct splicing {
	struct pmg_splicer *splicer;
	int r;
};

static void splice_on(void *ctx, const char *bytes, size_t len)
{
	struct splicing *splicing = ctx;

	if (splicing->r == 0)
		splicing->r = pmg_splicer_feed(splicing->splicer, bytes, len);
}

/* One more piece of the body through the splicer. @return 1: there was none */
static int splice_piece(struct pmg_document *document, struct pmg_err *err)
{
	struct splicing splicing = { &document->splicer, 0 };
	size_t n;
	int r = pmg_spooled_read(&document->body, document->at, document->piece,
				 document->inflate ? PACKED_PIECE : PMG_DOCUMENT_PIECE, &n, err);

	if (r < 0)
		return r;
	document->at += n;
	if (n == 0)
		splicing.r = pmg_splicer_finish(&document->splicer);
	else if (!document->inflate)
		splice_on(&splicing, document->piece, n);
	else if (pmg_inflate_feed(document->inflate, document->piece, n, splice_on, &splicing) < 0)
		splicing.r = -PMG_E_PARSE;
	if (splicing.r < 0)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "%s was not as it was read before",
				   document->name);
	return n == 0;
}

int pmg_document_pull(struct pmg_document *document, const char **bytes, size_t *len,
		      struct pmg_err *err)
{
	int r = 0;

	if (!document->is_filtered) {
		*bytes = document->piece;
		r = pmg_spooled_read(&document->body, document->at, document->piece,
				     PMG_DOCUMENT_PIECE, len, err);
		document->at += r < 0 ? 0 : *len;
		return r;
	}
	pmg_str_clear(&document->ready);
	while (r == 0 && document->ready.len < PMG_DOCUMENT_PIECE)
		r = splice_piece(document, err);
	*bytes = document->ready.s;
	*len = document->ready.len;
	return r < 0 ? r : 0;
}
