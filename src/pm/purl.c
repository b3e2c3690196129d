#include "pm/purl.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "pm/version.h"

#define SHOWN_MAX 200U

void pmg_purl_done(struct pmg_purl *purl)
{
	free(purl->name);
	free(purl->version);
	*purl = (struct pmg_purl){ 0 };
}

static int bad(struct pmg_err *err, const char *text, const char *why)
{
	pmg_autofree char *shown = pmg_str_quote(text, strlen(text), SHOWN_MAX);

	(void)pmg_err_set(err, PMG_E_PARSE, 0, "package URL \"%s\": %s", shown, why);
	return pmg_err_hint(err, "write it like pkg:npm/name@1.0.0, pkg:npm/%%40scope/name or "
				 "pkg:pypi/name");
}

/* "npm/" of the rest; *rest then stands behind it. */
static int take_type(const char *text, const char **rest, enum pmg_eco *eco, struct pmg_err *err)
{
	const char *slash = strchr(*rest, '/');
	pmg_autofree char *type = slash ? pmg_xstrndup(*rest, (size_t)(slash - *rest)) : NULL;
	struct pmg_err scratch = PMG_ERR_INIT;

	if (!type)
		return bad(err, text, "no type");
	if (pmg_eco_parse(type, eco, &scratch) < 0)
		return bad(err, text, "its type is neither npm nor pypi");
	*rest = slash;
	while (**rest == '/')
		(*rest)++;
	return 0;
}

/* Cuts "@version" off; the scope's own "@", written plainly, is no separator. */
static int take_version(const char *text, char *rest, char **version, struct pmg_err *err)
{
	char *slash = strrchr(rest, '/');
	char *at = strrchr(slash ? slash : rest, '@');

	if (!at || at == rest)
		return 0;
	*version = pmg_url_decode(at + 1);
	if (!*version || **version == '\0')
		return bad(err, text, "its version cannot be read");
	*at = '\0';
	return 0;
}

/* What stands before qualifiers and subpath, without slashes at its end. */
static char *take_path(const char *rest)
{
	size_t len = strcspn(rest, "?#");

	while (len > 0 && rest[len - 1] == '/')
		len--;
	return pmg_xstrndup(rest, len);
}

int pmg_purl_parse(const char *text, struct pmg_purl *out, struct pmg_err *err)
{
	pmg_autofree char *path = NULL;
	pmg_autofree char *version = NULL;
	pmg_autofree char *name = NULL;
	const char *rest;
	enum pmg_eco eco = PMG_ECO_MAX;
	int r;

	if (strlen(text) > PMG_PURL_MAX)
		return bad(err, text, "too long");
	if (!pmg_str_has_prefix_nocase(text, "pkg:"))
		return bad(err, text, "it does not begin with pkg:");
	rest = text + strlen("pkg:");
	while (*rest == '/')
		rest++;
	r = take_type(text, &rest, &eco, err);
	if (r < 0)
		return r;
	path = take_path(rest);
	r = take_version(text, path, &version, err);
	if (r < 0)
		return r;
	name = pmg_url_decode(path);
	if (!name || !pmg_name_is_valid(eco, name))
		return bad(err, text, "its name cannot be read");
	if (version && strlen(version) > PMG_VERSION_MAX)
		return bad(err, text, "its version is too long");
	out->eco = eco;
	out->name = pmg_name_canonical(eco, name);
	out->version = pmg_steal_ptr(&version);
	return 0;
}

/* Escapes all but what the specification leaves alone; "/" stays between scope and name. */
static void add_escaped(struct pmg_str *out, const char *s, const char *plain)
{
	for (; *s; s++) {
		bool keep = (*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') ||
			    (*s >= 'A' && *s <= 'Z') || strchr(plain, *s);

		if (keep)
			(void)!pmg_str_add(out, s, 1); /* room: three times the longest parts */
		else
			(void)!pmg_str_addf(out, "%%%02X", (unsigned)(unsigned char)*s);
	}
}

char *pmg_purl_format(const struct pmg_purl *purl)
{
	struct pmg_str out = PMG_STR_INIT(3U * (PMG_NAME_MAX + PMG_VERSION_MAX) + 64U);

	(void)!pmg_str_addf(&out, "pkg:%s/", pmg_eco_name(purl->eco));
	add_escaped(&out, purl->name, ".-_~/");
	if (purl->version) {
		(void)!pmg_str_adds(&out, "@");
		add_escaped(&out, purl->version, ".-_~:");
	}
	return pmg_str_steal(&out);
}

/* It would look blocked and block nothing. */
int pmg_purl_check_exact(const struct pmg_purl *purl, struct pmg_err *err)
{
	pmg_autofree char *shown = NULL;

	if (!purl->version || !pmg_version_is_range(purl->eco, purl->version))
		return 0;
	shown = pmg_str_quote(purl->version, strlen(purl->version), PMG_VERSION_MAX);
	(void)pmg_err_set(err, PMG_E_CONFIG, 0, "\"%s\" is not one exact %s version", shown,
			  pmg_eco_name(purl->eco));
	return pmg_err_hint(err, "give one exact version, like %s, or none: then all are blocked",
			    purl->eco == PMG_ECO_NPM ? "1.0.0" : "1.0");
}
