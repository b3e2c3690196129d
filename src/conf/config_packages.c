#include "conf/config_packages.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "conf/config.h"
#include "conf/tighten.h"
#include "conf/units.h"

#define PURL_MAX   4096U
#define TEXT_MAX   1024U
#define ID_MAX     256U
#define DAY_S      86400U
#define DAYS_MAX   (PMG_PACKAGES_AGE_MAX_S / DAY_S)
#define AGE_WORDS  "must be an age with its unit (36h, 7d, 2w)"
#define DATE_WORDS "must be a day like 2027-01-31, or a time like 2027-01-31T10:00:00Z"

static const char *const modes[] = { "filter", "fail", NULL };
static const char *const undateds[] = { "warn", "block", NULL };
static const char *const fixes[] = { "pass", "wait", NULL };
const char *const pmg_config_private_origins[] = { "warn", "block", NULL };

int pmg_config_parse_age(const char *text, uint64_t *out_s)
{
	return pmg_duration_parse(text, PMG_PACKAGES_AGE_MAX_S, out_s);
}

int pmg_config_parse_day(const char *text, int64_t *out)
{
	pmg_autofree char *whole = NULL;

	if (strlen(text) == strlen("2027-01-31"))
		whole = pmg_xasprintf("%sT00:00:00Z", text);
	return pmg_clock_parse(whole ? whole : text, out);
}

static struct pmg_packages *packages_of(void *out)
{
	return &((struct pmg_config *)out)->packages;
}

static int bad(const struct pmg_yaml *value, const char *what, struct pmg_err *err)
{
	pmg_autofree char *where = pmg_yaml_where(value);
	pmg_autofree char *shown =
		value->text ? pmg_str_quote(value->text, strlen(value->text), 64) : NULL;

	return pmg_yaml_err(err, value, "\"%s\" %s%s%s%s", where, what, shown ? ", not \"" : "",
			    shown ? shown : "", shown ? "\"" : "");
}

static int read_seconds(const struct pmg_yaml *value, uint64_t *out, struct pmg_err *err)
{
	int r = value->kind == PMG_YAML_SCALAR ? pmg_config_parse_age(value->text, out)
					       : -PMG_E_PARSE;

	if (r == -PMG_E_LIMIT)
		return bad(value, "must be less than ten years", err);
	return r < 0 ? bad(value, AGE_WORDS, err) : 0;
}

static void set_place(struct pmg_packages_entry *entry, const struct pmg_yaml *value)
{
	entry->where = pmg_xasprintf("%s:%u", value->file, value->line);
	entry->column = value->column;
}

/* Of all packages. That a file says it twice, as days and as age, is no reason to guess. */
static int add_base(const struct pmg_yaml *value, void *out, uint64_t age_s, struct pmg_err *err)
{
	struct pmg_packages *packages = packages_of(out);
	struct pmg_packages_entry entry = { .age_s = age_s };
	size_t i;

	if (age_s == 0) {
		(void)bad(value, "must be more than nothing", err);
		return pmg_err_hint(err, "\"enabled: false\" switches the wait off");
	}
	for (i = 0; i < packages->ages.n; i++)
		if (!packages->ages.v[i].purl)
			return pmg_yaml_key_err(err, value,
						"\"days\" and \"age\" say the same "
						"thing: keep one of them");
	set_place(&entry, value);
	pmg_packages_add(&packages->ages, &entry);
	return 0;
}

static int read_days(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	uint64_t days;

	if (value->kind != PMG_YAML_SCALAR || value->quoted ||
	    pmg_parse_uint(value->text, DAYS_MAX, &days) < 0) {
		(void)bad(value, "must be a whole number of days", err);
		return pmg_err_hint(err, "\"age\" takes other units: 36h, 2w");
	}
	return add_base(value, out, days * DAY_S, err);
}

static int read_age(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	uint64_t age_s;
	int r = read_seconds(value, &age_s, err);

	return r < 0 ? r : add_base(value, out, age_s, err);
}

static int read_entry_age(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	return read_seconds(value, &((struct pmg_packages_entry *)out)->age_s, err);
}

static int read_expires(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	struct pmg_packages_entry *entry = out;

	if (value->kind != PMG_YAML_SCALAR ||
	    pmg_config_parse_day(value->text, &entry->expires) < 0 || entry->expires <= 0)
		return bad(value, DATE_WORDS, err);
	return 0;
}

#define ROW_PURL                                                                                   \
	{                                                                                          \
		.name = "purl", .kind = PMG_KEY_STR, .flags = PMG_KEY_REQUIRED,                    \
		.offset = offsetof(struct pmg_packages_entry, purl), .max = PURL_MAX               \
	}
#define ROW_EXPIRES                                                                                \
	{                                                                                          \
		.name = "expires", .kind = PMG_KEY_CALL, .read = read_expires                      \
	}
#define ROW_REASON(FLAGS)                                                                          \
	{                                                                                          \
		.name = "reason", .kind = PMG_KEY_STR, .flags = (FLAGS),                           \
		.offset = offsetof(struct pmg_packages_entry, reason), .max = TEXT_MAX             \
	}

static const struct pmg_key waiver_keys[] = { ROW_PURL, ROW_REASON(0), ROW_EXPIRES, { 0 } };
static const struct pmg_key age_keys[] = {
	ROW_PURL,
	{ .name = "age", .kind = PMG_KEY_CALL, .flags = PMG_KEY_REQUIRED, .read = read_entry_age },
	{ 0 },
};

