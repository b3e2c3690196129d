#include "policy/glob.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "policy/glob_priv.h"

#define STATES_MAX (PMG_GLOB_MAX / 2 + 2) /* places between the components of a pattern */

void pmg_glob_mask_add(struct pmg_glob_mask *mask, const char *s, size_t len)
{
	uint32_t hash = (uint32_t)len * 0x9e3779b1U;
	uint32_t word;

	/* Eight bytes tell names apart well enough; what they do not, memcmp() does. */
	if (len >= 4) {
		memcpy(&word, s, 4);
		hash = (hash ^ word) * 0x85ebca6bU;
		memcpy(&word, s + len - 4, 4);
		hash = (hash ^ word) * 0xc2b2ae35U;
	} else {
		while (len > 0)
			hash = (hash ^ (unsigned char)s[--len]) * 0x01000193U;
	}
	hash *= 0x9e3779b1U;
	mask->bits[0] |= 1ULL << (hash >> 26);
	mask->bits[1] |= 1ULL << ((hash >> 20) & 63);
}

void pmg_glob_path_init(struct pmg_glob_path *out, const char *path)
{
	size_t cap = PMG_ARRAY_LEN(out->inside);

	out->text = path;
	out->parts = out->inside;
	out->n_parts = 0;
	out->mask = (struct pmg_glob_mask){ { 0, 0 } };
	if (path[0] != '/')
		return;
	while (*path) {
		const char *start = ++path; /* behind the slash */

		path = strchrnul(path, '/');
		if (path == start)
			continue; /* "/" has no component */
		if (out->n_parts == cap) {
			struct pmg_glob_part *old = out->parts == out->inside ? NULL : out->parts;

			cap *= 2;
			out->parts = pmg_xrealloc(old, cap, sizeof *out->parts);
			if (!old)
				memcpy(out->parts, out->inside, sizeof out->inside);
		}
		out->parts[out->n_parts++] =
			(struct pmg_glob_part){ start, (size_t)(path - start) };
		pmg_glob_mask_add(&out->mask, start, (size_t)(path - start));
	}
}

void pmg_glob_path_done(struct pmg_glob_path *path)
{
	if (path->parts != path->inside)
		free(path->parts);
	path->parts = path->inside;
	path->n_parts = 0;
}

static bool token_takes(const struct pmg_glob *glob, const struct pmg_glob_token *token, char byte)
{
	unsigned char c = (unsigned char)byte;

	if (token->kind == PMG_GLOB_SET)
		return (glob->sets[token->set].bits[c / 8] >> (c % 8)) & 1;
	return token->kind == PMG_GLOB_ONE || (token->kind == PMG_GLOB_BYTE && token->byte == c);
}

/*
 * Only the last star is ever gone back to: what an earlier one could take in addition, the last one
 * can take as well. So each pair of token and byte is looked at once.
 */
static bool magic_matches(const struct pmg_glob *glob, const struct pmg_glob_component *component,
			  const struct pmg_glob_part *part)
{
	const struct pmg_glob_token *tokens = glob->tokens + component->at;
	size_t i = 0, j = 0, star = SIZE_MAX, from = 0;

	while (j < part->len) {
		if (i < component->n && tokens[i].kind == PMG_GLOB_STAR) {
			star = i++;
			from = j;
		} else if (i < component->n && token_takes(glob, &tokens[i], part->s[j])) {
			i++;
			j++;
		} else if (star != SIZE_MAX) {
			i = star + 1;
			j = ++from;
		} else {
			return false;
		}
	}
	while (i < component->n && tokens[i].kind == PMG_GLOB_STAR)
		i++;
	return i == component->n;
}

static bool component_matches(const struct pmg_glob *glob, size_t i,
			      const struct pmg_glob_part *part)
{
	const struct pmg_glob_component *component = &glob->components[i];

	if (component->kind == PMG_GLOB_LITERAL)
		return component->n == part->len &&
		       memcmp(glob->bytes + component->at, part->s, part->len) == 0;
	return magic_matches(glob, component, part);
}

/* The same over components: i_end and n leave out the tail, so that two stars come last. */
static bool head_matches(const struct pmg_glob *glob, size_t i_end,
			 const struct pmg_glob_part *parts, size_t n)
{
	size_t i = 0, j = 0, any = SIZE_MAX, from = 0;

	for (;;) {
		if (i < i_end && glob->components[i].kind == PMG_GLOB_ANY) {
			any = i++;
			from = j;
			if (i == i_end)
				return true;
		} else if (j < n && i < i_end && component_matches(glob, i, &parts[j])) {
			i++;
			j++;
		} else if (any != SIZE_MAX && j < n) { /* no later start has more parts left */
			i = any + 1;
			j = ++from;
		} else {
			return false;
		}
	}
}

static bool name_matches(const struct pmg_glob *glob, const char *name)
{
	if (strncmp(name, glob->bytes, glob->n_bytes) != 0)
		return false;
	return glob->name_star || name[glob->n_bytes] == '\0';
}

bool pmg_glob_match_path(const struct pmg_glob *glob, const struct pmg_glob_path *path)
{
	size_t k, tail = glob->tail;

	if (glob->is_name || path->text[0] != '/')
		return glob->is_name && name_matches(glob, path->text);
	if (path->n_parts < tail || (tail == glob->n && path->n_parts != tail))
		return false;
	for (k = 1; k <= tail; k++)
		if (!component_matches(glob, glob->n - k, &path->parts[path->n_parts - k]))
			return false;
	if (tail == glob->n)
		return true;
	/* Paths have their first names in common: that of the folder which a rule is about tells.
	 */
	if (glob->lead > 0 &&
	    (path->n_parts < glob->lead ||
	     !component_matches(glob, glob->lead - 1, &path->parts[glob->lead - 1])))
		return false;
	return head_matches(glob, glob->n - tail, path->parts, path->n_parts - tail);
}

