#include "violation/mask.h"

#include <stdint.h>
#include <string.h>

#include "base/str.h"

/* Parts of option names whose value is nobody's business. */
static const char *const secret_parts[] = {
	"token", "passw", "auth", "secret", "otp", "key", "cert"
};

/* Does a part stand in the first len bytes, in any case? */
static bool is_secret_name(const char *name, size_t len)
{
	size_t i, k;

	for (i = 0; i < PMG_ARRAY_LEN(secret_parts); i++)
		for (k = 0; k + strlen(secret_parts[i]) <= len; k++)
			if (pmg_str_has_prefix_nocase(name + k, secret_parts[i]))
				return true;
	return false;
}

/* Length of the address that starts at s (after "://"): to a blank, a quote or the end. */
static size_t address_len(const char *s)
{
	return strcspn(s, " \t\r\n\"'<>");
}

/*
 * s follows "://". Writes authority, path and query; the last "@" of the authority ends the
 * userinfo. An address may stand in the path of another (mirrors do that): then it ends there.
 * @return what is left
 */
static const char *add_address(struct pmg_str *out, const char *s)
{
	size_t len = address_len(s), end = strcspn(s, "/?#"), host = 0, i;
	const char *query, *nested;

	end = end < len ? end : len;
	for (i = 0; i < end; i++)
		if (s[i] == '@')
			host = i + 1;
	(void)!pmg_str_adds(out, host ? PMG_MASKED "@" : ""); /* out has no limit that binds */
	s += host;
	len -= host;
	query = memchr(s, '?', len);
	nested = memmem(s, query ? (size_t)(query - s) : len, "://", 3);
	if (nested)
		len = (size_t)(nested - s);
	else if (query)
		(void)!pmg_str_addf(out, "%.*s?" PMG_MASKED, (int)(query - s), s);
	if (nested || !query)
		(void)!pmg_str_add(out, s, len); /* "#semver:^1" tells something */
	return s + len;
}

/* A text with its addresses masked. Caller frees. */
static char *mask_urls(const char *text)
{
	struct pmg_str out = PMG_STR_INIT(SIZE_MAX / 4);
	const char *found;

	while ((found = strstr(text, "://"))) {
		(void)!pmg_str_add(&out, text, (size_t)(found - text) + 3);
		text = add_address(&out, found + 3);
	}
	(void)!pmg_str_adds(&out, text);
	return pmg_str_steal(&out);
}

/* One argument. *next becomes true when its value is the next word. */
static char *mask_arg(const char *arg, bool *next)
{
	pmg_autofree char *shown = mask_urls(arg);
	const char *eq = strchr(shown, '=');
	size_t name = eq ? (size_t)(eq - shown) : strlen(shown);

	if (!is_secret_name(shown, name))
		return pmg_steal_ptr(&shown);
	if (eq)
		return pmg_xasprintf("%.*s=" PMG_MASKED, (int)name, shown);
	/* A package may be called "auth": only an option has its value in the next word. */
	*next = shown[0] == '-' || strncmp(shown, "//", 2) == 0;
	return pmg_steal_ptr(&shown);
}

void pmg_mask_argv(char *const *argv, struct pmg_strv *out)
{
	bool next = false;
	size_t i;

	for (i = 0; i < PMG_MASK_ARGS && argv[i]; i++) {
		pmg_autofree char *masked = NULL;

		if (next && argv[i][0] != '-') {
			pmg_strv_add(out, PMG_MASKED);
			next = false;
			continue;
		}
		next = false;
		masked = mask_arg(argv[i], &next);
		if (strlen(masked) > PMG_MASK_ARG_MAX)
			masked[PMG_MASK_ARG_MAX] = '\0';
		pmg_strv_add(out, masked);
	}
	if (argv[i])
		pmg_strv_add(out, "...");
}
