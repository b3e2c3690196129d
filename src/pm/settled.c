#include "pm/settled.h"

#include <string.h>

#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "pm/environments.h"
#include "pm/managers.h"
#include "pm/places.h"
#include "pm/requirements.h"
#include "pm/version.h"

#define NAMED_MAX 256U /* requirements files that name each other */

/* What a manager says of itself. Lists end with NULL; none: NULL. */
struct habits {
	const struct pmg_pm *pm;
	const struct pmg_arg_table *args;
	const char *const *lists; /* of what is installed, seen from a folder of packages */
	const char *const *mends; /* verbs that remove or update */
	const char *const *asks;  /* verbs that neither change anything nor run it */
	const char *const *adds;  /* verbs whose operands are asked for, whatever is pinned */
	const char *const *lands; /* verbs that run code, and install what is pinned before */
	const char *const *anew; /* verbs, and options ("--x"), that install what lies there, too */
};

#define WORDS(...)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

#define PYTHON_ANEW "--reinstall", "--reinstall-package", "--force-reinstall", "--ignore-installed"

static const struct habits habits[] = {
	{ .pm = &pmg_pm_npm,
	  .args = &pmg_npm_args,
	  .lists = WORDS(".package-lock.json"),
	  .mends = WORDS("uninstall", "unlink", "remove", "rm", "r", "un", "prune", "update", "u",
			 "up", "upgrade", "udpate", "audit"),
	  .asks = WORDS("outdated", "view", "v", "info", "show", "search", "s", "se", "find",
			"diff", "doctor", "query", "find-dupes"),
	  .adds = WORDS("install", "i", "add"),
	  .anew = WORDS("ci", "clean-install", "ic", "install-clean", "isntall-clean", "cit",
			"install-ci-test", "clean-install-test", "sit") },
	{ .pm = &pmg_pm_pnpm,
	  .args = &pmg_pnpm_args,
	  .lists = WORDS(".pnpm/lock.yaml", "lock.yaml"),
	  .mends = WORDS("remove", "rm", "uninstall", "un", "prune", "update", "up", "upgrade",
			 "audit"),
	  /* Of the built-in verbs: any other word may name a script of the project. */
	  .asks = WORDS("outdated", "list", "why"),
	  .adds = WORDS("add", "install"),
	  .anew = WORDS("ci", "clean-install", "ic", "install-clean", "--force") },
	{ .pm = &pmg_pm_yarn,
	  .args = &pmg_yarn_args,
	  .mends = WORDS("remove", "up", "upgrade", "upgrade-interactive", "audit"),
	  .asks = WORDS("info", "why"),
	  .adds = WORDS("add", "install"),
	  .anew = WORDS("--force") },
	{ .pm = &pmg_pm_bun,
	  .args = &pmg_bun_args,
	  .mends = WORDS("remove", "rm", "update", "audit"),
	  .asks = WORDS("outdated"),
	  .adds = WORDS("add", "install"),
	  .anew = WORDS("--force") },
	{ .pm = &pmg_pm_uv,
	  .args = &pmg_uv_args,
	  .mends = WORDS("remove", "lock"),
	  .asks = WORDS("tree"),
	  .adds = WORDS("add", "pip"),
	  .lands = WORDS("run"),
	  .anew = WORDS(PYTHON_ANEW) },
	{ .pm = &pmg_pm_poetry,
	  .args = &pmg_poetry_args,
	  .mends = WORDS("remove", "update", "lock"),
	  .asks = WORDS("show", "search"),
	  .adds = WORDS("add", "install") },
	{ .pm = &pmg_pm_pipx, .args = &pmg_pipx_args },
	{ .pm = &pmg_pm_pip,
	  .args = &pmg_pip_args,
	  .adds = WORDS("add", "install"),
	  .anew = WORDS(PYTHON_ANEW) },
};

static const struct habits *habits_of(const struct pmg_pm *pm)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(habits); i++)
		if (habits[i].pm == pm)
			return &habits[i];
	return NULL;
}

void pmg_settled_done(struct pmg_settled *settled)
{
	pmg_strv_done(&settled->pins);
	pmg_strv_done(&settled->named);
	pmg_strv_done(&settled->lists);
	pmg_strv_done(&settled->trees);
	pmg_strv_done(&settled->bases);
	pmg_strv_done(&settled->dists);
	pmg_strv_done(&settled->asked);
	pmg_strv_done(&settled->envs);
	pmg_strv_done(&settled->beside);
	pmg_strv_done(&settled->stamps);
}

static bool has_word(const char *const *words, const char *word)
{
	for (; words && *words; words++)
		if (strcmp(*words, word) == 0)
			return true;
	return false;
}

/* What a line asks of its project, its verb first, as far as it is known for sure. */
static bool is_verb_of(const struct habits *own, char *const *argv, const char *const *verbs)
{
	pmg_auto(args) struct pmg_args args = { .table = own->args, .argv = argv };
	struct pmg_arg arg;

	while (pmg_args_next(&args, &arg)) {
		if (!arg.sure)
			return false;
		if (arg.kind == PMG_ARG_OPERAND)
			return has_word(verbs, arg.value);
	}
	return false;
}

