#include "pm/point.h"

#include <ctype.h>
#include <string.h>

#include "base/env.h"
#include "base/str.h"
#include "pm/pm.h"

enum what {
	PROXY,  /* address of pmg's proxy */
	BUNDLE, /* file of certificates */
	EXTRA,  /* file of certificates for those who add them to their own roots */
	CAFILE, /* the same, only where a setting names another one: node reads the whole file anew
		 * for every connection, 10 ms for 140 roots, while NODE_EXTRA_CA_CERTS is read once
		 */
	NOBODY, /* hosts that are reached without the proxy: loopback, unless packages come from
		 * there. Never empty, since that counts as unset and a file would then be asked */
	GONE    /* unset: it would lead round the proxy or the bundle */
};

/* Whoever has a file with another opinion is overruled by its own variable: HTTPS_PROXY loses to
 * https-proxy= of .npmrc, npm_config_https_proxy wins. */
static const struct {
	const char *name;
	enum what what;
	const char *prefix; /* of a setting that is read in any case: name is then its key */
} rows[] = {
	/* nearly everybody; curl reads http_proxy in lower case only */
	{ "HTTPS_PROXY", PROXY, NULL },
	{ "https_proxy", PROXY, NULL },
	{ "HTTP_PROXY", PROXY, NULL },
	{ "http_proxy", PROXY, NULL },
	{ "ALL_PROXY", GONE, NULL },
	{ "all_proxy", GONE, NULL },
	/* bun takes what is not set from a .env of the project */
	{ "NO_PROXY", NOBODY, NULL },
	{ "no_proxy", NOBODY, NULL },
	{ "NODE_EXTRA_CA_CERTS", EXTRA, NULL },
	{ "SSL_CERT_FILE", BUNDLE, NULL },
	{ "CURL_CA_BUNDLE", BUNDLE, NULL },
	{ "REQUESTS_CA_BUNDLE", BUNDLE, NULL },
	{ "GIT_SSL_CAINFO", BUNDLE, NULL },
	/* npm and pnpm up to 10 */
	{ "https-proxy", PROXY, "npm_config_" },
	{ "proxy", PROXY, "npm_config_" },
	{ "http-proxy", GONE, "npm_config_" },
	{ "noproxy", NOBODY, "npm_config_" },
	{ "no-proxy", GONE, "npm_config_" },
	{ "cafile", CAFILE, "npm_config_" },
	{ "ca", GONE, "npm_config_" },
	/* pnpm from 11 on, which does not read npm_config_ */
	{ "https-proxy", PROXY, "pnpm_config_" },
	{ "http-proxy", PROXY, "pnpm_config_" },
	{ "proxy", PROXY, "pnpm_config_" },
	{ "no-proxy", NOBODY, "pnpm_config_" },
	{ "noproxy", GONE, "pnpm_config_" },
	{ "cafile", CAFILE, "pnpm_config_" },
	{ "ca", GONE, "pnpm_config_" },
	/* yarn. Berry (2 to 4) obeys these two alone, and ends at one that it does not know: those
	 * that only yarn 1 or only some versions know are set where a file has to be overruled. */
	{ "https-proxy", PROXY, "yarn_" },
	{ "http-proxy", PROXY, "yarn_" },
	{ "proxy", GONE, "yarn_" },
	{ "cafile", GONE, "yarn_" },
	{ "ca", GONE, "yarn_" },
	{ "https-ca-file-path", GONE, "yarn_" },
	{ "ca-file-path", GONE, "yarn_" },
	/* pip: beats pip.conf, and is handed on to isolated builds */
	{ "PIP_PROXY", PROXY, NULL },
	{ "PIP_CERT", BUNDLE, NULL },
};

/* key is lower case with "-"; nocase and "_" for "-" count as npm has it. */
static bool is_spelling(const char *entry, const char *prefix, const char *key)
{
	size_t i, n = strlen(prefix);

	if (!pmg_str_has_prefix_nocase(entry, prefix))
		return false;
	for (i = 0; key[i]; i++) {
		char c = (char)tolower((unsigned char)entry[n + i]);

		if (c != key[i] && !(c == '_' && key[i] == '-'))
			return false;
	}
	return entry[n + i] == '=';
}

bool pmg_point_forget(struct pmg_strv *env, const char *prefix, const char *key)
{
	bool was = false;
	size_t i = 0;

	while (i < env->n) {
		if (is_spelling(env->v[i], prefix, key)) {
			pmg_strv_remove(env, i);
			was = true;
		} else {
			i++;
		}
	}
	return was;
}

static char *variable(const char *prefix, const char *key)
{
	char *name = pmg_xasprintf("%s%s", prefix ? prefix : "", key), *p;

	for (p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

static void set_all(struct pmg_strv *env, const struct pmg_strv *names, const char *value)
{
	size_t i;

	for (i = 0; names && i < names->n; i++)
		pmg_env_set(env, names->v[i], value);
}

bool pmg_point_is_naming(char *const *argv)
{
	const char *slash = strrchr(argv[0], '/');
	size_t verbs = strcmp(slash ? slash + 1 : argv[0], "npx") == 0 ? 0 : 1, words = 0;

	for (argv++; *argv; argv++)
		if (**argv != '-')
			words++;
	return words > verbs;
}

/* What is asked of a registry comes from there, and not from what its documents were before a run
   withheld something. Whose cache is asked by digest, or who asks always, needs no word here. */
static void ask_anew(struct pmg_strv *env, const struct pmg_pointer *to)
{
	pmg_env_set(env, "BUN_MANIFEST_CACHE", "0");
	if (!to->is_naming)
		return;
	(void)pmg_point_forget(env, "npm_config_", "prefer-online");
	pmg_env_set(env, "npm_config_prefer_online", "true");
}

void pmg_point(struct pmg_strv *env, const struct pmg_pointer *to)
{
	const char *loopback = "localhost,127.0.0.1,::1";
	const char *values[] = {
		[PROXY] = to->proxy,
		[BUNDLE] = to->bundle,
		[EXTRA] = to->extra,
		[CAFILE] = to->has_cafile ? to->bundle : NULL,
		[NOBODY] =
			to->has_loopback ? "pmg.invalid" : loopback, /* RFC 2606: nobody's name */
		[GONE] = NULL,
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *name = variable(rows[i].prefix, rows[i].name);

		if (rows[i].prefix)
			(void)pmg_point_forget(env, rows[i].prefix, rows[i].name);
		else
			(void)pmg_env_unset(env, name);
		if (values[rows[i].what])
			pmg_env_set(env, name, values[rows[i].what]);
	}
	set_all(env, to->proxy_variables, to->proxy);
	set_all(env, to->bundle_variables, to->bundle);
	ask_anew(env, to);
}

void pmg_point_python(struct pmg_strv *env, const struct pmg_pointer *to)
{
	pmg_point(env, to);
	pmg_env_set(env, "PYTHONDONTWRITEBYTECODE", "1");
}

void pmg_point_pipx(struct pmg_strv *env, const struct pmg_pointer *to)
{
	pmg_point_python(env, to);
	pmg_env_set(env, "PYTHONSAFEPATH", "1");
}
