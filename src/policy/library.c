#include "policy/library.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "conf/trusted.h"
#include "policy/draft.h"

#define SHOWN_MAX 64U
#define NAMES_MAX 1024U /* files of a folder that are looked at */
#define SUFFIX    ".yml"

const char *pmg_library_kind_name(enum pmg_library_kind kind)
{
	return kind == PMG_LIBRARY_PRESET ? "preset" : "profile";
}

void pmg_library_item_done(struct pmg_library_item *item)
{
	free(item->name);
	free(item->path);
	free(item->description);
	free(item->inherits);
	free(item->author);
	free(item->error);
	pmg_strv_done(&item->managers);
	pmg_strv_done(&item->presets);
	pmg_strv_done(&item->labels);
	*item = (struct pmg_library_item){ 0 };
}

void pmg_library_list_done(struct pmg_library_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		pmg_library_item_done(&list->v[i]);
	free(list->v);
	*list = (struct pmg_library_list){ 0 };
}

bool pmg_library_is_path(const char *name)
{
	return strchr(name, '/') || pmg_str_has_suffix(name, SUFFIX);
}

char *pmg_library_path(const struct pmg_library *library, enum pmg_library_kind kind,
		       const char *name)
{
	return pmg_xasprintf("%s/%ss/%s" SUFFIX, library->config_dir, pmg_library_kind_name(kind),
			     name);
}

static const struct pmg_config_template *template_of(const struct pmg_library *library,
						     enum pmg_library_kind kind, const char *name)
{
	size_t i;

	for (i = 0; kind == PMG_LIBRARY_PROFILE && i < library->n_templates; i++)
		if (strcmp(library->templates[i].name, name) == 0)
			return &library->templates[i];
	return NULL;
}

/* Names of the user's files, sorted. Others than NAME.yml are not looked at: editors leave some. */
static int files_of(const struct pmg_library *library, enum pmg_library_kind kind,
		    struct pmg_strv *names, struct pmg_err *err)
{
	pmg_autofree char *dir =
		pmg_xasprintf("%s/%ss", library->config_dir, pmg_library_kind_name(kind));
	const struct dirent *entry;
	DIR *stream = opendir(dir);
	int why;

	if (!stream)
		return errno == ENOENT ? 0 : pmg_err_set(err, PMG_E_SYS, errno, "open %s", dir);
	errno = 0;
	while (names->n < NAMES_MAX && (entry = readdir(stream)) != NULL) {
		size_t len = strlen(entry->d_name);
		pmg_autofree char *name = NULL;

		if (!pmg_str_has_suffix(entry->d_name, SUFFIX))
			continue;
		name = pmg_xstrndup(entry->d_name, len - strlen(SUFFIX));
		if (pmg_draft_is_name(name))
			pmg_strv_add(names, name);
	}
	why = errno;
	(void)closedir(stream);
	if (why)
		return pmg_err_set(err, PMG_E_SYS, why, "read %s", dir);
	pmg_strv_sort(names);
	return 0;
}

static int no_such(const struct pmg_library *library, enum pmg_library_kind kind, const char *name,
		   struct pmg_err *err)
{
	pmg_autofree char *safe = pmg_str_quote(name, strlen(name), SHOWN_MAX);
	pmg_auto(strv) struct pmg_strv words = { 0 };
	struct pmg_err scratch = PMG_ERR_INIT;
	const struct pmg_builtin *b;
	const char *near;
	size_t i;

	/* The nearest of what there is; a folder that cannot be read has nothing to offer. */
	if (files_of(library, kind, &words, &scratch) < 0)
		pmg_strv_done(&words);
	for (b = pmg_builtins; b->name; b++)
		if (strcmp(b->kind, pmg_library_kind_name(kind)) == 0)
			pmg_strv_add(&words, b->name);
	for (i = 0; kind == PMG_LIBRARY_PROFILE && i < library->n_templates; i++)
		pmg_strv_add(&words, library->templates[i].name);
	(void)pmg_err_set(err, PMG_E_NOTFOUND, 0, "no %s \"%s\"", pmg_library_kind_name(kind),
			  safe);
	near = pmg_str_nearest(name, (const char *const *)pmg_strv_argv(&words));
	if (near)
		return pmg_err_hint(err, "did you mean \"%s\"?", near);
	return pmg_err_hint(err, "a file of yours would be %s/%ss/%s.yml", library->config_dir,
			    pmg_library_kind_name(kind), safe);
}

/* "/p/my-npm.yml" -> "my-npm" */
static char *name_of(const char *path)
{
	const char *name = pmg_path_name(path);
	size_t len = strlen(name);

	return pmg_xstrndup(name, pmg_str_has_suffix(name, SUFFIX) ? len - strlen(SUFFIX) : len);
}

