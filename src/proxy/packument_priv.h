#ifndef PMG_PROXY_PACKUMENT_PRIV_H
#define PMG_PROXY_PACKUMENT_PRIV_H
/** What the reader of packuments (packument.c, of each version packument_version.c) notes for those
 * who look it up (packument_find.c) and plan the cuts (packument_filter.c). */
#include "pm/version.h"
#include "proxy/jsonstrict.h"
#include "proxy/packument.h"

#define PMG_NO_TIME UINT32_MAX

/* A member of "versions", "time" or "dist-tags": [at, end) from its key to the end of its value. */
struct pmg_npm_version {
	uint64_t at, end;
	int64_t published;
	uint32_t name; /* offset in texts; NUL-terminated */
	uint32_t time; /* index, or PMG_NO_TIME */
	bool has_own;  /* it has a "version" of its own */
	bool is_unreadable;
	bool is_deprecated;
};

struct pmg_npm_time {
	uint64_t at, end;
	uint64_t value_at; /* of a string; else 0 */
	int64_t when;
	uint32_t name;
};

struct pmg_npm_tag {
	uint64_t at, end;
	uint64_t value_at; /* of the string; end is its end */
	uint32_t name;
	uint32_t version; /* offset in texts; 0: the value is no string */
};

/* "dist" of the version at hand. */
struct pmg_npm_dist {
	bool is_there;
	bool has_tarball;
	bool is_tarball; /* the member at hand is */
	char *own;       /* in the document of one version: what its tarball says, until the end */
	bool is_bad;     /* there too: it is unreadable */
};

struct pmg_packument {
	enum pmg_packument_kind kind;
	struct pmg_jsonstrict scan;
	int section;   /* of the member of the document at hand */
	unsigned seen; /* bits of sections */
	int field;     /* of the member of a version at hand */
	struct pmg_npm_dist dist;
	pmg_tarball_fn tarball; /* NULL: nobody wants to know */
	void *tarball_ctx;
	struct pmg_str texts;
	struct pmg_npm_version *versions;
	struct pmg_npm_time *times;
	struct pmg_npm_tag *tags;
	size_t versions_n, versions_cap, times_n, times_cap, tags_n, tags_cap;
	uint32_t *sorted; /* versions by name */
	uint64_t total;
	int64_t modified;
	uint64_t modified_at, modified_end; /* of its string; 0: there is none */
	bool has_dates;
};

static inline const char *pmg_npm_text(const struct pmg_packument *doc, uint32_t at)
{
	return doc->texts.s + at;
}

static inline bool pmg_npm_is_value(const struct pmg_jsonstrict_item *item)
{
	return item->event != PMG_JSONSTRICT_KEY && item->event != PMG_JSONSTRICT_CLOSE;
}

/* packument_version.c */
int pmg_npm_in_version(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item);
/** The value of "dist", or its end. */
void pmg_npm_on_dist(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item);
int pmg_npm_in_dist(struct pmg_packument *doc, const struct pmg_jsonstrict_item *item);
/** Of the document of one version: its name is known by now. */
void pmg_npm_end_dist(struct pmg_packument *doc);

/** @return borrowed; NULL: there is no such version */
const struct pmg_npm_version *pmg_npm_find(const struct pmg_packument *doc, const char *version);

#endif
