#include "pm/yarn_rc.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/path.h"
#include "base/str.h"
#include "conf/ini.h"
#include "conf/yamlscan.h"
#include "pm/yarn_lock.h"

#define RC_MAX 1048576U

/* One line of a .yarnrc, [at, end). */
struct cursor {
	const char *at;
	const char *end;
};

static void skip_blanks(struct cursor *c)
{
	while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
		c->at++;
}

/* "..." is JSON to yarn, escapes and all. NULL when it is none. */
static char *take_quoted(struct cursor *c)
{
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *list = NULL;
	const char *p = c->at + 1;
	const char *text;

	while (p < c->end && *p != '"')
		p += *p == '\\' && p + 1 < c->end ? 2 : 1;
	if (p >= c->end)
		return NULL;
	list = pmg_xasprintf("[%.*s]", (int)(p + 1 - c->at), c->at);
	if (pmg_json_parse("text", list, strlen(list), &json, &err) < 0)
		return NULL;
	text = pmg_json_text(pmg_json_at(json, 0));
	c->at = p + 1;
	return text ? pmg_xstrdup(text) : NULL;
}

/* Quoted, or up to a blank; a colon at its end is the YAML that yarn also takes. */
static char *take_key(struct cursor *c)
{
	const char *from = c->at;
	size_t len;

	if (c->at < c->end && *c->at == '"')
		return take_quoted(c);
	while (c->at < c->end && *c->at != ' ' && *c->at != '\t')
		c->at++;
	len = (size_t)(c->at - from);
	while (len > 0 && from[len - 1] == ':')
		len--;
	return len > 0 ? pmg_xstrndup(from, len) : NULL;
}

/* The rest of the line, without what stands round it. */
static char *take_value(struct cursor *c)
{
	skip_blanks(c);
	if (c->at < c->end && *c->at == ':')
		c->at++;
	skip_blanks(c);
	if (c->at < c->end && *c->at == '"')
		return take_quoted(c);
	while (c->end > c->at && strchr(" \t\r'", c->end[-1]))
		c->end--;
	while (c->at < c->end && *c->at == '\'')
		c->at++;
	return pmg_xstrndup(c->at, (size_t)(c->end - c->at));
}

/* "--install.https-proxy" gives each `yarn install` that option, which beats every variable. */
static const char *setting_of(const char *key)
{
	const char *dot = strrchr(key, '.');
	const char *name;

	if (strncmp(key, "--", 2) != 0)
		return key;
	name = dot ? dot + 1 : key + 2;
	if (strcmp(name, "https-proxy") == 0)
		return "--https-proxy";
	return strcmp(name, "proxy") == 0 ? "--proxy" : name;
}

static int take_line(struct pmg_settings *settings, const char *path, struct cursor *line,
		     unsigned number, struct pmg_err *err)
{
	pmg_autofree char *key = NULL;
	pmg_autofree char *value = NULL;
	const char *name;

	/* What is indented belongs to a key above, "env:" is one; none of ours has any. */
	if (line->at == line->end || strchr(" \t#\r", *line->at))
		return 0;
	key = take_key(line);
	value = key ? take_value(line) : NULL;
	name = value ? setting_of(key) : "";
	if (!*name) /* "--" is none either */
		return 0;
	return pmg_settings_add(settings, name, value, path, number, err);
}

int pmg_yarnrc_parse(struct pmg_settings *settings, const char *path, const char *text, size_t len,
		     struct pmg_err *err)
{
	const char *end = text + len, *p = text, *next;
	unsigned number = 1;
	int r = 0;

	for (; r == 0 && p < end; p = next) {
		struct cursor line = { p, pmg_yarn_line_end(p, end, false, &next) };

		r = take_line(settings, path, &line, number, err);
		number += next > line.end && next[-1] == '\n';
	}
	return r;
}

int pmg_yarnrc_read(struct pmg_settings *settings, const char *path, struct pmg_err *err)
{
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_io_slurp_optional(path, RC_MAX, &text, &len, err);

	if (r < 0 || !text)
		return r;
	return pmg_yarnrc_parse(settings, path, text, len, err);
}

/* Where a scan of a .yarnrc.yml puts what it finds. */
struct into {
	struct pmg_settings *settings;
	const char *path;
	const struct pmg_strv *env;
	struct pmg_err *err;
};

