#include "run/outer.h"

#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "run/certs.h"
#include "sandbox/inside.h"

#define NOTE_MAX (64U << 20) /* bytes; a run that knows more is not shared */
#define LINE_MAX 32768U
#define WALLS    "walls"
#define NO_WALLS "no walls"

void pmg_outer_done(struct pmg_outer *outer)
{
	free(outer->proxy);
	free(outer->bundle);
	free(outer->extra);
	pmg_strv_done(&outer->covers);
	*outer = (struct pmg_outer){ 0 };
}

/* One thing that a proxy knows, on one line; "" and absent are the same to the proxy as well. */
static void add_line(struct pmg_strv *lines, const char *kind, enum pmg_eco eco,
		     const struct pmg_url *url, const char *a, const char *b)
{
	pmg_autofree char *address = pmg_url_text(url);
	pmg_autofree char *line =
		pmg_xasprintf("%s %s %s?%s %s %s", kind, pmg_eco_name(eco), address,
			      url->query ? url->query : "", a ? a : "", b ? b : "");

	pmg_strv_take(lines, pmg_str_quote(line, strlen(line), LINE_MAX));
}

static void list_facts(const struct pmg_facts *facts, struct pmg_strv *lines)
{
	size_t i;

	for (i = 0; i < facts->n_registries; i++) {
		const struct pmg_registry *r = &facts->registries[i];

		add_line(lines, "registry", r->eco, &r->base, r->scope, NULL);
	}
	for (i = 0; i < facts->n_sources; i++) {
		const struct pmg_source *s = &facts->sources[i];

		add_line(lines, "source", s->eco, &s->url, s->name, s->version);
	}
	pmg_strv_sort(lines);
}

int pmg_outer_write(const struct pmg_folder *folder, const char *proxy, bool walls,
		    const struct pmg_facts *facts, struct pmg_err *err)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(NOTE_MAX);
	pmg_auto(strv) struct pmg_strv lines = { 0 };
	pmg_autofd int fd = -1;
	size_t i;
	int r;

	list_facts(facts, &lines);
	r = pmg_str_addf(&text, "%s\n%s\n", proxy, walls ? WALLS : NO_WALLS);
	for (i = 0; r == 0 && i < lines.n; i++)
		r = pmg_str_addf(&text, "%s\n", lines.v[i]);
	if (r < 0)
		return 0; /* no note: a pmg inside starts its own guard */
	fd = pmg_folder_create(folder, PMG_OUTER_NOTE, err);
	return fd < 0 ? fd : pmg_io_write_all(fd, text.s, text.len, err);
}

/* Splits at newlines; a line without one was cut, and an empty one is odd: pmg_strv_split() would
 * take the former and pass over the latter. */
static void split(char *text, struct pmg_strv *lines)
{
	char *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		*end = '\0';
		pmg_strv_add(lines, text);
	}
}

static void move(struct pmg_outer *to, struct pmg_outer *from)
{
	*to = *from;
	*from = (struct pmg_outer){ 0 };
}

bool pmg_outer_find(const struct pmg_strv *env, struct pmg_outer *out)
{
	const char *folder = pmg_env_get(env, "PMG_RUN");
	struct pmg_err scratch = PMG_ERR_INIT;
	pmg_auto(outer) struct pmg_outer outer = { 0 };
	pmg_autofree char *path = NULL;
	pmg_autofree char *text = NULL;
	size_t len;

	if (!folder || folder[0] != '/' || !pmg_folder_is_live(folder))
		return false;
	path = pmg_path_join(folder, PMG_OUTER_NOTE);
	if (pmg_io_slurp(path, NOTE_MAX, &text, &len, &scratch) < 0)
		return false;
	split(text, &outer.covers);
	if (outer.covers.n < 2 || !pmg_str_has_prefix(outer.covers.v[0], "http://"))
		return false;
	outer.proxy = pmg_xstrdup(outer.covers.v[0]);
	outer.walls = strcmp(outer.covers.v[1], WALLS) == 0 && pmg_sandbox_is_inside();
	pmg_strv_remove(&outer.covers, 0);
	pmg_strv_remove(&outer.covers, 0);
	pmg_strv_sort(&outer.covers);
	outer.bundle = pmg_path_join(folder, PMG_OUTER_BUNDLE);
	outer.extra = pmg_path_join(folder, PMG_CERTS_EXTRA);
	move(out, &outer);
	return true;
}

bool pmg_outer_covers(const struct pmg_outer *outer, const struct pmg_facts *facts)
{
	pmg_auto(strv) struct pmg_strv lines = { 0 };
	size_t i, k = 0;

	list_facts(facts, &lines);
	for (i = 0; i < lines.n; i++) {
		while (k < outer->covers.n && strcmp(outer->covers.v[k], lines.v[i]) < 0)
			k++;
		if (k == outer->covers.n || strcmp(outer->covers.v[k], lines.v[i]) != 0)
			return false;
	}
	return true;
}
