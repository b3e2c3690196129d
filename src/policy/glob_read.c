#include "policy/glob_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

struct reader {
	const char *pattern, *at;
	struct pmg_glob *glob;
	struct pmg_err *err;
};

struct pmg_glob *pmg_glob_share(struct pmg_glob *glob)
{
	glob->more++;
	return glob;
}

void pmg_glob_free(struct pmg_glob *glob)
{
	if (!glob || glob->more-- > 0)
		return;
	free(glob->bytes);
	free(glob->fixed);
	free(glob->components);
	free(glob->tokens);
	free(glob->sets);
	free(glob);
}

static int bad(const struct reader *reader, const char *at, const char *what)
{
	const char *pattern = reader->pattern;
	pmg_autofree char *shown = pmg_str_quote(pattern, strlen(pattern), 200);

	return pmg_err_set(reader->err, PMG_E_CONFIG, 0, "pattern \"%s\": byte %zu: %s", shown,
			   (size_t)(at - pattern) + 1, what);
}

static void add_token(struct pmg_glob *glob, enum pmg_glob_token_kind kind, char byte)
{
	glob->tokens =
		pmg_grow(glob->tokens, glob->n_tokens, &glob->cap_tokens, sizeof *glob->tokens);
	glob->tokens[glob->n_tokens++] = (struct pmg_glob_token){
		.kind = kind,
		.byte = (unsigned char)byte,
		.set = glob->n_sets,
	};
}

/* One byte of a set, with its escape. */
static int set_byte(struct reader *reader, unsigned char *out)
{
	if (*reader->at == '\\')
		reader->at++;
	if (*reader->at == '\0' || *reader->at == '/')
		return bad(reader, reader->at, "a set has no end, or a \"/\" in it");
	*out = (unsigned char)*reader->at++;
	return 0;
}

/* One byte or one range of a set. */
static int set_range(struct reader *reader, struct pmg_glob_set *set)
{
	const char *start = reader->at;
	unsigned char low = 0, high = 0;
	unsigned byte;
	int r;

	if (start[0] == '[' && (start[1] == ':' || start[1] == '.' || start[1] == '='))
		return bad(reader, start, "classes of bytes by name are not known");
	r = set_byte(reader, &low);
	if (r < 0)
		return r;
	high = low;
	if (reader->at[0] == '-' && reader->at[1] != ']') {
		reader->at++;
		r = set_byte(reader, &high);
		if (r < 0)
			return r;
	}
	if (high < low || (low <= '/' && high >= '/'))
		return bad(reader, start, "a range that is turned round, or holds \"/\"");
	for (byte = low; byte <= high; byte++)
		set->bits[byte / 8] |= (unsigned char)(1U << (byte % 8));
	return 0;
}

static int read_set(struct reader *reader)
{
	struct pmg_glob *glob = reader->glob;
	struct pmg_glob_set set = { { 0 } };
	bool negated = reader->at[1] == '!';
	size_t i;
	int r;

	reader->at += negated ? 2 : 1;
	do {
		r = set_range(reader, &set);
		if (r < 0)
			return r;
	} while (*reader->at != ']');
	reader->at++;
	for (i = 0; negated && i < sizeof set.bits; i++)
		set.bits[i] = (unsigned char)~set.bits[i];
	add_token(glob, PMG_GLOB_SET, 0);
	glob->sets = pmg_grow(glob->sets, glob->n_sets, &glob->cap_sets, sizeof *glob->sets);
	glob->sets[glob->n_sets++] = set;
	return 0;
}

static int read_token(struct reader *reader)
{
	char byte = *reader->at;

	switch (byte) {
	case '[':
		return read_set(reader);
	case '*':
		if (reader->at[1] == '*')
			return bad(reader, reader->at, "two stars stand alone between slashes");
		add_token(reader->glob, PMG_GLOB_STAR, 0);
		break;
	case '?':
		add_token(reader->glob, PMG_GLOB_ONE, 0);
		break;
	case '\\':
		byte = *++reader->at;
		if (byte == '\0' || byte == '/')
			return bad(reader, reader->at - 1, "nothing for the \"\\\" to take");
		add_token(reader->glob, PMG_GLOB_BYTE, byte);
		break;
	default:
		add_token(reader->glob, PMG_GLOB_BYTE, byte);
	}
	reader->at++;
	return 0;
}

/* Tokens from `first` on are plain bytes: a component that memcmp() can tell. */
static void make_literal(struct pmg_glob *glob, struct pmg_glob_component *out, size_t first)
{
	size_t i;

	out->kind = PMG_GLOB_LITERAL;
	out->at = glob->n_bytes;
	out->n = glob->n_tokens - first;
	for (i = first; i < glob->n_tokens; i++)
		glob->bytes[glob->n_bytes++] = (char)glob->tokens[i].byte;
	glob->n_tokens = first;
	pmg_glob_mask_add(&glob->needs, glob->bytes + out->at, out->n);
}

/* A component without anything special in it, as most are. */
static struct pmg_glob_component take_plain(struct reader *reader, size_t len)
{
	struct pmg_glob *glob = reader->glob;
	struct pmg_glob_component part = { PMG_GLOB_LITERAL, glob->n_bytes, len };

