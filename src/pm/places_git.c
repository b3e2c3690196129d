/* Where git keeps a repository, which files configure it, and what runs as its hooks. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/env.h"
#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "conf/ini.h"
#include "pm/places_priv.h"
#include "pm/project.h"

#define POINTER_MAX  8192U /* of a "gitdir: PATH" file */
#define INCLUDES_MAX 32U   /* files of configuration */

/* One reading of configuration: files that include others are read after them. */
struct reading {
	const struct pmg_place *place;
	struct pmg_places *out;
	struct pmg_strv todo;
	const char *worktree; /* what relative hooks are seen from; NULL: no repository */
	bool of_project;      /* what is read now came with the project, perhaps from a stranger */
};

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* /dev/null is how people turn hooks off. And who names the project itself, or what holds it,
 * cannot mean that nothing in it may be read. */
static void add_hooks(struct reading *r, const char *value)
{
	pmg_autofree char *path =
		pmg_places_path(r->place, r->worktree ? r->worktree : r->place->cwd, value);
	pmg_autofree char *real = pmg_path_real(path);
	struct stat st;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		return;
	if (pmg_path_is_under(r->worktree ? r->worktree : r->place->cwd, real ? real : path))
		return;
	pmg_places_add(&r->out->hooks, path);
}

/* A stranger's repository must not name files of the home that a run may then read. */
static void add_named(struct reading *r, const char *path)
{
	if (!r->of_project || pmg_places_is_within(path, r->worktree))
		pmg_places_add(&r->out->git_configs, path);
}

static void take(struct reading *r, const char *file, const struct pmg_ini_entry *e)
{
	static const char *const files[] = { "excludesfile", "attributesfile" };
	pmg_autofree char *dir = pmg_path_dir(file);
	pmg_autofree char *path = NULL;
	size_t i;

	if (!*e->value)
		return;
	if (strcasecmp(e->section, "core") == 0 && strcasecmp(e->key, "hookspath") == 0)
		add_hooks(r, e->value);
	path = pmg_places_path(r->place, dir, e->value);
	for (i = 0; i < PMG_ARRAY_LEN(files); i++)
		if (strcasecmp(e->section, "core") == 0 && strcasecmp(e->key, files[i]) == 0)
			add_named(r, path);
	if (strncasecmp(e->section, "include", 7) == 0 && strcasecmp(e->key, "path") == 0 &&
	    r->todo.n < INCLUDES_MAX && pmg_strv_add_once(&r->todo, path))
		add_named(r, path);
}

static void read_file(struct reading *r, const char *file)
{
	pmg_auto(ini) struct pmg_ini ini = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0, i;

	if (pmg_io_slurp(file, PMG_INI_TEXT_MAX, &text, &len, &err) < 0 ||
	    pmg_ini_parse(PMG_INI_NPMRC, file, text, len, &ini, &err) < 0)
		return; /* git says so itself */
	for (i = 0; i < ini.n; i++)
		take(r, file, &ini.entries[i]);
}

static void add_config(struct reading *r, const char *path, bool users)
{
	if (users)
		pmg_places_add(&r->out->git_configs, path);
	(void)pmg_strv_add_once(&r->todo, path);
}

static void add_users(struct reading *r)
{
	static const char *const below[] = { "git/config", "git/ignore", "git/attributes" };
	const char *named = pmg_env_get(r->place->env, "GIT_CONFIG_GLOBAL");
	pmg_autofree char *config = pmg_places_base(r->place, "XDG_CONFIG_HOME", ".config");
	pmg_autofree char *own = pmg_path_join(r->place->home, ".gitconfig");
	size_t i;

	add_config(r, "/etc/gitconfig", false);
	for (i = 0; i < PMG_ARRAY_LEN(below); i++) {
		pmg_autofree char *path = pmg_path_join(config, below[i]);

		if (i == 0 && !named)
			add_config(r, path, true);
		else if (i > 0)
			pmg_places_add(&r->out->git_configs, path);
	}
	if (named && named[0] == '/')
		add_config(r, named, true);
	else if (!named)
		add_config(r, own, true);
}

/* The path in "gitdir: PATH" or in a commondir file, seen from the file's folder. */
static char *pointed(const char *file, const char *prefix)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	pmg_autofree char *dir = pmg_path_dir(file);
	pmg_autofree char *path = NULL;
	size_t len = 0;

	if (pmg_io_slurp(file, POINTER_MAX, &text, &len, &err) < 0 ||
	    !pmg_str_has_prefix(text, prefix))
		return NULL;
	text[strcspn(text, "\r\n")] = '\0';
	path = pmg_path_join(dir, text + strlen(prefix));
	return pmg_path_real(path);
}

