#include "pm/pnpm_lock.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "conf/yamlscan.h"
#include "pm/facts.h"
#include "pm/npm_lock.h"

/* The package now being read; its entry ends where the next one begins. */
struct reading {
	struct pmg_facts *facts;
	struct pmg_err *err;
	char *key;
	char *tarball;
	char *name;
	char *version;
};

static void forget(struct reading *r)
{
	free(r->key);
	free(r->tarball);
	free(r->name);
	free(r->version);
	r->key = r->tarball = r->name = r->version = NULL;
}

void pmg_pnpm_lock_split(const char *key, char **name, char **version)
{
	const char *begin = key[0] == '/' ? key + 1 : key, *cut;
	size_t len = strcspn(begin, "(");
	const char *at = len > 0 ? memchr(begin + 1, '@', len - 1) : NULL;
	pmg_autofree char *rest = NULL;

	if (key[0] == '/' && (!at || memchr(begin, '_', len))) {
		/* The version follows the last slash: a scope has one of its own. */
		for (cut = begin + len; cut > begin && *cut != '/';)
			cut--;
		at = cut > begin ? cut : at;
	}
	if (!at)
		return;
	rest = pmg_xstrndup(at + 1, (size_t)(begin + len - at) - 1);
	rest[strcspn(rest, "_")] = '\0';
	*name = pmg_xstrndup(begin, (size_t)(at - begin));
	if (isdigit((unsigned char)rest[0]))
		*version = pmg_steal_ptr(&rest);
}

static int flush(struct reading *r)
{
	pmg_autofree char *name = NULL;
	pmg_autofree char *version = NULL;
	int ret = 0;

	if (r->tarball) {
		pmg_pnpm_lock_split(r->key, &name, &version);
		ret = pmg_facts_source(r->facts, PMG_ECO_NPM, r->tarball, r->name ? r->name : name,
				       r->version ? r->version : version, r->err);
	}
	forget(r);
	return ret;
}

static void set(char **slot, const char *value)
{
	free(*slot);
	*slot = pmg_xstrdup(value);
}

static int take(void *ctx, const struct pmg_yamlscan_at *at, const char *value)
{
	struct reading *r = ctx;
	int ret = 0;

	if (at->kind != PMG_YAMLSCAN_SCALAR || at->depth < 3 ||
	    !pmg_streq(at->keys[0], "packages") || !at->keys[1] || !at->keys[2])
		return 0;
	if (!pmg_streq(r->key, at->keys[1])) {
		ret = flush(r);
		r->key = pmg_xstrdup(at->keys[1]);
	}
	if (at->depth == 4 && strcmp(at->keys[2], "resolution") == 0 &&
	    pmg_streq(at->keys[3], "tarball"))
		set(&r->tarball, value);
	else if (at->depth == 3 && strcmp(at->keys[2], "name") == 0)
		set(&r->name, value);
	else if (at->depth == 3 && strcmp(at->keys[2], "version") == 0)
		set(&r->version, value);
	return ret;
}

int pmg_pnpm_lock_parse(struct pmg_facts *facts, const char *name, const char *text, size_t len,
			struct pmg_err *err)
{
	struct reading reading = { .facts = facts, .err = err };
	int r, last;

	/* Escapes could hide the word: "t\x61rball". */
	if (!memmem(text, len, "tarball", 7) && !memmem(text, len, "\\", 1))
		return 0;
	r = pmg_yamlscan(name, text, len, take, &reading, err);
	last = r == 0 ? flush(&reading) : 0;
	forget(&reading);
	return r == 0 ? last : r;
}
