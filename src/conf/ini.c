#include "conf/ini.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/json.h"
#include "base/str.h"

void pmg_ini_done(struct pmg_ini *ini)
{
	size_t i;

	for (i = 0; i < ini->n; i++) {
		free(ini->entries[i].section);
		free(ini->entries[i].key);
		free(ini->entries[i].value);
	}
	free(ini->entries);
	*ini = (struct pmg_ini){ 0 };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

/* A copy of s[0..n) without blanks at both ends. */
static char *trim(const char *s, size_t n)
{
	while (n > 0 && is_blank(*s)) {
		s++;
		n--;
	}
	while (n > 0 && is_blank(s[n - 1]))
		n--;
	return pmg_xstrndup(s, n);
}

static struct pmg_ini_entry *add(struct pmg_ini *ini, const char *section, unsigned line)
{
	struct pmg_ini_entry *entry;

	if (ini->n >= PMG_INI_ENTRIES_MAX)
		return NULL;
	ini->entries = pmg_grow(ini->entries, ini->n, &ini->cap, sizeof *ini->entries);
	entry = &ini->entries[ini->n++];
	*entry = (struct pmg_ini_entry){ .section = pmg_xstrdup(section), .line = line };
	return entry;
}

/* The text of a JSON string, or NULL. */
static char *json_text(const char *text)
{
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;

	if (pmg_json_parse("value", text, strlen(text), &json, &err) < 0 || !pmg_json_text(json))
		return NULL;
	return pmg_xstrdup(pmg_json_text(json));
}

/* Up to an unescaped ";" or "#"; a backslash before one of these, or before itself, goes. */
static char *npm_unquoted(const char *s)
{
	char *out = pmg_xmalloc(strlen(s) + 1), *trimmed;
	size_t n = 0;

	for (; *s && *s != ';' && *s != '#'; s++) {
		if (*s == '\\' && s[1] && strchr("\\;#", s[1]))
			s++;
		out[n++] = *s;
	}
	trimmed = trim(out, n);
	free(out);
	return trimmed;
}

/* What `ini` calls unsafe(): the meaning of a key or value as written. */
static char *npm_value(const char *s, size_t n)
{
	pmg_autofree char *raw = trim(s, n);
	size_t len = strlen(raw);
	char *text = NULL;

	if (len >= 2 && (raw[0] == '"' || raw[0] == '\'') && raw[len - 1] == raw[0]) {
		if (raw[0] == '\'') {
			raw[len - 1] = '\0';
			memmove(raw, raw + 1, len - 1);
		}
		text = json_text(raw);
		return text ? text : pmg_steal_ptr(&raw);
	}
	return npm_unquoted(raw);
}

/* "[name]" and nothing behind it. */
static bool is_section(const char *s, size_t n, size_t *name_len)
{
	const char *end = n > 0 && s[0] == '[' ? memchr(s, ']', n) : NULL;
	size_t i;

	if (!end)
		return false;
	*name_len = (size_t)(end - s) - 1;
	for (i = *name_len + 2; i < n; i++)
		if (!is_blank(s[i]))
			return false;
	return true;
}

static int npm_line(struct pmg_ini *ini, char **section, const char *s, size_t n, unsigned line)
{
	const char *eq = memchr(s, '=', n);
	struct pmg_ini_entry *entry;
	size_t i = 0, len = 0;

	while (i < n && is_blank(s[i]))
		i++;
	if (i == n || s[i] == ';' || s[i] == '#' || eq == s)
		return 0;
	if (is_section(s, n, &len)) {
		free(*section);
		*section = npm_value(s + 1, len);
		return 0;
	}
	entry = add(ini, *section, line);
	if (!entry)
		return -PMG_E_LIMIT;
	entry->key = npm_value(s, eq ? (size_t)(eq - s) : n);
	len = strlen(entry->key);
	if (len > 2 && strcmp(entry->key + len - 2, "[]") == 0)
		entry->key[len - 2] = '\0';
	entry->value = eq ? npm_value(eq + 1, (size_t)(s + n - eq) - 1) : pmg_xstrdup("true");
	return 0;
}

static void append_line(struct pmg_ini_entry *entry, const char *more)
{
	char *longer = pmg_xasprintf("%s\n%s", entry->value, more);

	free(entry->value);
	entry->value = longer;
}

static char *python_key(const char *s, size_t n)
{
	char *key = trim(s, n), *p;

	for (p = key; *p; p++)
		*p = (char)(*p == '_' ? '-' : tolower((unsigned char)*p));
	return key;
}

/* State of the Python dialect: indent of the line that the open entry began on. */
struct python {
	char *section;
	size_t indent;
	bool open;
};

static int python_line(struct pmg_ini *ini, struct python *state, const char *s, size_t n,
		       unsigned line)
{
	struct pmg_ini_entry *entry;
	const char *close;
	size_t indent = 0, split;

	while (indent < n && is_blank(s[indent]))
		indent++;
	if (indent == n || s[indent] == '#' || s[indent] == ';')
		return 0;
	if (state->open && indent > state->indent) {
		pmg_autofree char *more = trim(s, n);

		append_line(&ini->entries[ini->n - 1], more);
		return 0;
	}
	state->indent = indent;
	state->open = false;
	close = s[indent] == '[' ? memchr(s, ']', n) : NULL;
	if (close) {
		free(state->section);
		state->section = pmg_xstrndup(s + indent + 1, (size_t)(close - s) - indent - 1);
		return 0;
	}
	for (split = indent; split < n && s[split] != '=' && s[split] != ':';)
		split++;
	if (split == n || split == indent)
		return 0;
	entry = add(ini, state->section, line);
	if (!entry)
		return -PMG_E_LIMIT;
	entry->key = python_key(s, split);
	entry->value = trim(s + split + 1, n - split - 1);
	state->open = true;
	return 0;
}

static int parse(enum pmg_ini_dialect dialect, const char *text, size_t len, struct pmg_ini *ini)
{
	struct python python = { .section = pmg_xstrdup("") };
	const char *end = text + len, *eol;
	unsigned line = 0;
	int r = 0;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		text += 3;
	for (; r == 0 && text < end; text = eol + 1) {
		/* npm's `ini` ends lines at a lone CR too. */
		for (eol = text;
		     eol < end && *eol != '\n' && !(dialect == PMG_INI_NPMRC && *eol == '\r');)
			eol++;
		line++;
		if (dialect == PMG_INI_NPMRC)
			r = npm_line(ini, &python.section, text, (size_t)(eol - text), line);
		else
			r = python_line(ini, &python, text, (size_t)(eol - text), line);
		if (eol + 1 < end && eol[0] == '\r' && eol[1] == '\n')
			eol++;
	}
	free(python.section);
	return r;
}

int pmg_ini_parse(enum pmg_ini_dialect dialect, const char *name, const char *text, size_t len,
		  struct pmg_ini *out, struct pmg_err *err)
{
	pmg_auto(ini) struct pmg_ini ini = { 0 };

	if (len > PMG_INI_TEXT_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: larger than %u bytes", name,
				   PMG_INI_TEXT_MAX);
	if (parse(dialect, text, len, &ini) < 0)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: more than %u entries", name,
				   PMG_INI_ENTRIES_MAX);
	*out = ini;
	ini = (struct pmg_ini){ 0 };
	return 0;
}

