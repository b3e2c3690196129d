#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conf/toml.h"

/* What the header promises of every node. @return how many nodes there are */
static size_t check(const struct pmg_toml *node, unsigned depth)
{
	bool leaf = node->kind == PMG_TOML_STRING || node->kind == PMG_TOML_WORD;
	const struct pmg_toml *youngest = NULL;
	size_t n = 0, all = 1;

	if (node->line == 0 || depth > PMG_TOML_DEPTH_MAX + 1 || leaf != (node->text != NULL) ||
	    (node->parent && node->parent->kind == PMG_TOML_TABLE) != (node->key != NULL) ||
	    (leaf && node->first))
		abort();
	pmg_toml_each(node, it)
	{
		if (it->parent != node || (it->key && !pmg_toml_get(node, it->key)))
			abort();
		all += check(it, depth + 1);
		youngest = it;
		n++;
	}
	if (n != node->n || youngest != node->last)
		abort();
	return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_auto(toml) struct pmg_toml *doc = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_toml_parse("f", (const char *)data, size, &doc, &err) < 0) {
		if (doc || err.code != PMG_E_LIMIT)
			abort();
		return 0;
	}
	if (check(doc, 0) > PMG_TOML_NODES_MAX + 1)
		abort();
	return 0;
}
