#include "policy/scrub.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "policy/build.h"

#define NAME_LEN_MAX 256U

static const char source[] = "built-in mandatory";

/* No rule and no shape takes these away: no program works without them, or pmg sets them itself. */
static const char *const always[] = {
	"PATH",
	"HOME",
	"TMPDIR",
	"TERM",
	"LANG",
	"LANGUAGE",
	"LC_*",
	"USER",
	"LOGNAME",
	"SHELL",
	"PWD",
	"TZ",
	"HTTPS_PROXY",
	"https_proxy",
	"HTTP_PROXY",
	"http_proxy",
	"NO_PROXY",
	"no_proxy",
	"NODE_EXTRA_CA_CERTS",
	"SSL_CERT_FILE",
	"CURL_CA_BUNDLE",
	"REQUESTS_CA_BUNDLE",
	"GIT_SSL_CAINFO",
	"PIP_PROXY",
	"PIP_CERT",
	"NODE_USE_ENV_PROXY",
	NULL,
};

/* Settings of pmg's own making, in any case: they name pmg's proxy and its bundle. */
static const char *const steering[] = {
	"npm_config_https_proxy",
	"npm_config_proxy",
	"npm_config_noproxy",
	"npm_config_cafile",
	"pnpm_config_https_proxy",
	"pnpm_config_http_proxy",
	"pnpm_config_proxy",
	"pnpm_config_no_proxy",
	"pnpm_config_cafile",
	"npm_config_https-proxy",
	"pnpm_config_https-proxy",
	"yarn_https_proxy",
	"yarn_http_proxy",
	"yarn_proxy",
	"yarn_cafile",
	"yarn_https_ca_file_path",
	"yarn_ca_file_path",
	NULL,
};

/* Pointers of pmg's own making. A run sets those that it needs anew; what came from outside could
 * only mislead a pmg that a script calls. */
static const char pointers[] = "PMG_*";

/* Who speaks for the user: whatever listens there does what it is asked, outside of all walls. */
static const char *const channels[] = {
	"BUILDKIT_HOST",
	"CONTAINER_HOST",
	"DBUS_SESSION_BUS_ADDRESS",
	"DBUS_SYSTEM_BUS_ADDRESS",
	"DOCKER_HOST",
	"GNOME_KEYRING_CONTROL",
	"GPG_AGENT_INFO",
	"I3SOCK",
	"KITTY_LISTEN_ON",
	"NVIM",
	"NVIM_LISTEN_ADDRESS",
	"SSH_AGENT_PID",
	"SSH_AUTH_SOCK",
	"SWAYSOCK",
	"TMUX",
	"VSCODE_GIT_IPC_HANDLE",
	"VSCODE_IPC_HOOK_CLI",
	"WEZTERM_UNIX_SOCKET",
	pointers,
	NULL,
};

/* Names that say nothing of a credential by their shape, or that would by accident. */
static const char *const credentials[] = {
	"XAUTHORITY",
	"SSH_ASKPASS",
	"SUDO_ASKPASS",
	"DOCKER_CONFIG",
	"DOCKER_CERT_PATH",
	"KUBECONFIG",
	"AWS_ACCESS_KEY_ID",
	"AWS_SHARED_CREDENTIALS_FILE",
	"AWS_CONFIG_FILE",
	"AWS_WEB_IDENTITY_TOKEN_FILE",
	"AWS_CONTAINER_CREDENTIALS_*",
	"GOOGLE_APPLICATION_*",
	"GOOGLE_CREDENTIALS*",
	"CLOUDSDK_AUTH_*",
	"ARM_CLIENT_*",
	"PGPASSFILE",
	"PGPASSWORD",
	"MYSQL_PWD",
	"REDISCLI_AUTH",
	"NETRC",
	"SENTRY_DSN",
	"SLACK_WEBHOOK*",
	"DISCORD_WEBHOOK*",
	"NPM_AUTH",
	"TWINE_*",
	"FLIT_PASSWORD",
	"POETRY_HTTP_BASIC_*",
	"POETRY_PYPI_*",
	NULL,
};

