#ifndef PMG_PM_PLACES_PRIV_H
#define PMG_PM_PLACES_PRIV_H
/** The parts of pm/places.h: what each manager keeps, its project, and what the host has. */
#include "pm/places.h"

struct pmg_npmlike;
struct pmg_setting;
struct pmg_settings;

/** Add a path, clean, and where it leads when that is elsewhere. */
void pmg_places_add(struct pmg_strv *list, const char *path);
/** The same for what a run may write: never the root, the home, or a folder above it. */
void pmg_places_add_own(struct pmg_strv *list, const struct pmg_place *place, const char *path);
/** "~/x" is in the home, a relative path is seen from `base`. */
char *pmg_places_path(const struct pmg_place *place, const char *base,
		      const char *value) PMG_MUST_CHECK;
/** Where it leads, as far as it is there: of ~/.cache/npm, which is not, ~/.cache may be a link. */
char *pmg_places_real(const char *path) PMG_MUST_CHECK;
/** Does it lie below dir, links and all? What a project names may be a link that it has brought. */
bool pmg_places_is_within(const char *path, const char *dir);
/** Is there a file or folder dir/name? */
bool pmg_places_has(const char *dir, const char *name);
/** $NAME when it is absolute, else the home's `otherwise`. */
char *pmg_places_base(const struct pmg_place *place, const char *name,
		      const char *otherwise) PMG_MUST_CHECK;

/**
 * Is it a setting of the project? Who writes a project must not choose what a run may write
 * elsewhere: nor by a file of another name, which its .npmrc calls the user's (userconfig=./x).
 */
bool pmg_places_is_of_project(const struct pmg_place *place, const struct pmg_places *out,
			      const struct pmg_setting *s);
/** The folder that a setting names; NULL when none may. out->project is known. */
char *pmg_places_named(const struct pmg_settings *settings, const struct pmg_place *place,
		       const struct pmg_places *out, const char *key) PMG_MUST_CHECK;
/** Add a setting's folder, else `otherwise`, which may be NULL. */
void pmg_places_add_setting(struct pmg_strv *list, const struct pmg_settings *settings,
			    const struct pmg_place *place, const struct pmg_places *out,
			    const char *key, const char *otherwise);
/** What project and working folder open anyway; not so where that is the home (policy/vars.c). */
bool pmg_places_is_open(const struct pmg_place *place, const struct pmg_places *out,
			const char *path);
/** Add to list a folder that results are put into, and to made where it takes that. */
void pmg_places_add_output(struct pmg_strv *list, const struct pmg_place *place,
			   struct pmg_places *out, const char *path);
/** outputs and made, of the keys up to NULL that name folders */
void pmg_places_outputs(const struct pmg_settings *settings, const struct pmg_place *place,
			struct pmg_places *out, const char *const *keys);
/** outputs and made_files, of those that name files */
void pmg_places_output_files(const struct pmg_settings *settings, const struct pmg_place *place,
			     struct pmg_places *out, const char *const *keys);
/** prefixes, where the user owns it */
void pmg_places_add_prefix(const struct pmg_place *place, struct pmg_places *out, const char *path);
/** PREFIX of a program PREFIX/bin/x, links resolved. */
char *pmg_places_prefix_of(const char *program) PMG_MUST_CHECK;

/** The manager's project, seen from the folder it works in; pm NULL: that folder. */
char *pmg_places_project(const struct pmg_pm *pm, const struct pmg_place *place, const char *start,
			 const char *repository) PMG_MUST_CHECK;
struct pmg_npmlike;
/** What is yarn's; out->project is known. */
void pmg_places_yarn(const struct pmg_npmlike *n, struct pmg_places *out);
/** What is bun's. */
void pmg_places_bun(const struct pmg_npmlike *n, struct pmg_places *out);
/** A configuration file of node's managers without a credential in it; false when not readable. */
bool pmg_places_is_plain(const char *path);
/** All but programs, for node's managers */
int pmg_places_node(const struct pmg_pm *pm, const struct pmg_place *place, struct pmg_places *out,
		    struct pmg_err *err) PMG_MUST_CHECK;
/** What is pip's; out->project is known. */
int pmg_places_pip(const struct pmg_place *place, struct pmg_places *out,
		   struct pmg_err *err) PMG_MUST_CHECK;
/** Does a word of a command line name a file or folder, not a package by its name? */
bool pmg_places_is_path(const char *text);
/** operands and source_dirs: an absolute path that was typed. out->project is known. */
void pmg_places_typed(const struct pmg_place *place, const char *path, struct pmg_places *out);
/** The same of all operands of npm and pnpm that are packages; `start`: where it works */
void pmg_places_operands(const struct pmg_npmlike *n, const char *start, struct pmg_places *out);
/** pmg_places_typed() of pip's paths; of --find-links DIR too, when it was typed. */
void pmg_places_pip_operands(const struct pmg_place *place, const struct pmg_settings *settings,
			     const struct pmg_strv *typed, struct pmg_places *out);
/** Cache and files of configuration of pip, of uv: for who lets them work. */
int pmg_places_pip_files(const struct pmg_place *place, struct pmg_places *out,
			 struct pmg_err *err) PMG_MUST_CHECK;
int pmg_places_uv_files(const struct pmg_place *place, struct pmg_places *out,
			struct pmg_err *err) PMG_MUST_CHECK;
/** What is pipx's; out->project is known. */
int pmg_places_pipx(const struct pmg_place *place, struct pmg_places *out,
		    struct pmg_err *err) PMG_MUST_CHECK;
/** What is poetry's; out->project is known. */
int pmg_places_poetry(const struct pmg_place *place, struct pmg_places *out,
		      struct pmg_err *err) PMG_MUST_CHECK;
#define PMG_POETRY_MARK 9
/** By which poetry tells environments of projects apart: of the SHA-256 of the path 48 bits, in
 *  base64url. */
void pmg_poetry_mark(const char *project, char out[PMG_POETRY_MARK]);
/** Outside an environment: where an interpreter installs to, and where the user may; python may be
 *  NULL. */
void pmg_places_pip_bare(const struct pmg_place *place, const char *python, struct pmg_places *out);
/** What is uv's; out->project is known. */
int pmg_places_uv(const struct pmg_place *place, struct pmg_places *out,
		  struct pmg_err *err) PMG_MUST_CHECK;
/** modules; out->project and out->prefixes are known. @param start  where it works */
void pmg_places_modules(const struct pmg_npmlike *n, const char *start, struct pmg_places *out);
/** bases and targets, by pip's names for them; out->prefixes is known */
void pmg_places_sites(const struct pmg_settings *settings, const struct pmg_place *place,
		      struct pmg_places *out);
/** asked: what stands at a place, several with commas between */
void pmg_places_ask(struct pmg_places *out, const char *where, const char *requirements);
/** A pattern of environments: what `below` stands for in a folder. None where the folder's own name
 *  would be a pattern. */
void pmg_places_pattern(struct pmg_strv *list, const char *dir, const char *below);
/** Folders of all settings of that key, whoever says so: to be looked at. */
void pmg_places_said(struct pmg_strv *list, const struct pmg_settings *settings,
		     const struct pmg_place *place, const struct pmg_places *out, const char *key);
/** programs */
void pmg_places_programs(const struct pmg_place *place, struct pmg_places *out);
/** repository, git_configs, git_dirs, hooks, git_secret; of the folder the command works in */
void pmg_places_git(const struct pmg_place *place, const char *start, struct pmg_places *out);

#endif
