#ifndef PMG_PROXY_SIMPLE_PRIV_H
#define PMG_PROXY_SIMPLE_PRIV_H
/** What the readers of an index page (simple_json.c, simple_html.c) note for simple.c. */
#include "proxy/simple.h"

/* [at, end) in the bytes: the object, or the link with its text. */
struct pmg_simple_entry {
	uint64_t at, end;
	int64_t published;
	uint32_t name;    /* offset in texts */
	uint32_t version; /* 0: none */
	bool is_unreadable;
};

/* An element of "versions". */
struct pmg_simple_version {
	uint64_t at, end;
	uint32_t text; /* 0: no string that can be read */
};

struct pmg_simple {
	char *project;
	void *reader; /* of the one or the other format */
	void (*reader_free)(void *reader);
	int (*feed)(struct pmg_simple *page, const char *bytes, size_t len, struct pmg_err *err);
	int (*finish)(struct pmg_simple *page, struct pmg_err *err);
	bool is_list; /* entries are elements of a list, with commas */
	struct pmg_str texts;
	struct pmg_simple_entry *files;
	struct pmg_simple_version *versions;
	size_t files_n, files_cap, versions_n, versions_cap;
	uint64_t total;
};

static inline const char *pmg_simple_text(const struct pmg_simple *page, uint32_t at)
{
	return at ? page->texts.s + at : NULL;
}

struct pmg_simple *pmg_simple_new(const char *project) PMG_MUST_CHECK;
/** Keep a text. @return 0; -PMG_E_LIMIT */
int pmg_simple_keep(struct pmg_simple *page, const char *text, uint32_t *out,
		    struct pmg_err *err) PMG_MUST_CHECK;

/* What a reference stands for. */
enum pmg_simple_reference {
	PMG_SIMPLE_NO_FILE,   /* of no package, for every client */
	PMG_SIMPLE_FILE,      /* *name is its file name */
	PMG_SIMPLE_UNREADABLE /* it could be read in two ways */
};
/** @param[out] name  caller frees; "" when unreadable */
enum pmg_simple_reference pmg_simple_reference(const char *reference, char **name);

/**
 * Note a file.
 * @param name       its own name; NULL: the one its address ends in
 * @param reference  its address
 * @return 0; -PMG_E_LIMIT
 */
int pmg_simple_add(struct pmg_simple *page, struct pmg_simple_entry entry, const char *name,
		   const char *reference, struct pmg_err *err) PMG_MUST_CHECK;

/**
 * Note what a link of HTML leads to, when that is a file.
 * @param taken  value of href, as it stands there
 */
int pmg_simple_add_link(struct pmg_simple *page, struct pmg_simple_entry entry, char *taken,
			struct pmg_err *err) PMG_MUST_CHECK;
/** May links be relative to that? Not when it names a file, or could. @param taken  as above */
bool pmg_simple_is_base(char *taken);

#endif