int pmg_library_find(const struct pmg_library *library, enum pmg_library_kind kind,
		     const char *name, struct pmg_library_item *out, struct pmg_err *err)
{
	const struct pmg_config_template *template = template_of(library, kind, name);
	struct pmg_library_item item = { .kind = kind };

	item.official = pmg_builtin_find(pmg_library_kind_name(kind), name);
	if (item.official) {
		item.name = pmg_xstrdup(name);
	} else if (template) {
		item.name = pmg_xstrdup(name);
		item.path = pmg_xstrdup(template->path);
		item.is_template = true;
	} else if (kind == PMG_LIBRARY_PROFILE && pmg_library_is_path(name)) {
		item.name = name_of(name);
		item.path = pmg_xstrdup(name);
	} else {
		pmg_autofree char *path = pmg_library_path(library, kind, name);

		/* Of what is there and cannot be read, reading says why. */
		if (!pmg_draft_is_name(name) || (access(path, F_OK) < 0 && errno == ENOENT))
			return no_such(library, kind, name, err);
		item.name = pmg_xstrdup(name);
		item.path = pmg_steal_ptr(&path);
	}
	*out = item;
	return 0;
}

char *pmg_library_shadows(const struct pmg_library *library, const struct pmg_library_item *item)
{
	const struct pmg_config_template *template = template_of(library, item->kind, item->name);
	pmg_autofree char *path = pmg_library_path(library, item->kind, item->name);

	if (!item->official && !item->is_template)
		return NULL;
	if (item->official && template)
		return pmg_xstrdup(template->path);
	return access(path, F_OK) == 0 ? pmg_steal_ptr(&path) : NULL;
}

int pmg_library_text(const struct pmg_library_item *item, char **text, size_t *len,
		     struct pmg_err *err)
{
	if (!item->official)
		return pmg_trusted_slurp(item->path, PMG_YAML_TEXT_MAX, text, len, err);
	*text = pmg_xstrdup(item->official->text);
	*len = strlen(*text);
	return 0;
}

/* By name; what is used before what it shadows: that order they are added in. */
static void add_sorted(struct pmg_library_list *list, const struct pmg_library_item *item)
{
	size_t i;

	list->v = pmg_grow(list->v, list->n, &list->cap, sizeof *list->v);
	for (i = list->n++; i > 0 && strcmp(list->v[i - 1].name, item->name) > 0; i--)
		list->v[i] = list->v[i - 1];
	list->v[i] = *item;
	list->v[i].shadowed = i > 0 && strcmp(list->v[i - 1].name, item->name) == 0;
}

static char *text_of(const struct pmg_yaml *doc, const char *key)
{
	const char *text = pmg_yaml_str(doc, key);

	return text ? pmg_xstrdup(text) : NULL;
}

static void texts_of(const struct pmg_yaml *doc, const char *key, struct pmg_strv *out)
{
	const struct pmg_yaml *list = pmg_yaml_get(doc, key);

	if (!list)
		return;
	pmg_yaml_each (list, node)
		if (node->kind == PMG_YAML_SCALAR)
			pmg_strv_add(out, node->text);
}

/* What it says of itself, as far as it can be read, right or wrong. */
static void read_words(struct pmg_library_item *item)
{
	pmg_auto(yaml) struct pmg_yaml *doc = NULL;
	pmg_autofree char *text = NULL;
	const struct pmg_yaml *metadata;
	struct pmg_err scratch = PMG_ERR_INIT;
	size_t len = 0;

	if (pmg_library_text(item, &text, &len, &scratch) < 0 ||
	    pmg_yaml_parse(item->name, text, len, &doc, &scratch) < 0)
		return;
	item->description = text_of(doc, "description");
	item->inherits = text_of(doc, "inherits");
	texts_of(doc, "package_managers", &item->managers);
	texts_of(doc, "presets", &item->presets);
	metadata = pmg_yaml_get(doc, "metadata");
	if (metadata) {
		item->author = text_of(metadata, "author");
		texts_of(metadata, "labels", &item->labels);
	}
}

void pmg_library_describe(struct pmg_library_item *item)
{
	pmg_auto(draft) struct pmg_draft draft = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	read_words(item);
	if (pmg_draft_read(&draft, item, &err) < 0)
		item->error = pmg_xstrdup(err.msg);
}

int pmg_library_all(const struct pmg_library *library, enum pmg_library_kind kind,
		    struct pmg_library_list *out, struct pmg_err *err)
{
	pmg_auto(strv) struct pmg_strv files = { 0 };
	const struct pmg_builtin *b;
	size_t i;
	int r = files_of(library, kind, &files, err);

	if (r < 0)
		return r;
	for (b = pmg_builtins; b->name; b++) {
		struct pmg_library_item item = { .kind = kind, .official = b };

		if (strcmp(b->kind, pmg_library_kind_name(kind)) != 0)
			continue;
		item.name = pmg_xstrdup(b->name);
		add_sorted(out, &item);
	}
	for (i = 0; kind == PMG_LIBRARY_PROFILE && i < library->n_templates; i++) {
		struct pmg_library_item item = {
			.kind = kind,
			.is_template = true,
			.name = pmg_xstrdup(library->templates[i].name),
			.path = pmg_xstrdup(library->templates[i].path),
		};

		add_sorted(out, &item);
	}
	for (i = 0; i < files.n; i++) {
		struct pmg_library_item item = { .kind = kind, .name = pmg_xstrdup(files.v[i]) };

		item.path = pmg_library_path(library, kind, item.name);
		add_sorted(out, &item);
	}
	for (i = 0; i < out->n; i++)
		pmg_library_describe(&out->v[i]);
	return 0;
}
