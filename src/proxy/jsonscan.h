#ifndef PMG_PROXY_JSONSCAN_H
#define PMG_PROXY_JSONSCAN_H
/**
 * Look into a JSON document while it streams by, in fixed memory, whatever its
 * size and wherever the network cuts it. It is lenient on purpose: the client
 * parses the document too and fails on a wrong one; what must not happen is
 * that the client reads something which the scanner missed.
 * RFC 8259. Text is given unescaped, as UTF-8.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMG_JSONSCAN_TEXT_MAX  8192U /* a longer key or string arrives cut */
#define PMG_JSONSCAN_DEPTH_MAX 64U   /* below it nothing is reported; nesting itself is unlimited */

enum pmg_jsonscan_event {
	PMG_JSONSCAN_OBJECT,
	PMG_JSONSCAN_OBJECT_END,
	PMG_JSONSCAN_ARRAY,
	PMG_JSONSCAN_ARRAY_END,
	PMG_JSONSCAN_KEY,
	PMG_JSONSCAN_STRING
};

/* What is reported. Numbers and literals are not. */
struct pmg_jsonscan_item {
	enum pmg_jsonscan_event event;
	const char *text; /* key or string, NUL-terminated; may hold NUL bytes before len */
	size_t len;
	bool cut;       /* text was longer than PMG_JSONSCAN_TEXT_MAX */
	unsigned depth; /* containers around it: 0 for the outermost one itself */
};

typedef void (*pmg_jsonscan_fn)(void *ctx, const struct pmg_jsonscan_item *item);

struct pmg_jsonscan {
	pmg_jsonscan_fn fn;
	void *ctx;
	int state;
	uint64_t depth;
	bool is_object[PMG_JSONSCAN_DEPTH_MAX + 1]; /* of the container at that depth */
	bool expects_key;
	bool cut;
	uint32_t unit;    /* \uXXXX at hand */
	unsigned digits;  /* of it */
	uint32_t leading; /* first half of a surrogate pair, 0 when none */
	size_t len;
	char text[PMG_JSONSCAN_TEXT_MAX + 1];
};

void pmg_jsonscan_init(struct pmg_jsonscan *scan, pmg_jsonscan_fn fn, void *ctx);
/** Look at the next piece; calls fn for what it completes. */
void pmg_jsonscan_feed(struct pmg_jsonscan *scan, const char *bytes, size_t len);

#endif