/* "-g" works in folders of the host's; the project that one stands in has no part in it. */
static bool is_global(const struct pmg_arg_table *table, char *const *argv)
{
	pmg_auto(args) struct pmg_args args = { .table = table, .argv = argv };
	struct pmg_arg arg;
	bool global = false;

	while (pmg_args_next(&args, &arg))
		if (arg.kind == PMG_ARG_OPTION && arg.sure && pmg_streq(arg.name, "global"))
			global = !arg.negated && !pmg_streq(arg.value, "false");
	return global;
}

static bool has_option_of(const struct habits *own, char *const *argv, const char *const *options)
{
	pmg_auto(args) struct pmg_args args = { .table = own->args, .argv = argv };
	struct pmg_arg arg;

	while (pmg_args_next(&args, &arg)) {
		pmg_autofree char *word = arg.kind == PMG_ARG_OPTION && arg.name
						  ? pmg_xasprintf("--%s", arg.name)
						  : NULL;

		if (word && has_word(options, word))
			return true;
	}
	return false;
}

static void add_pins(const char *manager, const char *project, struct pmg_settled *out)
{
	const char *const *names = pmg_resolved_names(manager);

	for (; *names; names++)
		pmg_strv_take(&out->pins, pmg_path_join(project, *names));
}

/* Where a file is read that names others. */
struct nest {
	const char *file;
	struct pmg_strv *named;
};

/* uv takes the dependencies of a project or script from such: they pin nothing. */
static bool is_source(const char *path)
{
	return strcmp(pmg_path_name(path), "pyproject.toml") == 0 ||
	       strcmp(pmg_path_name(path), "setup.cfg") == 0 || pmg_str_has_suffix(path, ".py");
}

static void add_file(struct pmg_strv *named, const char *path)
{
	pmg_autofree char *clean = pmg_path_clean(path);

	if (named->n < NAMED_MAX && !is_source(clean))
		(void)pmg_strv_add_once(named, clean);
}

/* "-r other.txt", seen from the file that says so. Constraints install nothing. */
static int take_nested(void *ctx, const struct pmg_requirement *found)
{
	const struct nest *nest = ctx;
	pmg_autofree char *dir = NULL, *path = NULL;

	if (!pmg_streq(found->option, "requirement") || strstr(found->value, "://"))
		return 0;
	dir = pmg_path_dir(nest->file);
	path = pmg_path_join(dir, found->value);
	add_file(nest->named, path);
	return 0;
}

static void add_nested(struct pmg_strv *named)
{
	const struct pmg_strv no_env = { 0 };
	size_t i;

	for (i = 0; i < named->n; i++) {
		pmg_autofree char *file = pmg_xstrdup(named->v[i]);
		struct nest nest = { file, named };
		struct pmg_err scratch = PMG_ERR_INIT;
		pmg_autofree char *text = NULL;
		size_t len = 0;

		if (pmg_io_slurp(file, PMG_RESOLVED_FILE_MAX, &text, &len, &scratch) == 0)
			(void)!pmg_requirements_parse(text, len, &no_env, take_nested, &nest);
	}
}

/* Requirements files that a line of pip or uv names, and those that they name. */
static void add_named(const struct pmg_arg_table *table, const char *cwd, char *const *argv,
		      struct pmg_settled *out)
{
	pmg_auto(args) struct pmg_args args = { .table = table, .argv = argv };
	struct pmg_arg arg;

	while (pmg_args_next(&args, &arg)) {
		bool named = arg.kind == PMG_ARG_OPTION && arg.value && arg.name &&
			     (strcmp(arg.name, "requirement") == 0 ||
			      strcmp(arg.name, "requirements") == 0);
		pmg_autofree char *path = NULL;

		if (!named || strstr(arg.value, "://"))
			continue;
		path = pmg_path_join(cwd, arg.value);
		add_file(&out->named, path);
	}
	add_nested(&out->named);
}

static bool is_in_any(const char *path, const struct pmg_strv *folders)
{
	size_t i;

	for (i = 0; i < folders->n; i++)
		if (pmg_path_is_under(path, folders->v[i]))
			return true;
	return false;
}

static void add_modules(const struct habits *own, const struct pmg_places *places, bool global,
			struct pmg_settled *out)
{
	const char *const *list;
	size_t i;

	for (i = 0; i < places->modules.n; i++) {
		const char *folder = places->modules.v[i];

		if (global && !is_in_any(folder, &places->prefixes))
			continue;
		for (list = own->lists; list && *list; list++)
			pmg_strv_take(&out->lists, pmg_path_join(folder, *list));
		pmg_strv_add(&out->trees, folder);
	}
}

