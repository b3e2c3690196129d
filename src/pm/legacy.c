/*
 * How setuptools ordered versions before PEP 440 (pkg_resources.parse_version
 * up to setuptools 7): cut into runs of digits, letters and the rest, numbers
 * padded to eight digits, words marked with "*"; "final-" and zeros go before
 * a word that sorts early; then the lists are compared as lists of texts.
 */
#include <stdlib.h>

#include "pm/version_priv.h"

#define NUMBER_WIDTH 8U
#define FINAL        "*final"
#define FINAL_DASH   "*final-"
#define ZERO         "00000000"

static const struct {
	const char *part, *becomes;
} replacements[] = {
	{ "pre", "c" }, { "preview", "c" }, { "-", "final-" }, { "rc", "c" }, { "dev", "@" }
};

struct key {
	char **v;
	size_t n, cap;
};

static void key_done(struct key *key)
{
	size_t i;

	for (i = 0; i < key->n; i++)
		free(key->v[i]);
	free(key->v);
}
PMG_DEFINE_AUTO_DONE(key, struct key, key_done);

static void drop_last_while(struct key *key, const char *text)
{
	while (key->n > 0 && strcmp(key->v[key->n - 1], text) == 0)
		free(key->v[--key->n]);
}

static void key_take(struct key *key, char *part)
{
	if (part[0] == '*') {
		if (strcmp(part, FINAL) < 0)
			drop_last_while(key, FINAL_DASH);
		drop_last_while(key, ZERO);
	}
	key->v = pmg_grow(key->v, key->n, &key->cap, sizeof *key->v);
	key->v[key->n++] = part;
}

static void key_add(struct key *key, const char *s, size_t n)
{
	size_t i, pad;
	char *part;

	if (n == 1 && *s == '.')
		return;
	if (pmg_is_digit(*s)) {
		pad = n < NUMBER_WIDTH ? NUMBER_WIDTH - n : 0;
		part = pmg_xmalloc(pad + n + 1);
		memset(part, '0', pad);
		memcpy(part + pad, s, n);
		part[pad + n] = '\0';
		key_take(key, part);
		return;
	}
	for (i = 0; i < PMG_ARRAY_LEN(replacements); i++) {
		if (strlen(replacements[i].part) != n || memcmp(replacements[i].part, s, n) != 0)
			continue;
		key_take(key, pmg_xasprintf("*%s", replacements[i].becomes));
		return;
	}
	part = pmg_xmalloc(n + 2);
	part[0] = '*';
	memcpy(part + 1, s, n);
	part[n + 1] = '\0';
	key_take(key, part);
}

/* Kind of run a byte belongs to; '.' and '-' stand alone. */
static int kind(char c)
{
	if (pmg_is_digit(c))
		return 1;
	if (c >= 'a' && c <= 'z')
		return 2;
	if (c == '.')
		return 3;
	return c == '-' ? 4 : 5;
}

static void key_read(struct key *key, const char *text)
{
	pmg_autofree char *low = pmg_xstrdup(text);
	char *s;
	size_t n;

	for (s = low; *s; s++)
		*s = pmg_lower(*s);
	for (s = low; *s; s += n) {
		n = 1;
		while (s[n] && kind(s[n]) == kind(*s) && kind(*s) != 3 && kind(*s) != 4)
			n++;
		key_add(key, s, n);
	}
	key_take(key, pmg_xstrdup(FINAL));
}

int pmg_legacy_compare(const char *a, const char *b)
{
	pmg_auto(key) struct key x = { 0 };
	pmg_auto(key) struct key y = { 0 };
	size_t i;
	int c;

	key_read(&x, a);
	key_read(&y, b);
	for (i = 0; i < x.n && i < y.n; i++) {
		c = strcmp(x.v[i], y.v[i]);
		if (c != 0)
			return c;
	}
	if (x.n != y.n)
		return x.n < y.n ? -1 : 1;
	return strcmp(a, b); /* equal only when the texts are: an unreadable version is no other */
}
