#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "cli/cmd_scan.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static struct json_t *hit_json(const struct pmg_scan *scan, const struct pmg_scan_hit *hit)
{
	const struct pmg_resolved_package *p = &scan->set.v[hit->at];
	const struct pmg_judgement *j = &hit->judgement;
	struct json_t *json = pmg_json_object();
	char code[PMG_DIAG_LEN];

	pmg_json_set_str(json, "ecosystem", pmg_eco_name(p->eco));
	pmg_json_set_str(json, "name", p->name);
	pmg_json_set_str(json, "version", p->version);
	pmg_json_set_str(json, "verdict", pmg_verdict_name(j->verdict));
	if (j->reason != PMG_REASON_NONE) {
		pmg_diag_text(pmg_reason_diag(j->reason), code);
		pmg_json_set_str(json, "reason", pmg_reason_text(j->reason));
		pmg_json_set_str(json, "code", code);
	}
	pmg_json_set(json, "ids", pmg_json_strv(&j->ids));
	pmg_json_set(json, "sources", pmg_json_strv(&j->sources));
	if (j->waivers.n > 0)
		pmg_json_set(json, "waivers", pmg_json_strv(&j->waivers));
	pmg_json_set_str(json, "rule", j->rule);
	pmg_json_set_str(json, "note", j->note);
	pmg_json_set_str(json, "file", p->file);
	if (p->line)
		pmg_json_set_int(json, "line", p->line);
	pmg_json_set_bool(json, "installed", p->installed);
	return json;
}

struct json_t *pmg_scan_json(const struct pmg_scan *scan)
{
	struct json_t *json = pmg_json_object();
	struct json_t *hits = pmg_json_array(), *let_in = pmg_json_array();
	pmg_auto(strv) struct pmg_strv waived = { 0 };
	size_t i;

	for (i = 0; i < scan->n_hits; i++)
		pmg_json_add(hits, hit_json(scan, &scan->hits[i]));
	for (i = 0; i < scan->n_let_in; i++)
		pmg_json_add(let_in, hit_json(scan, &scan->let_in[i]));
	pmg_scan_waived(scan, &waived);
	pmg_json_set_str(json, "path", scan->path);
	pmg_json_set_count(json, "packages", scan->set.n);
	pmg_json_set_count(json, "files", scan->set.files.n);
	pmg_json_set(json, "findings", hits);
	pmg_json_set(json, "let_in", let_in);
	pmg_json_set(json, "waived", pmg_json_strv(&waived));
	pmg_json_set(json, "unread", pmg_json_strv(&scan->set.unread));
	pmg_json_set(json, "skipped", pmg_json_strv(&scan->set.skipped));
	pmg_json_set(json, "index", pmg_intel_state_json(&scan->settings, &scan->info));
	return json;
}

/* SARIF */

/* A path as a URI reference (RFC 3986): absolute ones as file URIs, others as they are. */
static char *uri_of(const char *path)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(SIZE_MAX / 2);
	const unsigned char *c;

	while (strncmp(path, "./", 2) == 0)
		path += 2;
	(void)!pmg_str_adds(&out, path[0] == '/' ? "file://" : "");
	for (c = (const unsigned char *)path; *c; c++) {
		bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
			     (*c >= '0' && *c <= '9') || strchr("-._~/@+", (char)*c);

		(void)!pmg_str_addf(&out, plain ? "%c" : "%%%02X", *c);
	}
	return pmg_str_steal(&out);
}

static struct json_t *text_json(const char *text)
{
	struct json_t *json = pmg_json_object();

	pmg_json_set_str(json, "text", text);
	return json;
}

static struct json_t *location_json(const char *path, unsigned line)
{
	pmg_autofree char *uri = uri_of(path);
	struct json_t *location = pmg_json_object();
	struct json_t *physical = pmg_json_object();
	struct json_t *artifact = pmg_json_object();
	struct json_t *list = pmg_json_array();

	pmg_json_set_str(artifact, "uri", uri);
	pmg_json_set(physical, "artifactLocation", artifact);
	if (line > 0) {
		struct json_t *region = pmg_json_object();

		pmg_json_set_int(region, "startLine", line);
		pmg_json_set(physical, "region", region);
	}
	pmg_json_set(location, "physicalLocation", physical);
	pmg_json_add(list, location);
	return list;
}