/* "user:password@" or a long "token@" behind "://". */
static bool has_userinfo(const char *text)
{
	const char *at, *end, *p = text;

	while ((p = strstr(p, "://"))) {
		p += 3;
		end = p + strcspn(p, "/?#\"' \t\r\n");
		at = memchr(p, '@', (size_t)(end - p));
		if (at && (memchr(p, ':', (size_t)(at - p)) || at - p >= 20))
			return true;
	}
	return false;
}

/* "password = x", also within a helper's command: the word, blanks, "=". */
static bool has_secret_word(const char *text)
{
	static const char *const words[] = { "password", "passwd", "token", "secret" };
	const char *p;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(words); i++)
		for (p = text; (p = strstr(p, words[i]));) {
			p += strlen(words[i]);
			if (p[strspn(p, " \t")] == '=')
				return true;
		}
	return strstr(text, "extraheader") || strstr(text, "authorization:");
}

/* Read as text: what a parser and git see differently must not decide here. */
static bool holds_secret(const char *file)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0, i;
	int r = pmg_io_slurp(file, PMG_INI_TEXT_MAX, &text, &len, &err);

	if (r < 0)
		return r != -PMG_E_NOTFOUND;
	for (i = 0; i < len; i++)
		text[i] = text[i] ? (char)tolower((unsigned char)text[i]) : ' ';
	return has_userinfo(text) || has_secret_word(text);
}

static void add_git_dir(struct reading *r, const char *dir)
{
	static const char *const configs[] = { "config", "config.worktree" };
	size_t i;

	pmg_places_add(&r->out->git_dirs, dir);
	for (i = 0; i < PMG_ARRAY_LEN(configs); i++) {
		pmg_autofree char *config = pmg_path_join(dir, configs[i]);

		add_config(r, config, false);
		r->out->git_secret |= holds_secret(config);
	}
}

/* "worktree = PATH" of [core] in the configuration of a submodule's git folder. */
static bool has_worktree(const char *dir, const char *top)
{
	pmg_autofree char *file = pmg_path_join(dir, "config");
	pmg_auto(ini) struct pmg_ini ini = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	bool found = false;
	size_t len = 0, i;

	if (pmg_io_slurp(file, PMG_INI_TEXT_MAX, &text, &len, &err) < 0 ||
	    pmg_ini_parse(PMG_INI_NPMRC, file, text, len, &ini, &err) < 0)
		return false;
	for (i = 0; i < ini.n; i++)
		if (strcasecmp(ini.entries[i].section, "core") == 0 &&
		    strcasecmp(ini.entries[i].key, "worktree") == 0) {
			pmg_autofree char *path = pmg_path_join(dir, ini.entries[i].value);
			pmg_autofree char *real = pmg_path_real(path);

			found |= pmg_streq(real, top);
		}
	return found;
}

/* ".git" may be a file or a link that leads anywhere, and it came with the project: a folder
 * outside is the repository's only when it says so itself. */
static bool is_ours(const char *dir, const char *top, const char *entry)
{
	pmg_autofree char *back = pmg_path_join(dir, "gitdir");
	pmg_autofree char *named = pointed(back, "");
	pmg_autofree char *real = pmg_path_real(entry);

	return pmg_path_is_under(dir, top) || (named && pmg_streq(named, real)) ||
	       has_worktree(dir, top);
}

static void add_repository(struct reading *r)
{
	const char *top = r->worktree;
	pmg_autofree char *entry = top ? pmg_path_join(top, ".git") : NULL;
	pmg_autofree char *dir = NULL;
	pmg_autofree char *common_file = NULL;
	pmg_autofree char *common = NULL;

	if (!entry)
		return;
	dir = is_folder(entry) ? pmg_path_real(entry) : pointed(entry, "gitdir: ");
	(void)pmg_strv_add_once(&r->out->git_dirs, entry);
	if (!dir || !is_ours(dir, top, entry))
		return;
	add_git_dir(r, dir);
	common_file = pmg_path_join(dir, "commondir");
	common = pointed(common_file, "");
	/* What a worktree shares lies around its own folder; the file may say anything. */
	if (common && pmg_path_is_under(dir, common))
		add_git_dir(r, common);
}

void pmg_places_git(const struct pmg_place *place, const char *start, struct pmg_places *out)
{
	struct reading r = { .place = place, .out = out };
	pmg_autofree char *real = pmg_path_real(start);
	size_t i;

	out->repository = pmg_project_up(real ? real : start, ".git");
	r.worktree = out->repository;
	add_users(&r);
	for (i = 0; i < r.todo.n; i++)
		read_file(&r, r.todo.v[i]);
	r.of_project = true;
	add_repository(&r);
	for (; i < r.todo.n; i++)
		read_file(&r, r.todo.v[i]);
	pmg_strv_done(&r.todo);
}
