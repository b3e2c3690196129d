#include "proxy/learn.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "pm/version.h"
#include "proxy/htmlscan.h"
#include "proxy/inflate.h"
#include "proxy/jsonscan.h"
#include "proxy/place.h"
#include "proxy/weburl.h"

#define NPM_LEVELS 5U /* versions / V / dist / tarball, and the document itself */

/* Where in an npm document we are: what the key at each depth was. */
enum npm_key { KEY_OTHER, KEY_VERSIONS, KEY_A_VERSION, KEY_VERSION, KEY_DIST, KEY_TARBALL };

struct npm {
	enum npm_key at[NPM_LEVELS];
	char version[PMG_VERSION_MAX + 1]; /* key of the versions object */
	char own[PMG_VERSION_MAX + 1];     /* version of a document of one version */
	char *tarball;                     /* of such a document */
};

struct pypi {
	unsigned files;    /* depth of the "files" array, 0 when not in it */
	bool is_url;       /* the key at hand is "url" */
	bool is_files_key; /* the key at hand is "files" */
};

struct pmg_learner {
	struct pmg_catalog *catalog;
	size_t registry;
	enum pmg_eco eco;
	struct pmg_url page; /* HTML: as <base href> says from there on */
	bool has_base;
	char *name;
	struct pmg_inflate *inflate; /* NULL when the body is not compressed */
	void (*scan)(struct pmg_learner *learner, const char *bytes, size_t len);
	bool is_done; /* nothing more can be read */
	struct npm npm;
	struct pypi pypi;
	struct pmg_jsonscan *json;
	struct pmg_htmlscan *html;
};

void pmg_learner_free(struct pmg_learner *learner)
{
	if (!learner)
		return;
	pmg_url_done(&learner->page);
	pmg_inflate_free(learner->inflate);
	free(learner->name);
	free(learner->npm.tarball);
	free(learner->json);
	free(learner->html);
	free(learner);
}

static void found_npm(struct pmg_learner *learner, const char *reference, const char *version)
{
	struct pmg_err scratch = PMG_ERR_INIT;
	pmg_auto(url) struct pmg_url url = { 0 };
	bool is_odd;
	pmg_autofree char *address = pmg_weburl(reference, &is_odd);

	if (pmg_reference_resolve(&learner->page, address ? address : reference, &url, &scratch) <
	    0)
		return;
	pmg_catalog_learn(learner->catalog, learner->registry, PMG_PATH_ARTIFACT, &url,
			  learner->name, version);
}

void pmg_learner_found(struct pmg_learner *learner, const char *version, const char *reference)
{
	found_npm(learner, reference, version);
}

/* Pages link to other things too; only what has a package's ending, or no ending that we know but
 * a fragment with a digest, is a file of the project. */
static void found_pypi(struct pmg_learner *learner, const char *reference)
{
	struct pmg_err scratch = PMG_ERR_INIT;
	pmg_auto(url) struct pmg_url url = { 0 };
	pmg_autofree char *plain = NULL;
	pmg_autofree char *version = NULL;

	if (pmg_reference_resolve(&learner->page, reference, &url, &scratch) < 0)
		return;
	plain = pmg_path_plain(url.path);
	if (!plain || (!pmg_path_looks_like_artifact(plain) && !strchr(reference, '#')))
		return;
	version = pmg_identity_pypi_version(strrchr(plain, '/') + 1, learner->name);
	pmg_catalog_learn(learner->catalog, learner->registry, PMG_PATH_ARTIFACT, &url,
			  learner->name, version);
}

static enum npm_key npm_key(const struct npm *npm, const struct pmg_jsonscan_item *item)
{
	static const struct {
		unsigned depth;
		enum npm_key below;
		const char *text;
		enum npm_key key;
	} rows[] = {
		{ 1, KEY_OTHER, "versions", KEY_VERSIONS },
		{ 1, KEY_OTHER, "version", KEY_VERSION },
		{ 1, KEY_OTHER, "dist", KEY_DIST },
		{ 2, KEY_DIST, "tarball", KEY_TARBALL },
		{ 3, KEY_A_VERSION, "dist", KEY_DIST },
		{ 4, KEY_DIST, "tarball", KEY_TARBALL },
	};
	enum npm_key below = npm->at[item->depth - 1];
	size_t i;

	if (item->depth == 2 && below == KEY_VERSIONS)
		return KEY_A_VERSION;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (rows[i].depth == item->depth && rows[i].below == below &&
		    strcmp(rows[i].text, item->text) == 0 && strlen(rows[i].text) == item->len)
			return rows[i].key;
	return KEY_OTHER;
}

static void keep_version(char version[PMG_VERSION_MAX + 1], const struct pmg_jsonscan_item *item)
{
	version[0] = '\0'; /* too long: no version, so that no other's is taken for it */
	if (item->len <= PMG_VERSION_MAX)
		memcpy(version, item->text, item->len + 1);
}

static void on_npm_string(struct pmg_learner *learner, const struct pmg_jsonscan_item *item)
{
	struct npm *npm = &learner->npm;

	if (item->cut || item->depth >= NPM_LEVELS)
		return;
	if (npm->at[item->depth] == KEY_VERSION && item->depth == 1) {
		keep_version(npm->own, item);
	} else if (npm->at[item->depth] == KEY_TARBALL && item->depth == 4) {
		found_npm(learner, item->text, npm->version[0] ? npm->version : NULL);
	} else if (npm->at[item->depth] == KEY_TARBALL) {
		free(npm->tarball);
		npm->tarball = pmg_xstrdup(item->text);
	}
}