/* s points behind "${"; what stands for the whole up to "}", or NULL to leave it as it is. */
static char *variable(const char *s, size_t n, const struct pmg_strv *env)
{
	size_t len = strcspn(s, "?:-}");
	pmg_autofree char *name = NULL;
	const char *value, *word;

	if (len > n)
		len = n;
	name = pmg_xstrndup(s, len);
	value = pmg_env_get(env, name);
	word = s + len;
	if (len == n)
		return value ? pmg_xstrdup(value) : NULL;
	if (*word == '?' && len + 1 == n)
		return pmg_xstrdup(value ? value : "");
	if (word[0] == ':' && word[1] == '-')
		return value && *value ? pmg_xstrdup(value) : pmg_xstrndup(word + 2, n - len - 2);
	if (word[0] == '-')
		return value ? pmg_xstrdup(value) : pmg_xstrndup(word + 1, n - len - 1);
	return NULL;
}

/* Backslashes before "${": half of them stay, and an odd one takes the meaning of "$" away. */
static int expand_one(const char **text, const struct pmg_strv *env, struct pmg_str *out)
{
	size_t slashes = strspn(*text, "\\");
	const char *dollar = *text + slashes, *close;
	pmg_autofree char *value = NULL;

	close = strncmp(dollar, "${", 2) == 0 ? strchr(dollar, '}') : NULL;
	if (close)
		value = variable(dollar + 2, (size_t)(close - dollar) - 2, env);
	if (close && slashes % 2 == 1) {
		*text += (slashes + 1) / 2;
		slashes /= 2;
		free(pmg_steal_ptr(&value));
	} else if (value) {
		*text = close + 1;
		return pmg_str_add(out, dollar - slashes, slashes / 2) < 0
			       ? -PMG_E_LIMIT
			       : pmg_str_adds(out, value);
	}
	/* As it is: the backslashes and one character, so that the walk goes on behind it. */
	slashes += dollar[0] ? 1 : 0;
	close = *text;
	*text += slashes;
	return pmg_str_add(out, close, slashes);
}

char *pmg_ini_expand(const char *text, const struct pmg_strv *env)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(SIZE_MAX / 2);

	while (*text)
		if (expand_one(&text, env, &out) < 0)
			abort(); /* the limit is out of reach */
	return pmg_str_steal(&out);
}
