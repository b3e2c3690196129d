/* Is there a credential in a configuration file of npm, yarn or bun? */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/str.h"
#include "pm/places_priv.h"

#define TEXT_MAX 1048576U

/* "${NAME}" says where a credential is, and "true" that there is one. */
static bool is_reference(const char *value, size_t len)
{
	static const char *const words[] = { "true", "false", "null", "" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(words); i++)
		if (strlen(words[i]) == len && memcmp(words[i], value, len) == 0)
			return true;
	if (len < 4 || value[0] != '$')
		return false;
	if (value[1] != '{')
		i = 1;
	else if (value[len - 1] == '}')
		i = 2, len--;
	else
		return false;
	for (; i < len; i++)
		if (!isalnum((unsigned char)value[i]) && value[i] != '_')
			return false;
	return true;
}

/* Behind a word that names a credential: the separator, then what it is. */
static bool is_harmless(const char *at, const char *end)
{
	static const char around[] = " \t\r=:\"'";

	while (at < end && !strchr(around, *at))
		at++;
	while (at < end && strchr(around, *at))
		at++;
	while (end > at && strchr(around, end[-1]))
		end--;
	return is_reference(at, (size_t)(end - at));
}

/* "user:password@host", "token@host" behind "://" */
static bool has_userinfo(const char *line)
{
	const char *p = line, *end;

	while ((p = strstr(p, "://"))) {
		p += 3;
		end = p + strcspn(p, "/?# \t\"'");
		if (memchr(p, '@', (size_t)(end - p)))
			return true;
	}
	return false;
}

static bool is_plain_line(const char *line)
{
	static const char *const words[] = { "auth",       "token",    "passw", "secret",
					     "credential", "username", "_key",  "keyfile" };
	const char *at;
	size_t i;

	if (has_userinfo(line))
		return false;
	for (i = 0; i < PMG_ARRAY_LEN(words); i++)
		for (at = line; (at = strcasestr(at, words[i]));) {
			at += strlen(words[i]);
			if (!is_harmless(at, line + strlen(line)))
				return false;
		}
	return true;
}

bool pmg_places_is_plain(const char *path)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_auto(strv) struct pmg_strv lines = { 0 };
	pmg_autofree char *text = NULL;
	size_t len = 0, i;

	if (pmg_io_slurp(path, TEXT_MAX, &text, &len, &err) < 0 || strlen(text) != len)
		return false;
	pmg_strv_split(&lines, text, "\n");
	for (i = 0; i < lines.n; i++)
		if (!is_plain_line(lines.v[i]))
			return false;
	return true;
}
