#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "proxy/learn.h"

static const struct {
	size_t registry;
	const char *page, *type, *encoding;
} ways[] = {
	{ 0, "https://npm.test/x", "application/json", NULL },
	{ 0, "https://npm.test/x", "application/json", "gzip" },
	{ 1, "https://pypi.test/simple/x/", "application/vnd.pypi.simple.v1+json", NULL },
	{ 1, "https://pypi.test/simple/x/", "text/html", NULL },
	{ 1, "https://pypi.test/simple/x/", "text/html", "deflate" },
};

/* The first byte picks registry, type and coding, the second how the body is cut. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_auto(catalog) struct pmg_catalog *catalog = pmg_catalog_new();
	pmg_auto(learner) struct pmg_learner *learner = NULL;
	pmg_auto(strv) struct pmg_strv hosts = { 0 };
	pmg_auto(url) struct pmg_url page = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	size_t way, piece, i;

	if (size < 3)
		return 0;
	way = data[0] % PMG_ARRAY_LEN(ways);
	piece = (size_t)data[1] + 1;
	if (pmg_catalog_add_registry(catalog, PMG_ECO_NPM, "https://npm.test/", &err) < 0 ||
	    pmg_catalog_add_registry(catalog, PMG_ECO_PYPI, "https://pypi.test/simple/", &err) <
		    0 ||
	    pmg_url_parse(ways[way].page, &page, &err) < 0)
		abort();
	learner = pmg_learner_new(catalog, ways[way].registry, &page, "x", ways[way].type,
				  ways[way].encoding);
	if (!learner)
		abort();
	for (i = 2; i < size; i += piece)
		pmg_learner_feed(learner, (const char *)data + i,
				 size - i < piece ? size - i : piece);
	pmg_catalog_learned(catalog, &hosts);
	for (i = 0; i < hosts.n; i++) /* what the cache will hold must be lines of three words */
		if (strpbrk(hosts.v[i], "\r\n\t") || !strrchr(hosts.v[i], ':'))
			abort();
	return 0;
}