static bool is_one_of(const char *const *list, const char *word)
{
	for (; *list; list++)
		if (pmg_streq(*list, word))
			return true;
	return false;
}

static const char *const registries[] = { "npmRegistryServer", "npmPublishRegistry",
					  "npmAuditRegistry", NULL };
static const char *const paths[] = { "yarnPath",           "caFilePath",
				     "httpsCaFilePath",    "cacheFolder",
				     "globalFolder",       "pnpmStoreFolder",
				     "pnpUnpluggedFolder", "deferredVersionFolder",
				     "virtualFolder",      NULL };
static const char *const steering[] = { "httpProxy", "httpsProxy", "caFilePath", "httpsCaFilePath",
					NULL };

/* "<<" is no merge to berry, but an alias is one, and so is a key that is one. */
static bool is_unread(const struct pmg_yamlscan_at *at)
{
	const char *top = at->depth > 0 ? at->keys[0] : NULL;
	bool nested = pmg_streq(top, "npmScopes") || pmg_streq(top, "networkSettings");
	unsigned i;

	for (i = 0; i < at->depth && i < 3; i++)
		if (at->keys[i] && at->keys[i][0] == '\0')
			return i == 0 || nested;
	if (at->kind != PMG_YAMLSCAN_ALIAS)
		return false;
	return at->depth == 0 || nested || is_one_of(registries, top) || is_one_of(paths, top) ||
	       is_one_of(steering, top);
}

/* npmScopes: {acme: {npmRegistryServer: URL}}, networkSettings: {"*.test": {httpsProxy: URL}} */
static char *nested_key(const struct pmg_yamlscan_at *at)
{
	if (at->depth != 3 || !at->keys[1] || !at->keys[2])
		return NULL;
	if (pmg_streq(at->keys[0], "npmScopes") && is_one_of(registries, at->keys[2]))
		return pmg_xasprintf("%s%s:registry", at->keys[1][0] == '@' ? "" : "@",
				     at->keys[1]);
	if (pmg_streq(at->keys[0], "networkSettings") && is_one_of(steering, at->keys[2]))
		return pmg_xstrdup("networkSettings");
	return NULL;
}

static int take_yaml(void *ctx, const struct pmg_yamlscan_at *at, const char *value)
{
	struct into *into = ctx;
	pmg_autofree char *key = NULL;
	pmg_autofree char *text = NULL;

	if (is_unread(at))
		return pmg_settings_add(into->settings, PMG_YARN_UNREAD, "", into->path, at->line,
					into->err);
	if (at->kind != PMG_YAMLSCAN_SCALAR)
		return 0;
	key = at->depth == 1 && at->keys[0] ? pmg_settings_kebab(at->keys[0]) : nested_key(at);
	if (!key)
		return 0;
	text = pmg_ini_expand(value, into->env);
	if (at->depth == 1 && is_one_of(paths, at->keys[0]) && text[0] != '\0' && text[0] != '~') {
		pmg_autofree char *dir = pmg_path_dir(into->path);
		pmg_autofree char *joined = pmg_path_join(dir, text);

		free(text);
		text = pmg_path_clean(joined);
	}
	return pmg_settings_add(into->settings, key, text, into->path, at->line, into->err);
}

/* Behind such a comment berry expects the older form, which is no YAML. */
static bool is_legacy(const char *text)
{
	return strstr(text, "yarn lockfile v1") != NULL;
}

int pmg_yarnrc_yml_read(struct pmg_settings *settings, const char *path, const struct pmg_strv *env,
			struct pmg_err *err)
{
	struct into into = { .settings = settings, .path = path, .env = env, .err = err };
	struct pmg_err why = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_io_slurp_optional(path, RC_MAX, &text, &len, err);

	if (r < 0 || !text)
		return r;
	if (is_legacy(text))
		return pmg_settings_add(settings, PMG_YARN_UNREAD, "", path, 1, err);
	r = pmg_yamlscan(path, text, len, take_yaml, &into, &why);
	if (r == -PMG_E_PARSE) { /* which yarn may read to its end all the same */
		pmg_log_debug("not read to its end: %s", why.msg);
		return pmg_settings_add(settings, PMG_YARN_UNREAD, "", path, 1, err);
	}
	return r;
}