	memcpy(glob->bytes + part.at, reader->at, len);
	glob->n_bytes += len;
	reader->at += len;
	pmg_glob_mask_add(&glob->needs, glob->bytes + part.at, len);
	return part;
}

static bool is_dots(const struct pmg_glob *glob, const struct pmg_glob_component *part)
{
	return part->kind == PMG_GLOB_LITERAL && part->n <= 2 &&
	       memcmp(glob->bytes + part->at, "..", part->n) == 0;
}

static int read_magic(struct reader *reader, struct pmg_glob_component *out)
{
	struct pmg_glob *glob = reader->glob;
	size_t i, first = glob->n_tokens;
	int r;

	while (*reader->at != '\0' && *reader->at != '/') {
		r = read_token(reader);
		if (r < 0)
			return r;
	}
	*out = (struct pmg_glob_component){ PMG_GLOB_MAGIC, first, glob->n_tokens - first };
	for (i = first; i < glob->n_tokens; i++)
		if (glob->tokens[i].kind != PMG_GLOB_BYTE)
			return 0;
	make_literal(glob, out, first);
	return 0;
}

static int read_component(struct reader *reader)
{
	struct pmg_glob *glob = reader->glob;
	const char *start = reader->at;
	struct pmg_glob_component part = { .kind = PMG_GLOB_ANY };
	size_t plain = strcspn(start, "*?[\\/");
	int r = 0;

	if (start[0] == '*' && start[1] == '*' && (start[2] == '/' || start[2] == '\0')) {
		reader->at += 2;
		if (glob->n > 0 && glob->components[glob->n - 1].kind == PMG_GLOB_ANY)
			return 0; /* twice is once */
	} else {
		if (start[plain] == '\0' || start[plain] == '/')
			part = take_plain(reader, plain);
		else
			r = read_magic(reader, &part);
		if (r < 0)
			return r;
		if (is_dots(glob, &part)) /* also the empty one */
			return bad(reader, start, "an empty component, \".\" or \"..\"");
	}
	glob->components = pmg_grow(glob->components, glob->n, &glob->cap, sizeof part);
	glob->components[glob->n++] = part;
	return 0;
}

static void finish_path(struct pmg_glob *glob)
{
	size_t i, len = 0;

	glob->fixed = pmg_xmalloc(glob->n_bytes + glob->n + 2);
	for (i = 0; i < glob->n && glob->components[i].kind == PMG_GLOB_LITERAL; i++) {
		const struct pmg_glob_component *part = &glob->components[i];

		glob->fixed[len++] = '/';
		memcpy(glob->fixed + len, glob->bytes + part->at, part->n);
		len += part->n;
	}
	glob->lead = i;
	if (len == 0)
		glob->fixed[len++] = '/';
	glob->fixed[len] = '\0';
	for (i = glob->n; i > 0 && glob->components[i - 1].kind != PMG_GLOB_ANY; i--)
		glob->tail++;
}

static int read_path(struct reader *reader)
{
	int r;

	if (*reader->at == '/' && *++reader->at == '\0') { /* "/" itself */
		finish_path(reader->glob);
		return 0;
	}
	for (;;) {
		r = read_component(reader);
		if (r < 0)
			return r;
		if (*reader->at == '\0')
			break;
		reader->at++;
	}
	finish_path(reader->glob);
	return 0;
}

/* A suffix star and nothing else: what variables are let through must be seen at a glance. */
static int read_name(struct reader *reader)
{
	struct pmg_glob *glob = reader->glob;

	glob->is_name = true;
	for (; *reader->at; reader->at++) {
		if (*reader->at == '*' && reader->at[1] == '\0' && glob->n_bytes > 0) {
			glob->name_star = true;
			continue;
		}
		if (strchr("*?[", *reader->at))
			return bad(reader, reader->at,
				   "a name takes one \"*\", at its end and behind something");
		if (*reader->at == '\\' && *++reader->at == '\0')
			return bad(reader, reader->at - 1, "nothing for the \"\\\" to take");
		glob->bytes[glob->n_bytes++] = *reader->at;
	}
	glob->fixed = pmg_xstrdup(glob->bytes);
	return 0;
}

int pmg_glob_new(const char *pattern, struct pmg_glob **out, struct pmg_err *err)
{
	pmg_auto(glob) struct pmg_glob *glob = pmg_xcalloc(1, sizeof *glob);
	struct reader reader = { pattern, pattern, glob, err };
	size_t len = strlen(pattern);
	int r;

	if (len == 0 || len > PMG_GLOB_MAX)
		return bad(&reader, pattern, "empty, or longer than 4096 bytes");
	glob->bytes = pmg_xcalloc(len + 1, 1);
	if (pattern[0] == '@' || !strchr(pattern, '/'))
		r = read_name(&reader);
	else if (pattern[0] == '/' || pmg_str_has_prefix(pattern, "**/"))
		r = read_path(&reader);
	else
		r = bad(&reader, pattern, "not an absolute path");
	if (r < 0)
		return r;
	*out = pmg_steal_ptr(&glob);
	return 0;
}
