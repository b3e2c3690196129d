#include "pm/point.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/env.h"
#include "base/str.h"
#include "pm/pm.h"

#define PROXY  "http://pmg:token@127.0.0.1:4711"
#define BUNDLE "/run/bundle.pem"
#define EXTRA  "/run/extra.pem"

/* What would lead round the proxy or the bundle, in every spelling that npm reads. */
static const char *const before[] = {
	"PATH=/bin",
	"HTTPS_PROXY=http://corp.test:3128",
	"http_proxy=http://corp.test:3128",
	"ALL_PROXY=socks5://corp.test:1",
	"all_proxy=socks5://corp.test:1",
	"NO_PROXY=registry.test",
	"no_proxy=registry.test",
	"npm_config_noproxy=registry.test",
	"NPM_CONFIG_NOPROXY=registry.test",
	"Npm_Config_no_proxy=registry.test",
	"NPM_CONFIG_HTTPS_PROXY=http://evil.test",
	"npm_config_https-proxy=http://evil.test",
	"NPM_CONFIG_CAFILE=/evil.pem",
	"npm_config_ca=x",
	"PNPM_CONFIG_HTTPS_PROXY=http://evil.test",
	"pnpm_config_noproxy=registry.test",
	"PNPM_CONFIG_NO_PROXY=registry.test",
	"YARN_HTTPS_PROXY=http://evil.test",
	"yarn_http_proxy=http://evil.test",
	"YARN_PROXY=http://evil.test",
	"Yarn_CAFILE=/evil.pem",
	"yarn_ca=x",
	"YARN_HTTPS_CA_FILE_PATH=/evil.pem",
	"YARN_CA_FILE_PATH=/evil.pem",
	"YARN_REGISTRY=https://registry.test/",
	"PIP_PROXY=http://evil.test",
	"PIP_CERT=/evil.pem",
	"NODE_EXTRA_CA_CERTS=/evil.pem",
	"npm_config_registry=https://registry.test/",
	"npm_config_proxy_x=kept",
	"SSL_CERT_DIR=/kept",
	NULL,
};

static const struct {
	const char *name;
	const char *value;          /* NULL: unset */
	const char *value_loopback; /* with a registry on loopback and a setting "cafile" */
} rows[] = {
	{ "PATH", "/bin", "/bin" },
	{ "HTTPS_PROXY", PROXY, PROXY },
	{ "https_proxy", PROXY, PROXY },
	{ "HTTP_PROXY", PROXY, PROXY },
	{ "http_proxy", PROXY, PROXY },
	{ "ALL_PROXY", NULL, NULL },
	{ "all_proxy", NULL, NULL },
	{ "NO_PROXY", "localhost,127.0.0.1,::1", "pmg.invalid" },
	{ "no_proxy", "localhost,127.0.0.1,::1", "pmg.invalid" },
	{ "npm_config_noproxy", "localhost,127.0.0.1,::1", "pmg.invalid" },
	{ "NPM_CONFIG_NOPROXY", NULL, NULL },
	{ "Npm_Config_no_proxy", NULL, NULL },
	{ "npm_config_https_proxy", PROXY, PROXY },
	{ "NPM_CONFIG_HTTPS_PROXY", NULL, NULL },
	{ "npm_config_https-proxy", NULL, NULL },
	{ "npm_config_proxy", PROXY, PROXY },
	{ "npm_config_cafile", NULL, BUNDLE },
	{ "pnpm_config_cafile", NULL, BUNDLE },
	{ "NPM_CONFIG_CAFILE", NULL, NULL },
	{ "npm_config_ca", NULL, NULL },
	{ "pnpm_config_https_proxy", PROXY, PROXY },
	{ "PNPM_CONFIG_HTTPS_PROXY", NULL, NULL },
	{ "pnpm_config_noproxy", NULL, NULL },
	{ "pnpm_config_no_proxy", "localhost,127.0.0.1,::1", "pmg.invalid" },
	{ "yarn_https_proxy", PROXY, PROXY },
	{ "YARN_HTTPS_PROXY", NULL, NULL },
	{ "yarn_http_proxy", PROXY, PROXY },
	{ "YARN_PROXY", NULL, PROXY },
	{ "Yarn_CAFILE", NULL, NULL },
	{ "yarn_ca", NULL, NULL },
	{ "YARN_CAFILE", NULL, BUNDLE },
	{ "YARN_HTTPS_CA_FILE_PATH", NULL, NULL },
	{ "YARN_CA_FILE_PATH", NULL, NULL },
	{ "YARN_REGISTRY", "https://registry.test/", "https://registry.test/" },
	{ "PIP_PROXY", PROXY, PROXY },
	{ "PIP_CERT", BUNDLE, BUNDLE },
	{ "NODE_EXTRA_CA_CERTS", EXTRA, EXTRA },
	{ "SSL_CERT_FILE", BUNDLE, BUNDLE },
	{ "REQUESTS_CA_BUNDLE", BUNDLE, BUNDLE },
	{ "CURL_CA_BUNDLE", BUNDLE, BUNDLE },
	{ "GIT_SSL_CAINFO", BUNDLE, BUNDLE },
	{ "npm_config_registry", "https://registry.test/", "https://registry.test/" },
	{ "npm_config_proxy_x", "kept", "kept" },
	{ "SSL_CERT_DIR", "/kept", "/kept" },
};