void pmg_settled_find(const struct pmg_pm *pm, const char *cwd, const struct pmg_places *places,
		      char *const *argv, struct pmg_settled *out)
{
	const struct habits *own = habits_of(pm);
	bool global = own && is_global(own->args, argv);
	size_t i;

	if (!own || is_verb_of(own, argv, own->asks))
		return;
	for (i = 0; i < places->asked.n; i++)
		pmg_strv_add(&out->asked, places->asked.v[i]);
	pmg_strv_extend_once(&out->envs, &places->envs);
	pmg_strv_extend_once(&out->beside, &places->beside);
	pmg_environments_stamps(&out->beside, &out->stamps);
	add_modules(own, places, global, out);
	if (global || pm == &pmg_pm_pipx) /* which has no project */
		return;
	add_pins(pm->name, places->project, out);
	pmg_strv_extend_once(&out->pins, &places->locks);
	for (i = 0; i < places->moved.n; i++)
		add_pins(pm->name, places->moved.v[i], out);
	if (pm->eco != PMG_ECO_PYPI)
		return;
	if (pm == &pmg_pm_pip || pm == &pmg_pm_uv)
		add_named(own->args, cwd, argv, out);
	out->blind = pm == &pmg_pm_pip;
	if (pm != &pmg_pm_pip)
		pmg_strv_take(&out->bases, pmg_path_join(places->project, ".venv"));
	pmg_strv_extend_once(&out->bases, &places->prefixes);
	pmg_strv_extend_once(&out->bases, &places->bases);
	pmg_strv_extend_once(&out->dists, &places->targets);
}

static int read_files(const struct pmg_strv *paths,
		      int (*read)(struct pmg_resolved *set, const char *path, struct pmg_err *err),
		      struct pmg_resolved *out, struct pmg_err *err)
{
	struct pmg_err why = PMG_ERR_INIT;
	size_t i;
	int r;

	for (i = 0; i < paths->n; i++) {
		r = read(out, paths->v[i], &why);
		if (r < 0 && r != -PMG_E_NOTFOUND) {
			*err = why;
			return r;
		}
	}
	return 0;
}

int pmg_settled_pins(const struct pmg_settled *settled, struct pmg_resolved *out,
		     struct pmg_err *err)
{
	int r = read_files(&settled->pins, pmg_resolved_file, out, err);
	size_t i;

	if (r == 0)
		r = read_files(&settled->named, pmg_resolved_requirements, out, err);
	for (i = 0; r == 0 && i + 1 < settled->asked.n; i += 2)
		r = pmg_resolved_asked(out, settled->asked.v[i], settled->asked.v[i + 1], err);
	return r;
}

bool pmg_settled_asks(const struct pmg_pm *pm, char *const *argv)
{
	const struct habits *own = habits_of(pm);

	return own && is_verb_of(own, argv, own->asks);
}

/* An option that is not known may take the next word for its value: what the verb is, nobody knows.
 */
static bool is_unsure(const struct habits *own, char *const *argv)
{
	pmg_auto(args) struct pmg_args args = { .table = own->args, .argv = argv };
	struct pmg_arg arg;

	while (pmg_args_next(&args, &arg))
		if (!arg.sure)
			return true;
	return false;
}

bool pmg_settled_lands(const struct pmg_pm *pm, char *const *argv)
{
	const struct habits *own = habits_of(pm);

	return own && (is_verb_of(own, argv, own->lands) || is_unsure(own, argv));
}

bool pmg_settled_anew(const struct pmg_pm *pm, char *const *argv)
{
	const struct habits *own = habits_of(pm);

	return own && (is_verb_of(own, argv, own->anew) || has_option_of(own, argv, own->anew));
}

/* The name in "x@^2", "@s/x", "x==2", "x[extra]>=2"; of an alias that of the folder: it stays. */
static char *asked_name(enum pmg_eco eco, const char *operand)
{
	size_t len = eco == PMG_ECO_NPM ? 0 : strcspn(operand, "=<>!~[;@ ");
	pmg_autofree char *name = NULL;

	if (eco == PMG_ECO_NPM && operand[0])
		len = 1 + strcspn(operand + 1, "@");
	name = pmg_xstrndup(operand, len);
	return pmg_name_canonical(eco, name);
}

bool pmg_settled_mends(const struct pmg_pm *pm, char *const *argv, const struct pmg_strv *names)
{
	const struct habits *own = habits_of(pm);
	pmg_auto(args) struct pmg_args args = { .argv = argv };
	pmg_auto(strv) struct pmg_strv asked = { 0 };
	const char *verb = NULL;
	struct pmg_arg arg;
	size_t i;

	if (!own)
		return false;
	args.table = own->args;
	while (pmg_args_next(&args, &arg)) {
		if (!arg.sure)
			return false;
		if (arg.kind != PMG_ARG_OPERAND)
			continue;
		if (verb)
			pmg_strv_take(&asked, asked_name(pm->eco, arg.value));
		else
			verb = arg.value;
	}
	if (verb && has_word(own->mends, verb))
		return true;
	for (i = 0; i < names->n; i++) {
		pmg_autofree char *name = pmg_name_canonical(pm->eco, names->v[i]);

		if (!pmg_strv_has(&asked, name))
			return false;
	}
	return verb && has_word(own->adds, verb) && names->n > 0;
}
