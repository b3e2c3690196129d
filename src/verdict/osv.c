#include "verdict/osv.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "pm/version.h"
#include "verdict/osv_priv.h"

static const char *const malware_prefixes[] = { "MAL-", "LWA-" };
static const char test_prefix[] = "MAL-0000-";

static void affected_done(struct pmg_osv_affected *a)
{
	size_t i;

	free(a->name);
	pmg_strv_done(&a->versions);
	for (i = 0; i < a->n_intervals; i++) {
		free(a->intervals[i].low);
		free(a->intervals[i].high);
	}
	free(a->intervals);
	free(a->digests);
	*a = (struct pmg_osv_affected){ 0 };
}
PMG_DEFINE_AUTO_DONE(affected, struct pmg_osv_affected, affected_done);

void pmg_osv_done(struct pmg_osv *record)
{
	size_t i;

	free(record->id);
	for (i = 0; i < record->n_affected; i++)
		affected_done(&record->affected[i]);
	free(record->affected);
	pmg_fixes_done(&record->fixes);
	pmg_strv_done(&record->notes);
	free(record->note);
	*record = (struct pmg_osv){ 0 };
}

static bool has_malware_prefix(const char *id)
{
	size_t i;

	for (i = 0; id && i < PMG_ARRAY_LEN(malware_prefixes); i++)
		if (pmg_str_has_prefix(id, malware_prefixes[i]))
			return true;
	return false;
}

static bool is_malware(const struct json_t *json, const char *id)
{
	const struct json_t *aliases = pmg_json_get(json, "aliases");
	const struct json_t *own = pmg_json_get(json, "database_specific");
	size_t i;

	if (has_malware_prefix(id))
		return true;
	for (i = 0; i < pmg_json_len(aliases); i++)
		if (has_malware_prefix(pmg_json_text(pmg_json_at(aliases, i))))
			return true;
	return pmg_json_len(pmg_json_get(own, "malicious-packages-origins")) > 0;
}

/* @return 1: ours; 0: another ecosystem, or no package at all; -PMG_E_PARSE */
static int read_package(const struct json_t *entry, struct pmg_osv_affected *out,
			struct pmg_err *err)
{
	const struct json_t *package = pmg_json_get(entry, "package");
	const char *eco = pmg_json_str(package, "ecosystem");
	const char *name = pmg_json_str(package, "name");
	struct pmg_err scratch = PMG_ERR_INIT;

	if (!eco || pmg_eco_parse(eco, &out->eco, &scratch) < 0)
		return 0;
	if (!name || *name == '\0')
		return pmg_err_set(err, PMG_E_PARSE, 0, "a package has no name");
	if (strlen(name) > PMG_NAME_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "a name is longer than %u bytes",
				   PMG_NAME_MAX);
	out->name = pmg_name_canonical(out->eco, name);
	return 1;
}

static int read_versions(const struct json_t *list, struct pmg_osv_affected *out,
			 struct pmg_err *err)
{
	size_t i, n = pmg_json_len(list);
	const char *version;

	if (n > PMG_OSV_VERSIONS_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "more than %u versions",
				   PMG_OSV_VERSIONS_MAX);
	for (i = 0; i < n; i++) {
		version = pmg_json_text(pmg_json_at(list, i));
		if (!version || *version == '\0')
			return pmg_err_set(err, PMG_E_PARSE, 0, "version %zu is no text", i + 1);
		if (strlen(version) > PMG_VERSION_MAX)
			return pmg_err_set(err, PMG_E_LIMIT, 0, "version %zu is too long", i + 1);
		pmg_strv_take(&out->versions, pmg_version_canonical(out->eco, version));
	}
	return 0;
}

static int read_digest(const char *key, const char *text, struct pmg_digest *out,
		       struct pmg_err *err)
{
	if (pmg_streq(key, "sha512_sri"))
		return pmg_digest_sri(text, out, err);
	return pmg_digest_hex(pmg_streq(key, "sha512") ? PMG_DIGEST_SHA512 : PMG_DIGEST_SHA256,
			      text, out, err);
}

/* Of one artifact. A digest that cannot be read takes nothing from the names and versions. */
static void read_hashes(const struct json_t *hashes, struct pmg_osv_affected *out,
			struct pmg_strv *notes)
{
	static const char *const keys[] = { "sha512_sri", "sha512", "sha256" };
	struct pmg_digest digest = { 0 };
	struct pmg_err why = PMG_ERR_INIT;
	const char *text;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(keys); i++) {
		text = pmg_json_str(hashes, keys[i]);
		if (!text && !pmg_json_get(hashes, keys[i]))
			continue;
		if (!text || read_digest(keys[i], text, &digest, &why) < 0) {
			pmg_strv_addf(notes, "%s of an artifact is passed over: %s", keys[i],
				      text ? why.msg : "it is no text");
			continue;
		}
		out->digests = pmg_grow(out->digests, out->n_digests, &out->cap_digests,
					sizeof *out->digests);
		out->digests[out->n_digests++] = digest;
	}
}