static char proxy_name[] = "YARN_PROXY", bundle_name[] = "YARN_CAFILE";
static char *proxy_names[] = { proxy_name };
static char *bundle_names[] = { bundle_name };
static const struct pmg_strv proxy_variables = { .v = proxy_names, .n = 1 };
static const struct pmg_strv bundle_variables = { .v = bundle_names, .n = 1 };

static const struct pmg_pointer to[] = {
	{ .proxy = PROXY, .bundle = BUNDLE, .extra = EXTRA },
	{ .proxy = PROXY,
	  .bundle = BUNDLE,
	  .extra = EXTRA,
	  .has_loopback = true,
	  .has_cafile = true,
	  .proxy_variables = &proxy_variables,
	  .bundle_variables = &bundle_variables },
};

static void every_way_round_the_proxy_is_closed_and_nothing_else_changes(void **state)
{
	const struct pmg_pm *const *pm;
	const char *got, *want;
	size_t i;
	int loopback;

	(void)state;
	for (pm = pmg_pm_all(); *pm; pm++)
		for (loopback = 0; loopback < 2; loopback++) {
			pmg_auto(strv) struct pmg_strv env = { 0 };

			for (i = 0; before[i]; i++)
				pmg_strv_add(&env, before[i]);
			(*pm)->point(&env, &to[loopback]);
			for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
				got = pmg_env_get(&env, rows[i].name);
				want = loopback ? rows[i].value_loopback : rows[i].value;
				if (!want)
					assert_null(got);
				else
					assert_string_equal(got, want);
			}
		}
}

static void modules_stay_uncompiled_where_that_would_be_refused(void **state)
{
	static const struct {
		const char *tool, *value;
	} tools[] = {
		{ "npm", NULL }, { "pip", NULL }, { "uv", "1" }, { "pipx", "1" }, { "poetry", "1" }
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(tools); i++) {
		pmg_auto(strv) struct pmg_strv env = { 0 };
		const char *got;

		pmg_pm_find(tools[i].tool)->point(&env, &to[0]);
		got = pmg_env_get(&env, "PYTHONDONTWRITEBYTECODE");
		assert_true(pmg_streq(got, tools[i].value));
	}
}

static void documents_are_asked_for_anew_where_packages_are_named(void **state)
{
	static const struct {
		const char *argv[5];
		bool is_naming;
	} calls[] = {
		{ { "npm", "install" }, false },     { { "npm", "ci", "--no-audit" }, false },
		{ { "npm", "install", "x" }, true }, { { "/usr/bin/npm", "-g", "i", "x@1" }, true },
		{ { "npx", "--yes", "x" }, true },   { { "/usr/bin/npx" }, false },
		{ { "pnpm", "add", "x" }, true },    { { "npm" }, false },
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(calls); i++) {
		pmg_auto(strv) struct pmg_strv env = { 0 }, argv = { 0 };
		struct pmg_pointer with = to[0];

		for (k = 0; k < 5 && calls[i].argv[k]; k++)
			pmg_strv_add(&argv, calls[i].argv[k]);
		with.is_naming = pmg_point_is_naming(pmg_strv_argv(&argv));
		assert_int_equal(with.is_naming, calls[i].is_naming);
		pmg_strv_add(&env, "NPM_CONFIG_PREFER_ONLINE=false");
		pmg_point(&env, &with);
		assert_true(pmg_streq(pmg_env_get(&env, "npm_config_prefer_online"),
				      calls[i].is_naming ? "true" : NULL));
		assert_true(pmg_streq(pmg_env_get(&env, "NPM_CONFIG_PREFER_ONLINE"),
				      calls[i].is_naming ? NULL : "false"));
		assert_string_equal(pmg_env_get(&env, "BUN_MANIFEST_CACHE"), "0");
	}
}

static void pointing_twice_is_the_same_as_once(void **state)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };
	size_t n;

	(void)state;
	pmg_point(&env, &to[1]);
	n = env.n;
	pmg_point(&env, &to[1]);
	assert_int_equal(env.n, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_round_the_proxy_is_closed_and_nothing_else_changes),
		cmocka_unit_test(modules_stay_uncompiled_where_that_would_be_refused),
		cmocka_unit_test(documents_are_asked_for_anew_where_packages_are_named),
		cmocka_unit_test(pointing_twice_is_the_same_as_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