static int read_entry(const struct pmg_key *rows, const struct pmg_yaml *item,
		      struct pmg_packages_list *list, struct pmg_err *err)
{
	pmg_auto(packages_entry) struct pmg_packages_entry entry = { 0 };
	int r = pmg_keys_read(rows, item, &entry, err);

	if (r < 0 && item->kind == PMG_YAML_SCALAR && rows == waiver_keys)
		return pmg_err_hint(err, "{purl: \"pkg:npm/name@1.2.3\", reason: \"...\"}");
	if (r < 0)
		return r;
	set_place(&entry, item);
	pmg_packages_add(list, &entry);
	return 0;
}

static int read_age_rule(const struct pmg_yaml *item, void *out, struct pmg_err *err)
{
	return read_entry(age_keys, item, &packages_of(out)->ages, err);
}

static int read_skip(const struct pmg_yaml *item, void *out, struct pmg_err *err)
{
	return read_entry(waiver_keys, item, &packages_of(out)->skip, err);
}

int pmg_config_read_trusted(const struct pmg_yaml *item, void *out, struct pmg_err *err)
{
	return read_entry(waiver_keys, item, &packages_of(out)->trusted, err);
}

/* An override before its parts become a package URL. */
struct override {
	struct pmg_packages_entry entry; /* first: its rows are those of entries */
	int ecosystem;
	char *name, *version;
};

static void override_done(struct override *o)
{
	pmg_packages_entry_done(&o->entry);
	free(o->name);
	free(o->version);
}
PMG_DEFINE_AUTO_DONE(override, struct override, override_done);

static const struct pmg_key override_keys[] = {
	{ .name = "ecosystem",
	  .kind = PMG_KEY_ENUM,
	  .flags = PMG_KEY_REQUIRED,
	  .offset = offsetof(struct override, ecosystem),
	  .words = pmg_config_ecosystems },
	{ .name = "name",
	  .kind = PMG_KEY_STR,
	  .flags = PMG_KEY_REQUIRED,
	  .offset = offsetof(struct override, name),
	  .max = TEXT_MAX },
	{ .name = "version",
	  .kind = PMG_KEY_STR,
	  .flags = PMG_KEY_REQUIRED,
	  .offset = offsetof(struct override, version),
	  .max = TEXT_MAX },
	{ .name = "id",
	  .kind = PMG_KEY_STR,
	  .flags = PMG_KEY_REQUIRED,
	  .offset = offsetof(struct override, entry.id),
	  .max = ID_MAX },
	ROW_REASON(PMG_KEY_REQUIRED),
	ROW_EXPIRES,
	{ 0 },
};

int pmg_config_read_override(const struct pmg_yaml *item, void *out, struct pmg_err *err)
{
	pmg_auto(override) struct override o = { 0 };
	int r = pmg_keys_read(override_keys, item, &o, err);

	if (r < 0)
		return r;
	/* The parts are one package, not a text with parts of its own. */
	if (strpbrk(o.name, "%?#*") || strpbrk(o.version, "%?#*/"))
		return pmg_yaml_err(err, item, "\"name\" or \"version\" is none of a package");
	o.entry.purl = pmg_xasprintf("pkg:%s/%s@%s", pmg_config_ecosystems[o.ecosystem], o.name,
				     o.version);
	set_place(&o.entry, item);
	pmg_packages_add(&packages_of(out)->overrides, &o.entry);
	return 0;
}

#define LIST(KEY, FN)                                                                              \
	{                                                                                          \
		.name = (KEY), .kind = PMG_KEY_LIST, .max = PMG_PACKAGES_ENTRIES_MAX, .read = (FN) \
	}
#define WORD(KEY, MEMBER, WORDS)                                                                   \
	{                                                                                          \
		.name = (KEY), .kind = PMG_KEY_ENUM,                                               \
		.offset = offsetof(struct pmg_config, packages.MEMBER), .words = (WORDS)           \
	}
#define CALL(KEY, FN)                                                                              \
	{                                                                                          \
		.name = (KEY), .kind = PMG_KEY_CALL, .read = (FN)                                  \
	}

const struct pmg_key pmg_config_cooldown_keys[] = {
	{ .name = "enabled",
	  .kind = PMG_KEY_BOOL,
	  .offset = offsetof(struct pmg_config, packages.enabled) },
	CALL("days", read_days),
	CALL("age", read_age),
	WORD("mode", mode, modes),
	WORD("undated", undated, undateds),
	WORD("security_fixes", fixes, fixes),
	LIST("ages", read_age_rule),
	LIST("skip", read_skip),
	{ 0 },
};

static int read_project_enabled(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	packages_of(out)->enabled = true;
	return pmg_tighten_only(value, "true", err);
}

static int read_project_mode(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	packages_of(out)->mode = PMG_COOLDOWN_FAIL;
	return pmg_tighten_only(value, modes[PMG_COOLDOWN_FAIL], err);
}

static int read_project_undated(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	packages_of(out)->undated = PMG_UNDATED_BLOCK;
	return pmg_tighten_only(value, undateds[PMG_UNDATED_BLOCK], err);
}

static int read_project_fixes(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	packages_of(out)->fixes = PMG_FIXES_WAIT;
	return pmg_tighten_only(value, fixes[PMG_FIXES_WAIT], err);
}

/* Ages may stand in it whatever they are: of two the longer one counts. */
const struct pmg_key pmg_config_project_cooldown_keys[] = {
	CALL("enabled", read_project_enabled),
	CALL("days", read_days),
	CALL("age", read_age),
	CALL("mode", read_project_mode),
	CALL("undated", read_project_undated),
	CALL("security_fixes", read_project_fixes),
	LIST("ages", read_age_rule),
	CALL("skip", pmg_tighten_not_here),
	{ 0 },
};