static int read_artifacts(const struct json_t *own, struct pmg_osv_affected *out,
			  struct pmg_strv *notes, struct pmg_err *err)
{
	const struct json_t *list =
		pmg_json_get(pmg_json_get(own, "indicators"), "package_integrity");
	size_t i, n = pmg_json_len(list);

	if (n > PMG_OSV_VERSIONS_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "more than %u artifacts",
				   PMG_OSV_VERSIONS_MAX);
	for (i = 0; i < n; i++)
		read_hashes(pmg_json_get(pmg_json_at(list, i), "hashes"), out, notes);
	return 0;
}

/* One item of `affected`. */
static int read_affected(const struct json_t *entry, struct pmg_osv *record, struct pmg_err *err)
{
	pmg_auto(affected) struct pmg_osv_affected a = { 0 };
	int r = read_package(entry, &a, err);

	if (r <= 0) {
		record->elsewhere += r == 0;
		return r;
	}
	r = read_versions(pmg_json_get(entry, "versions"), &a, err);
	if (r == 0)
		r = pmg_osv_read_ranges(pmg_json_get(entry, "ranges"), &a, &record->notes, err);
	if (r == 0)
		r = read_artifacts(pmg_json_get(entry, "database_specific"), &a, &record->notes,
				   err);
	if (r < 0)
		return r;
	if (a.versions.n == 0 && a.n_intervals == 0 && a.n_digests == 0)
		return pmg_err_set(err, PMG_E_PARSE, 0, "neither versions nor ranges");
	record->affected = pmg_grow(record->affected, record->n_affected, &record->cap_affected,
				    sizeof *record->affected);
	record->affected[record->n_affected++] = a;
	a = (struct pmg_osv_affected){ 0 };
	return 0;
}

static int read_head(const struct json_t *json, struct pmg_osv *record, struct pmg_err *err)
{
	const char *id = pmg_json_str(json, "id"), *modified = pmg_json_str(json, "modified");
	const struct json_t *withdrawn = pmg_json_get(json, "withdrawn");

	if (!pmg_json_is_object(json))
		return pmg_err_set(err, PMG_E_PARSE, 0, "not a JSON object");
	if (!id || *id == '\0')
		return pmg_err_set(err, PMG_E_PARSE, 0, "no id");
	if (strlen(id) > PMG_OSV_ID_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "id is longer than %u bytes",
				   PMG_OSV_ID_MAX);
	if (modified && pmg_clock_parse(modified, &record->modified) < 0)
		return pmg_err_set(err, PMG_E_PARSE, 0, "modified is no date");
	record->id = pmg_xstrdup(id);
	record->withdrawn = withdrawn && !pmg_json_is_null(withdrawn);
	record->malware = is_malware(json, id);
	record->test = pmg_str_has_prefix(id, test_prefix);
	return 0;
}

/* What can be read of a record counts: one odd entry must not let the others pass. */
static int read_record(const struct json_t *json, struct pmg_osv *record, struct pmg_err *err)
{
	const struct json_t *affected = pmg_json_get(json, "affected");
	size_t i, n = pmg_json_len(affected);
	int r = read_head(json, record, err), failed = 0;

	if (r == 0 && !record->malware && !record->withdrawn)
		pmg_fixes_read(affected, &record->fixes);
	if (r < 0 || !record->malware || record->test)
		return r;
	for (i = 0; i < n; i++) {
		r = read_affected(pmg_json_at(affected, i), record, err);
		if (r >= 0)
			continue;
		failed = pmg_err_wrap(err, "affected[%zu]", i);
		pmg_strv_add(&record->notes, err->msg);
	}
	if (record->withdrawn || record->n_affected > 0)
		return 0; /* a record that is taken back need not say what it was */
	if (failed < 0)
		return failed;
	if (record->elsewhere == 0)
		return pmg_err_set(err, PMG_E_PARSE, 0, "names no package");
	return 0;
}

int pmg_osv_parse(const char *text, size_t len, struct pmg_osv *out, struct pmg_err *err)
{
	pmg_auto(json) struct json_t *json = NULL;
	pmg_auto(osv) struct pmg_osv record = { 0 };
	int r = pmg_json_parse("record", text, len, &json, err);

	if (r == 0)
		r = read_record(json, &record, err);
	if (r < 0)
		return r;
	*out = record;
	record = (struct pmg_osv){ 0 };
	return 0;
}