static void on_npm(void *ctx, const struct pmg_jsonscan_item *item)
{
	struct pmg_learner *learner = ctx;
	struct npm *npm = &learner->npm;

	switch (item->event) {
	case PMG_JSONSCAN_KEY:
		if (item->depth >= NPM_LEVELS)
			return;
		npm->at[item->depth] = npm_key(npm, item);
		if (npm->at[item->depth] == KEY_A_VERSION)
			keep_version(npm->version, item);
		break;
	case PMG_JSONSCAN_STRING:
		on_npm_string(learner, item);
		break;
	case PMG_JSONSCAN_OBJECT:
	case PMG_JSONSCAN_ARRAY: /* what is in it has no key of ours yet */
		if (item->depth + 1 < NPM_LEVELS)
			npm->at[item->depth + 1] = KEY_OTHER;
		break;
	case PMG_JSONSCAN_OBJECT_END:
		if (item->depth == 0 && npm->tarball)
			found_npm(learner, npm->tarball, npm->own[0] ? npm->own : NULL);
		break;
	case PMG_JSONSCAN_ARRAY_END:
		break;
	}
}

static void on_pypi_json(void *ctx, const struct pmg_jsonscan_item *item)
{
	struct pmg_learner *learner = ctx;
	struct pypi *pypi = &learner->pypi;

	switch (item->event) {
	case PMG_JSONSCAN_KEY:
		pypi->is_files_key = item->depth == 1 && strcmp(item->text, "files") == 0;
		pypi->is_url = pypi->files && item->depth == pypi->files + 2 &&
			       strcmp(item->text, "url") == 0;
		break;
	case PMG_JSONSCAN_STRING:
		if (pypi->is_url && item->depth == pypi->files + 2 && !item->cut)
			found_pypi(learner, item->text);
		break;
	case PMG_JSONSCAN_ARRAY:
		if (pypi->is_files_key && item->depth == 1)
			pypi->files = 1;
		break;
	case PMG_JSONSCAN_ARRAY_END:
		if (item->depth == 1)
			pypi->files = 0;
		break;
	case PMG_JSONSCAN_OBJECT:
	case PMG_JSONSCAN_OBJECT_END:
		pypi->is_url = false;
		break;
	}
}

static void on_link(void *ctx, const char *tag, const char *href)
{
	struct pmg_err scratch = PMG_ERR_INIT;
	struct pmg_learner *learner = ctx;
	pmg_auto(url) struct pmg_url url = { 0 };

	if (strcmp(tag, "base") != 0) {
		found_pypi(learner, href);
	} else if (!learner->has_base &&
		   pmg_reference_resolve(&learner->page, href, &url, &scratch) == 0) {
		pmg_url_done(&learner->page);
		learner->page = url;
		url = (struct pmg_url){ 0 };
		learner->has_base = true; /* the first one counts */
	}
}

static void scan_json(struct pmg_learner *learner, const char *bytes, size_t len)
{
	pmg_jsonscan_feed(learner->json, bytes, len);
}

static void scan_html(struct pmg_learner *learner, const char *bytes, size_t len)
{
	pmg_htmlscan_feed(learner->html, bytes, len);
}

/* Media type without its parameters: "application/vnd.pypi.simple.v1+json". */
static bool type_has(const char *type, const char *word)
{
	size_t n = strcspn(type, ";"), len = strlen(word), i;

	for (i = 0; i + len <= n; i++)
		if (strncasecmp(type + i, word, len) == 0)
			return true;
	return false;
}

/* Chooses the scanner. @return false: none for this type */
static bool choose(struct pmg_learner *learner, const char *type)
{
	if (learner->eco == PMG_ECO_PYPI && type && type_has(type, "html")) {
		learner->html = pmg_xmalloc(sizeof *learner->html);
		pmg_htmlscan_init(learner->html, on_link, learner);
		learner->scan = scan_html;
		return true;
	}
	/* Clients of npm parse JSON whatever the type says. */
	if (learner->eco != PMG_ECO_NPM && !(type && type_has(type, "json")))
		return false;
	learner->json = pmg_xmalloc(sizeof *learner->json);
	pmg_jsonscan_init(learner->json, learner->eco == PMG_ECO_NPM ? on_npm : on_pypi_json,
			  learner);
	learner->scan = scan_json;
	return true;
}

struct pmg_learner *pmg_learner_new(struct pmg_catalog *catalog, size_t registry,
				    const struct pmg_url *page, const char *name, const char *type,
				    const char *encoding)
{
	pmg_auto(learner) struct pmg_learner *learner = pmg_xcalloc(1, sizeof *learner);
	bool is_unknown, is_compressed = pmg_inflate_is_needed(encoding, &is_unknown);

	if (is_unknown)
		return NULL;
	learner->catalog = catalog;
	learner->registry = registry;
	learner->eco = pmg_catalog_eco(catalog, registry);
	if (!choose(learner, type))
		return NULL;
	learner->page = (struct pmg_url){ .scheme = pmg_xstrdup(page->scheme),
					  .host = pmg_xstrdup(page->host),
					  .port = page->port,
					  .path = pmg_xstrdup(page->path) };
	learner->name = pmg_xstrdup(name);
	learner->inflate = is_compressed ? pmg_inflate_new(encoding) : NULL;
	return pmg_steal_ptr(&learner);
}

static void scan_inflated(void *ctx, const char *bytes, size_t len)
{
	struct pmg_learner *learner = ctx;

	learner->scan(learner, bytes, len);
}

void pmg_learner_feed(struct pmg_learner *learner, const char *bytes, size_t len)
{
	if (learner->is_done || len == 0)
		return;
	if (!learner->inflate)
		learner->scan(learner, bytes, len);
	else if (pmg_inflate_feed(learner->inflate, bytes, len, scan_inflated, learner) < 0)
		learner->is_done = true; /* the client will not be able to read it either */
}