/* What makes programs load or run code that their command line does not name. */
static const char *const injections[] = {
	"LD_*",
	"DYLD_*",
	"GLIBC_TUNABLES",
	"GCONV_PATH",
	"NODE_OPTIONS",
	"NODE_PATH",
	"NODE_REPL_EXTERNAL_MODULE",
	"NODE_CHANNEL_FD",
	"npm_config_node_options",
	"NPM_CONFIG_NODE_OPTIONS",
	"npm_config_script_shell",
	"NPM_CONFIG_SCRIPT_SHELL",
	"npm_config_git",
	"NPM_CONFIG_GIT",
	"npm_config_shell",
	"NPM_CONFIG_SHELL",
	"npm_config_onload_script",
	"BASH_ENV",
	"ENV",
	"SHELLOPTS",
	"BASHOPTS",
	"BASH_FUNC_*",
	"PS4",
	"PROMPT_COMMAND",
	"ZDOTDIR",
	"IFS",
	"PERL5OPT",
	"PERL5LIB",
	"PERLLIB",
	"PERL5DB",
	"RUBYOPT",
	"RUBYLIB",
	"PYTHON*",
	"GIT_*",
	"JAVA_TOOL_OPTIONS",
	"_JAVA_OPTIONS",
	"JDK_JAVA_OPTIONS",
	"CLASSPATH",
	"OPENSSL_CONF",
	"OPENSSL_MODULES",
	"OPENSSL_ENGINES",
	"SSLKEYLOGFILE",
	"LUA_INIT*",
	"PHPRC",
	"PHP_INI_SCAN_DIR",
	"BUN_OPTIONS",
	"COR_PROFILER*",
	"CORECLR_*",
	"DOTNET_STARTUP_HOOKS",
	NULL,
};

/* Of these groups, what tools need and what carries neither code nor secrets. */
static const char *const harmless[] = {
	"PYTHON",
	"PYTHON_VERSION",
	"PYTHONUNBUFFERED",
	"PYTHONDONTWRITEBYTECODE",
	"PYTHONIOENCODING",
	"PYTHONUTF8",
	"PYTHONHASHSEED",
	"PYTHONFAULTHANDLER",
	"PYTHONNOUSERSITE",
	"PYTHONSAFEPATH",
	"PYTHONOPTIMIZE",
	"GIT_AUTHOR_NAME",
	"GIT_AUTHOR_EMAIL",
	"GIT_AUTHOR_DATE",
	"GIT_COMMITTER_NAME",
	"GIT_COMMITTER_EMAIL",
	"GIT_COMMITTER_DATE",
	"GIT_TERMINAL_PROMPT",
	"GIT_DIR",
	"GIT_WORK_TREE",
	"GIT_INDEX_FILE",
	"GIT_PREFIX",
	"GIT_CONFIG_GLOBAL",
	"GIT_CONFIG_SYSTEM",
	"GIT_CONFIG_NOSYSTEM",
	"GIT_OPTIONAL_LOCKS",
	"GIT_CEILING_DIRECTORIES",
	"GIT_DISCOVERY_ACROSS_FILESYSTEM",
	NULL,
};

/* Look like credentials and are none, or are where packages come from: without its index pip would
 * ask another one, which is worse than a script that sees it and reaches nobody. */
static const char *const kept_shapes[] = {
	"GPG_KEY",
	"TOKENIZERS_PARALLELISM",
	"PIP_INDEX_URL",
	"PIP_EXTRA_INDEX_URL",
	"PIP_FIND_LINKS",
	"PASSWORD_STORE_DIR",
	"KEYTIMEOUT",
	"PIP_KEYRING_PROVIDER",
	NULL,
};

static bool is_listed(const char *const *list, const char *name, bool nocase)
{
	for (; *list; list++) {
		size_t n = strlen(*list);

		if ((*list)[n - 1] == '*'
			    ? strncmp(*list, name, n - 1) == 0
			    : (nocase ? strcasecmp(*list, name) : strcmp(*list, name)) == 0)
			return true;
	}
	return false;
}

/* "_KEY" at the end; these anywhere: "npm_config_//host/:_authToken", "DBPASSWORD". */
bool pmg_scrub_is_secret_name(const char *name)
{
	static const char *const anywhere[] = {
		"TOKEN",      "SECRET",     "PASSWORD", "PASSWD",     "PASSPHRASE",
		"CREDENTIAL", "APIKEY",     "API_KEY",  "ACCESS_KEY", "PRIVATE_KEY",
		"ACCESSKEY",  "PRIVATEKEY", "_AUTH",    "BEARER",     "COOKIE",
	};
	static const char *const ends[] = { "_KEY", "_PASS", "_PAT", "_JWT", "_DSN",
					    "_PWD", "_PIN",  "_OTP", ":KEY", "_KEYS" };
	char upper[NAME_LEN_MAX];
	size_t i;

	/* What is too long to look at is no name that a program needs. */
	if (strlen(name) >= sizeof upper)
		return true;
	for (i = 0; name[i]; i++)
		upper[i] = (char)toupper((unsigned char)name[i]);
	upper[i] = '\0';
	for (i = 0; i < PMG_ARRAY_LEN(anywhere); i++) {
		const char *at = strstr(upper, anywhere[i]);

		/* "GIT_AUTHOR_NAME" */
		if (at && !(strcmp(anywhere[i], "_AUTH") == 0 && pmg_str_has_prefix(at, "_AUTHOR")))
			return true;
	}
	for (i = 0; i < PMG_ARRAY_LEN(ends); i++)
		if (pmg_str_has_suffix(upper, ends[i]) && strcmp(upper, "OLD_PWD") != 0)
			return true;
	return false;
}

