#include "policy/allow.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/build_priv.h"
#include "policy/draft.h"
#include "policy/glob.h"
#include "policy/host.h"
#include "policy/vars.h"

#define SHOWN_MAX 96U

static const char preset_name[] = "preset";

const char *pmg_allow_type_name(int type)
{
	return type == PMG_ALLOW_PRESET ? preset_name : pmg_access_name((enum pmg_access)type);
}

int pmg_allow_type(const char *name)
{
	int type;

	for (type = 0; type <= PMG_ALLOW_PRESET; type++)
		if (strcmp(pmg_allow_type_name(type), name) == 0)
			return type;
	return -1;
}

static int no_type(const char *text, const char *name, struct pmg_err *err)
{
	pmg_autofree char *safe = pmg_str_quote(text, strlen(text), SHOWN_MAX);
	const char *words[PMG_ALLOW_PRESET + 2] = { NULL }, *near;
	int type;

	for (type = 0; type <= PMG_ALLOW_PRESET; type++)
		words[type] = pmg_allow_type_name(type);
	(void)pmg_err_set(err, PMG_E_CONFIG, 0, "\"%s\" is not TYPE=VALUE", safe);
	near = pmg_str_nearest(name, words);
	if (near)
		return pmg_err_hint(err, "did you mean \"%s=...\"?", near);
	return pmg_err_hint(err, "TYPE is read, write, exec, net-connect, net-bind, env, preset or "
				 "unix");
}

int pmg_allow_parse(const char *text, int *type, const char **value, struct pmg_err *err)
{
	size_t n = strcspn(text, "=");
	pmg_autofree char *name = pmg_xstrndup(text, n);
	pmg_autofree char *safe = pmg_str_quote(text, strlen(text), SHOWN_MAX);
	int found = text[n] ? pmg_allow_type(name) : -1;
	int r = 0;

	if (found < 0) {
		(void)no_type(text, name, err);
		return pmg_err_diag(err, PMG_DIAG_INVALID);
	}
	if (found != PMG_ALLOW_PRESET)
		r = pmg_allow_check(PMG_LAYER_FLAG, (enum pmg_access)found, false, text + n + 1,
				    err);
	else if (!pmg_draft_is_name(text + n + 1))
		r = pmg_err_set(err, PMG_E_CONFIG, 0, "not the name of a preset");
	if (r < 0) {
		(void)pmg_err_wrap(err, "\"%s\"", safe);
		return pmg_err_diag(err, PMG_DIAG_INVALID);
	}
	*type = found;
	*value = text + n + 1;
	return 0;
}

static bool has_dots(const char *text)
{
	const char *p = text;

	while (*p) {
		size_t n = strcspn(p, "/");

		if (n == 2 && p[0] == '.' && p[1] == '.')
			return true;
		p += n + (p[n] == '/');
	}
	return false;
}

static bool is_typed(enum pmg_layer layer)
{
	return layer == PMG_LAYER_FLAG || layer == PMG_LAYER_OVERLAY;
}

static int check_path(enum pmg_layer layer, const char *text, struct pmg_err *err)
{
	bool anchored =
		text[0] == '/' || strncmp(text, "${", 2) == 0 || strncmp(text, "~/", 2) == 0;
	pmg_auto(glob) struct pmg_glob *glob = NULL;
	pmg_autofree char *bare = pmg_vars_strip(text[0] == '~' ? text + 1 : text);
	pmg_autofree char *pattern = pmg_xasprintf("%s%s", bare[0] == '/' ? "" : "/", bare);
	pmg_autofree char *clean = NULL;

	/* A variable of a shell that nobody replaced would be a folder of that name here. */
	if (is_typed(layer) && text[0] == '$' && text[1] != '{') {
		(void)pmg_err_set(err, PMG_E_CONFIG, 0, "\"$\" begins a variable as ${HOME}");
		return pmg_err_hint(err, "\"~/\" or \"${HOME}/\" is the home; \"\\$\" a file whose "
					 "name begins so");
	}
	if (is_typed(layer)) {
		clean = pmg_path_clean(pattern);
		return pmg_glob_new(clean, &glob, err);
	}
	if (!anchored)
		return pmg_err_set(err, PMG_E_CONFIG, 0,
				   "a path begins with \"/\", \"~/\" or a variable, as ${PROJECT}");
	if (has_dots(text))
		return pmg_err_set(err, PMG_E_CONFIG, 0, "no \"..\" in a path");
	return pmg_glob_new(pattern, &glob, err);
}

