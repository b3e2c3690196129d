#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "conf/yaml.h"

/* What the header promises of every node. @return how many nodes there are */
static size_t check(const struct pmg_yaml *node, unsigned depth)
{
	size_t n = 0, all = 1;

	free(pmg_yaml_where(node)); /* must end, whatever the keys are */
	if (node->line == 0 || node->column == 0 || depth > PMG_YAML_DEPTH_MAX + 1 ||
	    (node->kind == PMG_YAML_SCALAR) != (node->text != NULL) ||
	    (node->parent && node->parent->kind == PMG_YAML_MAP) != (node->key != NULL))
		abort();
	pmg_yaml_each (node, it) {
		/* The first of a name must be the only one. */
		if (it->parent != node || (it->key && pmg_yaml_get(node, it->key) != it))
			abort();
		all += check(it, depth + 1);
		n++;
	}
	if (n != node->n)
		abort();
	return all;
}

static bool is_utf8(const char *text)
{
	size_t left = strlen(text), n;
	uint32_t cp;

	for (; left > 0; text += n, left -= n) {
		n = pmg_utf8_len(text, left, &cp);
		if (n == 0)
			return false;
	}
	return true;
}

/* Any text, quoted, must come back as it was, and stay one value whatever it holds. */
static void quote(const char *text)
{
	pmg_autofree char *quoted = pmg_yaml_quote(text);
	pmg_autofree char *line = pmg_xasprintf("k: %s\n", quoted);
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_yaml_parse("q", line, strlen(line), &doc, &err) < 0 || doc->n != 1 ||
	    !doc->first->quoted)
		abort();
	if (is_utf8(text) && strcmp(doc->first->text, text) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_autofree char *text = pmg_xstrndup((const char *)data, size);
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	quote(text);
	if (pmg_yaml_parse("f", (const char *)data, size, &doc, &err) < 0) {
		if (doc || !strchr(err.msg, ':'))
			abort();
		return 0;
	}
	if (check(doc, 1) > PMG_YAML_NODES_MAX + 1)
		abort();
	return 0;
}
