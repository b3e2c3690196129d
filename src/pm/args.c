#include "pm/args.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

enum arity { UNKNOWN, FLAG, MAYBE, VALUE, RECENT };

/* A name looked up in a table; name is a word of one of its lists, or NULL. */
struct found {
	const char *name;
	size_t len;
	enum arity arity;
	bool exact;
};

void pmg_args_done(struct pmg_args *args)
{
	free(args->name);
	args->name = NULL;
}

/* Every word of a list that begins with the name is tried; the one that is it wins at once. */
static void search(const char *list, enum arity arity, const char *name, size_t len,
		   struct found *found, unsigned *hits)
{
	size_t n;

	for (; list && *list && !found->exact; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		if (n < len || strncmp(list, name, len) != 0)
			continue;
		(*hits)++;
		*found =
			(struct found){ .name = list, .len = n, .arity = arity, .exact = n == len };
	}
}

/* Exactly, or by the only name that begins so: nopt and optparse complete names. */
static struct found look_up(const struct pmg_arg_table *t, const char *name, size_t len)
{
	struct found found = { .name = NULL };
	unsigned hits = 0;

	if (len == 0)
		return found;
	search(t->flags, FLAG, name, len, &found, &hits);
	search(t->maybes, MAYBE, name, len, &found, &hits);
	search(t->values, VALUE, name, len, &found, &hits);
	search(t->recent, RECENT, name, len, &found, &hits);
	if (!found.exact && hits != 1)
		return (struct found){ .name = NULL };
	return found;
}

static const struct pmg_arg_short *short_of(const struct pmg_arg_table *t, const char *name,
					    size_t len)
{
	const struct pmg_arg_short *s;

	for (s = t->shorts; s && s->from; s++)
		if (strncmp(s->from, name, len) == 0 && s->from[len] == '\0')
			return s;
	return NULL;
}

static bool ends_options(const struct pmg_args *args, const char *word)
{
	size_t dashes = strspn(word, "-");

	return word[dashes] == '\0' && (args->table->nopt ? dashes >= 2 : dashes == 2);
}

static bool is_bool(const char *word)
{
	return strcmp(word, "true") == 0 || strcmp(word, "false") == 0;
}

/*
 * nopt makes a flag and an operand of "--json=x" and "--no-tag=x", and it depends on the type of
 * the option whether "--no-tag x" is two words or one: none is worth telling apart.
 */
static bool is_clear(const struct pmg_args *args, enum arity arity, const char *joined,
		     const struct pmg_arg *out)
{
	if (!args->table->nopt)
		return true;
	if (out->negated)
		return arity == FLAG && !joined;
	if (joined && ends_options(args, joined))
		return false; /* "--tag=--" is "--tag --" */
	return !joined || arity == VALUE || arity == RECENT || is_bool(joined);
}

/* Fills value and n from what follows the option at out->first. */
static void take_value(const struct pmg_args *args, enum arity arity, const char *joined,
		       struct pmg_arg *out)
{
	const char *next = args->argv[out->first + 1];

	out->sure = out->sure && is_clear(args, arity, joined, out);
	if (joined) {
		out->value = joined;
		return;
	}
	if (!next || out->negated || arity == UNKNOWN)
		return;
	if (arity == FLAG && args->table->nopt) {
		if (!is_bool(next))
			return;
		out->sure = false; /* pnpm 12 would see an operand */
	} else if (arity == FLAG) {
		return;
	} else if (next[0] == '-' && next[1] != '\0') {
		out->sure = false; /* some types swallow it, some do not */
		if (arity == MAYBE || args->table->nopt)
			return;
	} else if (arity == MAYBE) {
		out->sure = false; /* "--color ls": a colour or a verb? */
	} else if (arity == RECENT) {
		out->sure = false; /* "--name install": a name, or a verb of an older npm? */
	}
	out->value = next;
	out->n = 2;
}

static void set_name(struct pmg_args *args, struct pmg_arg *out, const char *name, size_t len)
{
	free(args->name);
	args->name = pmg_xstrndup(name, len);
	out->name = args->name;
}

