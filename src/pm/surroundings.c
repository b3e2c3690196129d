#include "pm/surroundings.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "conf/dirs.h"
#include "pm/facts.h"
#include "pm/gitconfig.h"

#define CA_FILE_MAX 16777216U /* bytes looked at; what is larger is left to the proxy */

/* The first that is set and not empty. */
static const char *first_of(const struct pmg_strv *env, const char *const *names)
{
	const char *value;

	for (; *names; names++) {
		value = pmg_env_get(env, *names);
		if (value && *value)
			return value;
	}
	return NULL;
}

void pmg_surroundings_proxy(struct pmg_facts *facts, const struct pmg_strv *env)
{
	static const char *const https[] = { "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
					     NULL };
	static const char *const http[] = { "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY",
					    NULL };
	static const char *const none[] = { "no_proxy", "NO_PROXY", NULL };
	const struct {
		char **slot;
		const char *const *names;
	} rows[] = {
		{ &facts->https_proxy, https },
		{ &facts->http_proxy, http },
		{ &facts->no_proxy, none },
	};
	const char *value;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		value = *rows[i].slot ? NULL : first_of(env, rows[i].names);
		if (value)
			*rows[i].slot = pmg_xstrdup(value);
	}
}

/* node and OpenSSL take no folder here, and only node says so: to a user who no longer sees node's
 * own variable. */
static bool may_be_folder(const char *what)
{
	return !pmg_streq(what, "NODE_EXTRA_CA_CERTS") && !pmg_streq(what, "SSL_CERT_FILE");
}

/* Only the proxy parses certificates, but it does not know who named the file. */
static bool has_certificate(const char *path)
{
	pmg_autofree char *text = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	size_t len = 0;
	int r = pmg_io_slurp(path, CA_FILE_MAX, &text, &len, &err);

	return r == -PMG_E_LIMIT || (r == 0 && memmem(text, len, "CERTIFICATE-----", 16));
}

void pmg_surroundings_ca_file(struct pmg_facts *facts, const char *what, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || access(path, R_OK) < 0)
		pmg_facts_warn(facts, "%s: certificates in %s cannot be read; going on without",
			       what, path);
	else if (S_ISDIR(st.st_mode) && may_be_folder(what))
		(void)pmg_strv_add_once(&facts->ca_dirs, path);
	else if (!S_ISREG(st.st_mode) || !has_certificate(path))
		pmg_facts_warn(facts, "%s: no certificates in %s; going on without", what, path);
	else
		(void)pmg_strv_add_once(&facts->ca_files, path);
}

/* SSL_CERT_DIR is a list by colon (OpenSSL). */
static void add_dirs(struct pmg_facts *facts, const char *what, const char *list)
{
	pmg_auto(strv) struct pmg_strv dirs = { 0 };
	size_t i;

	pmg_strv_split(&dirs, list, ":");
	for (i = 0; i < dirs.n; i++)
		pmg_surroundings_ca_file(facts, what, dirs.v[i]);
}

void pmg_surroundings_ca(struct pmg_facts *facts, const struct pmg_place *place)
{
	/* Each is set to our bundle for the tool, so what stood there has to be in the bundle. */
	static const char *const names[] = { "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE",
					     "REQUESTS_CA_BUNDLE",  "CURL_CA_BUNDLE",
					     "GIT_SSL_CAINFO",      "PIP_CERT" };
	const char *value;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
		value = pmg_env_get(place->env, names[i]);
		if (value && *value)
			pmg_surroundings_ca_file(facts, names[i], value);
	}
	value = pmg_env_get(place->env, "SSL_CERT_DIR");
	if (value)
		add_dirs(facts, "SSL_CERT_DIR", value);
	pmg_gitconfig_certificates(place, facts);
}

/* npm's documentation has "\n" for each line of a certificate; quoted, it arrives as one. */
static char *with_lines(const char *pem)
{
	char *out = pmg_xmalloc(strlen(pem) + 2), *p = out;

	for (; *pem; pem++) {
		if (pem[0] == '\\' && pem[1] == 'n') {
			*p++ = '\n';
			pem++;
		} else {
			*p++ = *pem;
		}
	}
	*p++ = '\n';
	*p = '\0';
	return out;
}

void pmg_surroundings_ca_text(struct pmg_facts *facts, const char *what, const char *pem,
			      const char *cache_dir)
{
	pmg_autofree char *text = with_lines(pem);
	struct pmg_err err = PMG_ERR_INIT;
	char hash[PMG_SHA256_HEX];
	pmg_autofree char *name = NULL;
	pmg_autofree char *path = NULL;

	if (!strstr(text, "-----BEGIN CERTIFICATE-----")) {
		pmg_facts_warn(facts, "%s: no certificate in the setting \"ca\"; going on without",
			       what);
		return;
	}
	pmg_sha256_hex(text, strlen(text), hash);
	name = pmg_xasprintf("ca-%s.pem", hash);
	path = pmg_path_join(cache_dir, name);
	if (access(path, R_OK) < 0 && (pmg_dirs_make(cache_dir, &err) < 0 ||
				       pmg_io_replace(path, text, strlen(text), 0600, &err) < 0)) {
		pmg_facts_warn(facts, "%s: certificates in the setting \"ca\" not kept: %s", what,
			       err.msg);
		return;
	}
	pmg_surroundings_ca_file(facts, what, path);
}