bool pmg_glob_match(const struct pmg_glob *glob, const char *path)
{
	pmg_auto(glob_path) struct pmg_glob_path parts;

	pmg_glob_path_init(&parts, path);
	return pmg_glob_match_path(glob, &parts);
}

struct pmg_glob_mask pmg_glob_needs(const struct pmg_glob *glob)
{
	return glob->needs;
}

const char *pmg_glob_fixed(const struct pmg_glob *glob)
{
	return glob->fixed;
}

bool pmg_glob_is_exact(const struct pmg_glob *glob)
{
	if (glob->is_name)
		return !glob->name_star;
	return glob->lead == glob->n || (glob->lead + 1 == glob->n && glob->tail == 0);
}

bool pmg_glob_is_subtree(const struct pmg_glob *glob)
{
	return pmg_glob_is_exact(glob) && glob->n > 0 && glob->tail == 0;
}

char *pmg_glob_shortest(const struct pmg_glob *glob)
{
	pmg_autofree char *path = pmg_xcalloc(glob->n_bytes + glob->n + 2, 1);
	size_t i, len = 0;

	for (i = 0; i < glob->n; i++) {
		const struct pmg_glob_component *part = &glob->components[i];

		if (part->kind == PMG_GLOB_ANY)
			continue;
		if (part->kind == PMG_GLOB_MAGIC)
			return NULL;
		path[len++] = '/';
		memcpy(path + len, glob->bytes + part->at, part->n);
		len += part->n;
	}
	if (len == 0)
		path[0] = '/';
	return glob->is_name ? NULL : pmg_steal_ptr(&path);
}

/* Where in the pattern a path can have got to. */
struct walk {
	bool at[STATES_MAX];      /* [i]: components from i on are left to match what lies below */
	bool by_name[STATES_MAX]; /* ... and the last component of the path was not one of those
				   * that two stars stand for */
};

/* Two stars may also stand for nothing. */
static void pass_any(const struct pmg_glob *glob, bool *at)
{
	size_t i;

	for (i = 0; i < glob->n; i++)
		if (at[i] && glob->components[i].kind == PMG_GLOB_ANY)
			at[i + 1] = true;
}

static void walk(const struct pmg_glob *glob, const char *dir, struct walk *out)
{
	pmg_auto(glob_path) struct pmg_glob_path path;
	bool next[STATES_MAX];
	size_t i, j, size = (glob->n + 1) * sizeof next[0];

	memset(out->at, 0, size);
	memset(out->by_name, 0, size);
	out->at[0] = true;
	pass_any(glob, out->at);
	pmg_glob_path_init(&path, dir);
	for (j = 0; j < path.n_parts; j++) {
		memset(next, 0, size);
		memset(out->by_name, 0, size);
		for (i = 0; i < glob->n; i++) {
			if (!out->at[i])
				continue;
			if (glob->components[i].kind == PMG_GLOB_ANY)
				next[i] = true;
			else if (component_matches(glob, i, &path.parts[j]))
				out->by_name[i + 1] = next[i + 1] = true;
		}
		pass_any(glob, next);
		memcpy(out->at, next, size);
	}
}

static bool anything_left(const struct pmg_glob *glob, const bool *at)
{
	return memchr(at, 1, glob->n) != NULL;
}

/*
 * By the names with which the pattern begins alone, as most questions can be answered: of each rule
 * is asked what it means for each folder.
 * @return 1: something below can match; 0: nothing can; -1: dir lies below these names, and magic
 *         follows
 */
static int below_by_names(const struct pmg_glob *glob, const char *dir)
{
	if (!pmg_path_is_under(dir, glob->fixed))
		return pmg_path_is_under(glob->fixed, dir);
	if (glob->lead == glob->n)
		return 0;
	return glob->components[glob->lead].kind == PMG_GLOB_ANY ? 1 : -1;
}

bool pmg_glob_may_match_below(const struct pmg_glob *glob, const char *dir)
{
	struct walk reached;
	int by_names;

	if (glob->is_name || dir[0] != '/')
		return false;
	by_names = below_by_names(glob, dir);
	if (by_names >= 0)
		return by_names;
	walk(glob, dir, &reached);
	return anything_left(glob, reached.at);
}

bool pmg_glob_covers(const struct pmg_glob *glob, const char *dir)
{
	struct walk reached;

	if (glob->is_name || dir[0] != '/' || glob->n == 0 || glob->tail > 0 ||
	    !pmg_path_is_under(dir, glob->fixed))
		return false;
	if (pmg_glob_is_exact(glob))
		return true;
	walk(glob, dir, &reached);
	return reached.at[glob->n - 1];
}

/* Does any component with something behind it match this name? If not, there is no need to walk:
 * this is asked of every rule at every rename. */
static bool may_be_named(const struct pmg_glob *glob, const char *name)
{
	struct pmg_glob_part part = { name, strlen(name) };
	size_t i;

	for (i = 0; i + 1 < glob->n; i++)
		if (glob->components[i].kind != PMG_GLOB_ANY && component_matches(glob, i, &part))
			return true;
	return false;
}

bool pmg_glob_anchors(const struct pmg_glob *glob, const char *dir)
{
	struct walk reached;

	if (glob->is_name || dir[0] != '/' || !may_be_named(glob, pmg_path_name(dir)))
		return false;
	walk(glob, dir, &reached);
	return anything_left(glob, reached.by_name);
}