/* "-gD": only letters that stand for flags, else nobody can tell what the next word is. */
static bool nopt_group(struct pmg_args *args, const char *word, size_t len, struct pmg_arg *out)
{
	const struct pmg_arg_short *s = NULL, *last = NULL;
	struct found f = { 0 };
	size_t i;

	for (i = 0; i < len; i++) {
		s = short_of(args->table, word + i, 1);
		if (!s)
			return false;
		last = s;
		f = look_up(args->table, s->to, strlen(s->to));
		if (f.arity != FLAG)
			out->sure = false;
	}
	if (!last)
		return false;
	set_name(args, out, last->to, strlen(last->to));
	take_value(args, f.arity, last->value, out);
	return true;
}

static void next_nopt(struct pmg_args *args, const char *word, struct pmg_arg *out)
{
	const char *name = word + strspn(word, "-"), *eq = strchr(name, '=');
	size_t len = eq ? (size_t)(eq - name) : strlen(name);
	const struct pmg_arg_short *s = NULL;
	struct found f = look_up(args->table, name, len);
	unsigned negations = 0;

	if (!f.exact)
		s = short_of(args->table, name, len);
	if (s) {
		f = look_up(args->table, s->to, strlen(s->to));
		set_name(args, out, s->to, strlen(s->to));
		take_value(args, f.arity, s->value ? s->value : (eq ? eq + 1 : NULL), out);
		if (s->value && eq)
			out->sure = false;
		return;
	}
	if (!f.exact && !eq && nopt_group(args, name, len, out))
		return;
	for (; len > 3 && strncasecmp(name, "no-", 3) == 0 && !f.exact; negations++) {
		out->negated = !out->negated;
		name += 3;
		len -= 3;
		f = look_up(args->table, name, len);
	}
	out->sure = f.exact && negations < 2; /* "--no-no-tag": no word follows, for nopt */
	set_name(args, out, f.name ? f.name : name, f.name ? f.len : len);
	take_value(args, f.arity, eq ? eq + 1 : NULL, out);
}

/* "-vvi URL", "-iURL": letters are flags until one takes the rest or the next word. */
static void next_letters(struct pmg_args *args, const char *word, struct pmg_arg *out)
{
	const struct pmg_arg_short *s = NULL;
	struct found f = { 0 };

	/* A lone "-" is an operand, so there is at least one letter. */
	for (word++; *word; word++) {
		s = short_of(args->table, word, 1);
		if (!s) {
			out->sure = false;
			set_name(args, out, word, 1);
			return;
		}
		f = look_up(args->table, s->to, strlen(s->to));
		if (f.arity == VALUE)
			break;
	}
	set_name(args, out, s->to, strlen(s->to));
	take_value(args, f.arity, *word && word[1] ? word + 1 : NULL, out);
}

static void next_optparse(struct pmg_args *args, const char *word, struct pmg_arg *out)
{
	const char *name = word + 2, *eq;
	struct found f;
	size_t len;

	if (word[1] != '-') {
		next_letters(args, word, out);
		return;
	}
	eq = strchr(name, '=');
	len = eq ? (size_t)(eq - name) : strlen(name);
	f = look_up(args->table, name, len);
	out->sure = f.exact;
	set_name(args, out, f.name ? f.name : name, f.name ? f.len : len);
	take_value(args, f.arity, eq ? eq + 1 : NULL, out);
}

bool pmg_args_next(struct pmg_args *args, struct pmg_arg *out)
{
	const char *word;

	if (args->next == 0 && args->argv[0])
		args->next = 1;
	word = args->argv[args->next];
	if (word && !args->ended && ends_options(args, word)) {
		args->ended = true;
		word = args->argv[++args->next];
	}
	*out = (struct pmg_arg){ .sure = true, .first = args->next, .n = 1 };
	if (!word)
		return false;
	if (args->ended || word[0] != '-' || word[1] == '\0') {
		out->kind = PMG_ARG_OPERAND;
		out->value = word;
		args->ended = args->ended || args->stop_at_first;
	} else {
		out->kind = PMG_ARG_OPTION;
		if (args->table->nopt)
			next_nopt(args, word, out);
		else
			next_optparse(args, word, out);
	}
	args->next += out->n;
	return true;
}