static int check_unix(enum pmg_layer layer, const char *text, struct pmg_err *err)
{
	if (text[0] == '@')
		return text[1] ? 0 : pmg_err_set(err, PMG_E_CONFIG, 0, "\"@\" has no name");
	return check_path(layer, text, err);
}

static int check_net(enum pmg_layer layer, enum pmg_access access, bool deny, const char *text,
		     struct pmg_err *err)
{
	pmg_auto(host) struct pmg_host *host = NULL;
	int r;

	if (strcmp(text, "registry") == 0 && deny)
		return pmg_err_set(err, PMG_E_CONFIG, 0,
				   "the word \"registry\" is for lists of what is allowed");
	if (strcmp(text, "registry") == 0 && layer == PMG_LAYER_PRESET)
		return pmg_err_set(err, PMG_E_CONFIG, 0, "a preset names hosts, not \"registry\"");
	r = pmg_host_new(text, access == PMG_ACCESS_BIND, &host, err);
	if (r == 0 && layer == PMG_LAYER_PRESET && access == PMG_ACCESS_BIND &&
	    !pmg_host_is_local(host))
		return pmg_err_set(err, PMG_E_CONFIG, 0,
				   "a preset listens on loopback addresses only");
	return r;
}

static int check_env(enum pmg_layer layer, const char *text, struct pmg_err *err)
{
	size_t n = strcspn(text, "*");

	if (n == 0)
		return pmg_err_set(err, PMG_E_CONFIG, 0, "not the name of a variable");
	if (text[n] && text[n + 1])
		return pmg_err_set(err, PMG_E_CONFIG, 0, "\"*\" stands at the end of a name only");
	if (strpbrk(text, "?[\\="))
		return pmg_err_set(err, PMG_E_CONFIG, 0, "not the name of a variable");
	if (layer == PMG_LAYER_PRESET && text[n])
		return pmg_err_set(err, PMG_E_CONFIG, 0, "a preset names variables without \"*\"");
	return 0;
}

int pmg_allow_check(enum pmg_layer layer, enum pmg_access access, bool deny, const char *text,
		    struct pmg_err *err)
{
	size_t i;

	if (!*text)
		return pmg_err_set(err, PMG_E_CONFIG, 0, "empty");
	if (strlen(text) > PMG_DRAFT_TEXT_MAX)
		return pmg_err_set(err, PMG_E_CONFIG, 0, "longer than %u bytes",
				   PMG_DRAFT_TEXT_MAX);
	for (i = 0; text[i]; i++)
		if (iscntrl((unsigned char)text[i]))
			return pmg_err_set(err, PMG_E_CONFIG, 0, "has a control byte");
	switch (access) {
	case PMG_ACCESS_READ:
	case PMG_ACCESS_WRITE:
	case PMG_ACCESS_EXEC:
		return check_path(layer, text, err);
	case PMG_ACCESS_UNIX:
		return check_unix(layer, text, err);
	case PMG_ACCESS_CONNECT:
	case PMG_ACCESS_BIND:
		return check_net(layer, access, deny, text, err);
	case PMG_ACCESS_ENV:
		return check_env(layer, text, err);
	case PMG_ACCESS_MAX:
		break;
	}
	return pmg_err_set(err, PMG_E_INTERNAL, 0, "access %d", (int)access);
}
