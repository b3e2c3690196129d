#ifndef PMG_POLICY_BUILTIN_H
#define PMG_POLICY_BUILTIN_H
/**
 * Profiles and presets that are part of the program: the YAML files of
 * profiles/ and presets/, put into builtin_data.c by tools/embed.
 */

struct pmg_builtin {
	const char *kind; /* "profile", "preset" */
	const char *name;
	const char *text; /* of the file */
};

/** By kind, then name; ends with a row without name. */
extern const struct pmg_builtin pmg_builtins[];

/** @return NULL: there is none */
const struct pmg_builtin *pmg_builtin_find(const char *kind, const char *name);

#endif