static struct json_t *result_json(const char *rule, const char *message, const char *path,
				  unsigned line)
{
	struct json_t *json = pmg_json_object();

	pmg_json_set_str(json, "ruleId", rule);
	pmg_json_set_str(json, "level", "error");
	pmg_json_set(json, "message", text_json(message));
	pmg_json_set(json, "locations", location_json(path, line));
	return json;
}

static struct json_t *hit_result(const struct pmg_scan *scan, const struct pmg_scan_hit *hit)
{
	const struct pmg_resolved_package *p = &scan->set.v[hit->at];
	pmg_autofree char *why = pmg_scan_why(&hit->judgement);
	pmg_autofree char *message =
		pmg_xasprintf("%s%s%s (%s): %s", p->name, p->version ? "@" : "",
			      p->version ? p->version : "", pmg_eco_name(p->eco), why);
	char code[PMG_DIAG_LEN];

	pmg_diag_text(pmg_reason_diag(hit->judgement.reason), code);
	return result_json(code, message, p->file, p->line);
}

/* "PATH:LINE: why", or "PATH: why". */
static struct json_t *unread_result(const char *text)
{
	const char *end = strstr(text, ": ");
	pmg_autofree char *path = pmg_xstrndup(text, end ? (size_t)(end - text) : strlen(text));
	uint64_t line = 0;
	unsigned i;

	/* Line, and perhaps column. */
	for (i = 0; i < 2; i++) {
		char *colon = strrchr(path, ':');
		uint64_t n = 0;

		if (!colon || pmg_parse_uint(colon + 1, UINT32_MAX, &n) < 0)
			break;
		line = n;
		*colon = '\0';
	}
	return result_json("PMG3008", text, path, (unsigned)line);
}

/* Every rule that a result may name. */
static struct json_t *rules_json(void)
{
	struct json_t *list = pmg_json_array();
	struct json_t *unread = pmg_json_object();
	int reason, before = 0;

	for (reason = 0; reason < PMG_REASON_MAX; reason++) {
		int diag = pmg_reason_diag((enum pmg_reason)reason);
		struct json_t *rule;
		char code[PMG_DIAG_LEN];

		/* Two lists share a code, and stand beside each other. */
		if (diag == 0 || diag == before)
			continue;
		before = diag;
		pmg_diag_text(diag, code);
		rule = pmg_json_object();
		pmg_json_set_str(rule, "id", code);
		pmg_json_set(rule, "shortDescription",
			     text_json(pmg_reason_text((enum pmg_reason)reason)));
		pmg_json_add(list, rule);
	}
	pmg_json_set_str(unread, "id", "PMG3008");
	pmg_json_set(unread, "shortDescription", text_json("it cannot be read for sure"));
	pmg_json_add(list, unread);
	return list;
}

static struct json_t *tool_json(void)
{
	struct json_t *tool = pmg_json_object();
	struct json_t *driver = pmg_json_object();

	pmg_json_set_str(driver, "name", "pmg");
	pmg_json_set_str(driver, "version", PACKAGE_VERSION);
	pmg_json_set(driver, "rules", rules_json());
	pmg_json_set(tool, "driver", driver);
	return tool;
}

struct json_t *pmg_scan_sarif(const struct pmg_scan *scan)
{
	struct json_t *json = pmg_json_object();
	struct json_t *run = pmg_json_object();
	struct json_t *runs = pmg_json_array();
	struct json_t *results = pmg_json_array();
	size_t i;

	for (i = 0; i < scan->n_hits; i++)
		pmg_json_add(results, hit_result(scan, &scan->hits[i]));
	for (i = 0; i < scan->set.unread.n; i++)
		pmg_json_add(results, unread_result(scan->set.unread.v[i]));
	pmg_json_set(run, "tool", tool_json());
	pmg_json_set(run, "results", results);
	pmg_json_add(runs, run);
	pmg_json_set_str(json, "$schema", SCHEMA);
	pmg_json_set_str(json, "version", "2.1.0");
	pmg_json_set(json, "runs", runs);
	return json;
}
