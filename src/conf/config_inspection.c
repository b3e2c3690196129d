#include "conf/config_inspection.h"

#include <string.h>

#include "base/str.h"
#include "conf/config.h"
#include "conf/tighten.h"

void pmg_config_inspection_init(struct pmg_config_inspection *inspection)
{
	inspection->enabled = true;
	inspection->block = pmg_trait_blocking();
	inspection->report = PMG_TRAIT_ALL;
}

void pmg_config_inspection_names(uint32_t bits, struct pmg_strv *out)
{
	unsigned kind;

	for (kind = 0; kind < PMG_TRAIT_MAX; kind++)
		if (bits & PMG_TRAIT_BIT(kind))
			pmg_strv_add(out, pmg_trait_name(kind));
}

static int read_kind(const struct pmg_yaml *item, uint32_t *bits, struct pmg_err *err)
{
	enum pmg_trait kind = PMG_TRAIT_MAX;
	const char *near;

	if (item->kind != PMG_YAML_SCALAR)
		return pmg_yaml_err(err, item, "a list of kinds of findings is expected");
	kind = pmg_trait_parse(item->text);
	if (kind == PMG_TRAIT_MAX) {
		pmg_autofree char *text = pmg_str_quote(item->text, strlen(item->text), 64);

		(void)pmg_yaml_err(err, item, "no finding is called \"%s\"", text);
		near = pmg_str_nearest(item->text, pmg_trait_names());
		return near ? pmg_err_hint(err, "did you mean \"%s\"?", near)
			    : pmg_err_hint(err, "docs/config.md lists them");
	}
	if (*bits & PMG_TRAIT_BIT(kind))
		return pmg_yaml_err(err, item, "\"%s\" is there twice", item->text);
	*bits |= PMG_TRAIT_BIT(kind);
	return 0;
}

static int read_kinds(const struct pmg_yaml *value, uint32_t *out, struct pmg_err *err)
{
	uint32_t bits = 0;
	int r = 0;

	if (value->kind != PMG_YAML_SEQ) {
		pmg_autofree char *name = pmg_yaml_where(value);

		return pmg_yaml_err(err, value, "\"%s\" must be a list", name);
	}
	pmg_yaml_each (value, item) {
		r = read_kind(item, &bits, err);
		if (r < 0)
			return r;
	}
	*out = bits;
	return 0;
}

static int read_block(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	return read_kinds(value, &((struct pmg_config *)out)->inspection.block, err);
}

static int read_report(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	return read_kinds(value, &((struct pmg_config *)out)->inspection.report, err);
}

/* Added to what holds without it: a project does not say what is left out. */
static int read_more(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	struct pmg_config *config = out;
	uint32_t before = config->inspection.block;
	int r = read_kinds(value, &config->inspection.block, err);

	config->inspection.block |= before;
	return r;
}

static int read_on(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	((struct pmg_config *)out)->inspection.enabled = true;
	return pmg_tighten_only(value, "true", err);
}

const struct pmg_key pmg_config_inspection_keys[] = {
	{ .name = "enabled",
	  .kind = PMG_KEY_BOOL,
	  .offset = offsetof(struct pmg_config, inspection.enabled) },
	{ .name = "block", .kind = PMG_KEY_CALL, .read = read_block },
	{ .name = "report", .kind = PMG_KEY_CALL, .read = read_report },
	{ 0 },
};

const struct pmg_key pmg_config_inspection_project_keys[] = {
	{ .name = "enabled", .kind = PMG_KEY_CALL, .read = read_on },
	{ .name = "block", .kind = PMG_KEY_CALL, .read = read_more },
	{ .name = "report", .kind = PMG_KEY_CALL, .read = pmg_tighten_not_here },
	{ 0 },
};
