#include "pm/facts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

void pmg_facts_done(struct pmg_facts *facts)
{
	size_t i;

	for (i = 0; i < facts->n_registries; i++) {
		pmg_url_done(&facts->registries[i].base);
		free(facts->registries[i].scope);
		free(facts->registries[i].origin.what);
	}
	for (i = 0; i < facts->n_sources; i++) {
		pmg_url_done(&facts->sources[i].url);
		free(facts->sources[i].name);
		free(facts->sources[i].version);
	}
	free(facts->registries);
	free(facts->sources);
	free(facts->https_proxy);
	free(facts->http_proxy);
	free(facts->no_proxy);
	pmg_strv_done(&facts->ca_files);
	pmg_strv_done(&facts->ca_dirs);
	pmg_strv_done(&facts->proxy_variables);
	pmg_strv_done(&facts->bundle_variables);
	pmg_strv_done(&facts->argv);
	pmg_strv_done(&facts->notes);
	pmg_strv_done(&facts->warnings);
	*facts = (struct pmg_facts){ 0 };
}

/* Takes out what is no part of the place, and ends the path in "/". */
static void to_base(struct pmg_url *url)
{
	char *path;

	free(url->userinfo);
	free(url->query);
	url->userinfo = url->query = NULL;
	if (pmg_str_has_suffix(url->path, "/"))
		return;
	path = pmg_xasprintf("%s/", url->path);
	free(url->path);
	url->path = path;
}

static bool is_same(const struct pmg_url *a, const struct pmg_url *b)
{
	return pmg_streq(a->scheme, b->scheme) && pmg_streq(a->host, b->host) &&
	       a->port == b->port && pmg_streq(a->path, b->path);
}

int pmg_facts_registry(struct pmg_facts *facts, enum pmg_eco eco, const char *url,
		       const char *scope, const char *what, unsigned line, struct pmg_err *err)
{
	const bool is_replaced = !scope && facts->has_default;
	pmg_auto(url) struct pmg_url base = { 0 };
	size_t i;
	int r;

	r = pmg_url_parse(url, &base, err);
	if (r < 0)
		return r;
	to_base(&base);
	for (i = 0; i < facts->n_registries; i++)
		if (facts->registries[i].eco == eco && is_same(&facts->registries[i].base, &base) &&
		    pmg_streq(facts->registries[i].scope, scope)) {
			facts->registries[i].is_private |= scope && facts->by_user;
			facts->registries[i].is_replaced &= is_replaced;
			return 0;
		}
	if (facts->n_registries >= PMG_REGISTRIES_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "more than %u registries",
				   PMG_REGISTRIES_MAX);
	facts->registries = pmg_grow(facts->registries, facts->n_registries, &facts->cap_registries,
				     sizeof *facts->registries);
	facts->registries[facts->n_registries++] = (struct pmg_registry){
		.eco = eco,
		.base = base,
		.scope = scope ? pmg_xstrdup(scope) : NULL,
		.origin = { .what = pmg_xstrdup(what), .line = line },
		.is_private = scope && facts->by_user,
		.is_replaced = is_replaced,
	};
	base = (struct pmg_url){ 0 };
	return 0;
}

int pmg_facts_try_registry(struct pmg_facts *facts, enum pmg_eco eco, const char *url,
			   const char *scope, const char *what, unsigned line, struct pmg_err *err)
{
	struct pmg_err why = PMG_ERR_INIT;
	int r = pmg_facts_registry(facts, eco, url, scope, what, line, &why);

	if (r == -PMG_E_LIMIT) {
		*err = why;
		return r;
	}
	if (r < 0 && line > 0)
		pmg_facts_note(facts, "%s:%u: registry not understood: %s", what, line, why.msg);
	else if (r < 0)
		pmg_facts_note(facts, "%s: registry not understood: %s", what, why.msg);
	return 0;
}

void pmg_facts_settle(struct pmg_facts *facts, const char *url)
{
	pmg_auto(url) struct pmg_url parsed = { 0 };
	struct pmg_err scratch = PMG_ERR_INIT;

	facts->has_default |= pmg_url_parse(url, &parsed, &scratch) == 0;
}

int pmg_facts_source(struct pmg_facts *facts, enum pmg_eco eco, const char *url, const char *name,
		     const char *version, struct pmg_err *err)
{
	pmg_autofree char *text = pmg_xstrndup(url, strcspn(url, "#"));
	pmg_auto(url) struct pmg_url parsed = { 0 };
	struct pmg_err why = PMG_ERR_INIT;

	if (pmg_url_parse(text, &parsed, &why) < 0 || pmg_str_has_suffix(parsed.path, ".git"))
		return 0;
	if (facts->n_sources >= PMG_SOURCES_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "more than %u package addresses",
				   PMG_SOURCES_MAX);
	free(parsed.userinfo);
	parsed.userinfo = NULL;
	facts->sources = pmg_grow(facts->sources, facts->n_sources, &facts->cap_sources,
				  sizeof *facts->sources);
	facts->sources[facts->n_sources++] = (struct pmg_source){
		.eco = eco,
		.url = parsed,
		.name = name ? pmg_xstrdup(name) : NULL,
		.version = version ? pmg_xstrdup(version) : NULL,
	};
	parsed = (struct pmg_url){ 0 };
	return 0;
}

static void say(struct pmg_strv *list, const char *fmt, va_list ap) PMG_PRINTF(2, 0);
static void say(struct pmg_strv *list, const char *fmt, va_list ap)
{
	pmg_autofree char *text = pmg_xvasprintf(fmt, ap);

	(void)pmg_strv_add_once(list, text);
}

void pmg_facts_note(struct pmg_facts *facts, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(&facts->notes, fmt, ap);
	va_end(ap);
}

void pmg_facts_warn(struct pmg_facts *facts, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(&facts->warnings, fmt, ap);
	va_end(ap);
}
