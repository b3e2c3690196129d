#include "base/json_items.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(struct pmg_json_items *items)
{
	while (items->at < items->end && is_blank(*items->at))
		items->at++;
}

static int wrong(const struct pmg_json_items *items, const char *what, struct pmg_err *err)
{
	unsigned long long line = 1;
	const char *c;

	for (c = items->text; c < items->at; c++)
		line += *c == '\n';
	return pmg_err_set(err, PMG_E_PARSE, 0, "%s:%llu: %s", items->name, line, what);
}

/* @return whether that byte stands there; it is then behind */
static bool take(struct pmg_json_items *items, char c)
{
	skip_blanks(items);
	if (items->at == items->end || *items->at != c)
		return false;
	items->at++;
	return true;
}

/* At a quote. @return false: it has no end */
static bool skip_string(struct pmg_json_items *items)
{
	for (items->at++; items->at < items->end; items->at++) {
		if (*items->at == '"') {
			items->at++;
			return true;
		}
		if (*items->at == '\\' && items->at + 1 < items->end)
			items->at++;
	}
	return false;
}

/* At a bracket. Which closes which is for the parser to see. */
static bool skip_nested(struct pmg_json_items *items)
{
	size_t depth = 0;

	while (items->at < items->end) {
		char c = *items->at;

		if (c == '"') {
			if (!skip_string(items))
				return false;
			continue;
		}
		items->at++;
		depth += c == '[' || c == '{';
		depth -= c == ']' || c == '}';
		if (depth == 0)
			return true;
	}
	return false;
}

static bool skip_value(struct pmg_json_items *items)
{
	const char *begin = items->at;

	if (begin == items->end)
		return false;
	if (*begin == '"')
		return skip_string(items);
	if (*begin == '[' || *begin == '{')
		return skip_nested(items);
	while (items->at < items->end && !is_blank(*items->at) && *items->at &&
	       !strchr(",:]}[{\"", *items->at))
		items->at++;
	return items->at > begin;
}

int pmg_json_items_open(const char *name, const char *text, size_t len, struct pmg_json_items *out,
			struct pmg_err *err)
{
	struct pmg_json_items items = { .name = name, .text = text, .at = text, .end = text + len };

	if (take(&items, '['))
		items.close = ']';
	else if (take(&items, '{'))
		items.close = '}';
	else
		return wrong(&items, "neither an array nor an object", err);
	*out = items;
	return 0;
}

static int take_item(struct pmg_json_items *items, struct pmg_json_item *out, struct pmg_err *err)
{
	struct pmg_json_item item = { .key = NULL };

	skip_blanks(items);
	if (items->close == '}') {
		item.key = items->at;
		if (items->at == items->end || *items->at != '"' || !skip_string(items))
			return wrong(items, "a key is expected", err);
		item.key_len = (size_t)(items->at - item.key);
		if (!take(items, ':'))
			return wrong(items, "':' is expected", err);
		skip_blanks(items);
	}
	item.value = items->at;
	if (!skip_value(items))
		return wrong(items, "a value is expected, or has no end", err);
	item.len = (size_t)(items->at - item.value);
	*out = item;
	return 1;
}

int pmg_json_items_next(struct pmg_json_items *items, struct pmg_json_item *out,
			struct pmg_err *err)
{
	bool begun = items->begun;

	items->begun = true;
	if (take(items, items->close)) {
		skip_blanks(items);
		return items->at == items->end
			       ? 0
			       : wrong(items, "something stands behind the end", err);
	}
	if (begun && !take(items, ','))
		return wrong(items, "',' or the end is expected", err);
	return take_item(items, out, err);
}