/* "scheme://user:password@host" */
static bool has_password(const char *value)
{
	const char *start = strstr(value, "://");
	size_t n = start ? strcspn(start + 3, "/?# \t\n") : 0;
	const char *at = start ? memchr(start + 3, '@', n) : NULL;

	return at && memchr(start + 3, ':', (size_t)(at - start - 3));
}

bool pmg_scrub_keeps(const struct pmg_policy *policy, const char *name, const char *value)
{
	struct pmg_decision decision;

	if (is_listed(always, name, false))
		return true;
	decision = pmg_policy_ask(policy, PMG_ACCESS_ENV, PMG_ROLE_MANAGER, name);
	if (decision.rule && decision.rule->rank == PMG_RANK_MANAGED_DENY)
		return false;
	if (is_listed(steering, name, true))
		return true;
	if (decision.rule && decision.rule->rank <= PMG_RANK_OPT_OUT)
		return decision.allowed;
	if (!decision.rule ? policy->listed_env : !decision.allowed)
		return false;
	if (is_listed(kept_shapes, name, false))
		return true;
	return !pmg_scrub_is_secret_name(name) && !(value && has_password(value));
}

static int add_list(struct pmg_policy *policy, const char *const *list, enum pmg_rank rank,
		    struct pmg_err *err)
{
	int r = 0;

	for (; r == 0 && *list; list++) {
		pmg_autofree char *text = pmg_xstrdup(*list);
		pmg_autofree char *from = pmg_xstrdup(source);
		struct pmg_policy_rule rule = { .access = PMG_ACCESS_ENV,
						.rank = rank,
						.layer = PMG_LAYER_MANDATORY,
						.roles = PMG_ROLE_ANY,
						.text = text,
						.source = from };

		r = pmg_policy_add(policy, &rule, err);
	}
	return r;
}

int pmg_scrub_add(struct pmg_policy *policy, struct pmg_err *err)
{
	int r = add_list(policy, credentials, PMG_RANK_MANDATORY_DENY, err);

	if (r == 0)
		r = add_list(policy, channels, PMG_RANK_MANDATORY_DENY, err);
	if (r == 0)
		r = add_list(policy, injections, PMG_RANK_MANDATORY_DENY, err);
	/* In a list of what is allowed these are not allowed by themselves. */
	if (r == 0 && !policy->listed_env)
		r = add_list(policy, harmless, PMG_RANK_OPT_OUT, err);
	return r;
}

bool pmg_scrub_is_channel(const char *name)
{
	return is_listed(channels, name, false);
}

bool pmg_scrub_is_harmless(const char *name)
{
	return is_listed(harmless, name, false);
}

void pmg_scrub_pointers(struct pmg_strv *env, struct pmg_strv *removed)
{
	size_t i = 0;

	while (i < env->n) {
		if (!pmg_str_has_prefix(env->v[i], "PMG_")) {
			i++;
			continue;
		}
		pmg_strv_take(removed, pmg_xstrndup(env->v[i], strcspn(env->v[i], "=")));
		pmg_strv_remove(env, i);
	}
}

void pmg_policy_scrub(const struct pmg_policy *policy, struct pmg_strv *env,
		      struct pmg_strv *removed)
{
	size_t i = 0;

	while (i < env->n) {
		size_t n = strcspn(env->v[i], "=");
		pmg_autofree char *name = pmg_xstrndup(env->v[i], n);

		if (pmg_scrub_keeps(policy, name, env->v[i][n] ? env->v[i] + n + 1 : NULL)) {
			i++;
			continue;
		}
		(void)pmg_strv_add_once(removed, name);
		pmg_strv_remove(env, i);
	}
}
