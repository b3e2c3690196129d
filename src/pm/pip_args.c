#include "pm/managers.h"

/*
 * What `pip VERB --help` of pip 21 to 26 names, all verbs together. Left out on
 * purpose, so that a line with them is guarded: --python (starts another
 * interpreter), --outdated and --uptodate of `list` (ask the index), --editor.
 */
static const char flags[] =
	"all break-system-packages check-build-dependencies compile debug "
	"disable-pip-version-check dry-run exclude-editable files force-reinstall global "
	"help ignore-installed ignore-requires-python include-editable isolated json "
	"local no-build-isolation no-cache-dir no-clean no-color no-compile no-deps "
	"no-index no-input no-python-version-warning no-use-pep517 no-verify "
	"no-warn-conflicts no-warn-script-location not-required pre prefer-binary quiet "
	"require-hashes require-virtualenv site upgrade use-pep517 user verbose version "
	"yes";
static const char values[] =
	"abi algorithm all-releases build-constraint build-option cache-dir cert "
	"client-cert config-settings constraint dest editable exclude exists-action "
	"extra-index-url find-links format global-option group implementation index-url "
	"install-option keyring-provider log no-binary only-binary only-final path "
	"platform prefix progress-bar proxy pypi-url python-version report requirement "
	"requirements-from-script resume-retries retries root root-user-action src target "
	"timeout trusted-host upgrade-strategy uploaded-prior-to use-deprecated "
	"use-feature wheel-dir";
static const struct pmg_arg_short shorts[] = {
	{ "h", "help", NULL },
	{ "v", "verbose", NULL },
	{ "V", "version", NULL },
	{ "q", "quiet", NULL },
	{ "r", "requirement", NULL },
	{ "c", "constraint", NULL },
	{ "e", "editable", NULL },
	{ "t", "target", NULL },
	{ "U", "upgrade", NULL },
	{ "I", "ignore-installed", NULL },
	{ "i", "index-url", NULL },
	{ "f", "find-links", NULL },
	{ "d", "dest", NULL },
	{ "w", "wheel-dir", NULL },
	{ "l", "local", NULL },
	{ "y", "yes", NULL },
	{ "a", "algorithm", NULL },
	{ "C", "config-settings", NULL },
	{ 0 },
};

const struct pmg_arg_table pmg_pip_args = { .flags = flags, .values = values, .shorts = shorts };

/* What may stand before the verb: `pip --help`, and its hidden options. */
static const char general_flags[] =
	"debug disable-pip-version-check help isolated no-cache-dir no-color no-input "
	"no-python-version-warning quiet require-virtualenv verbose version";
static const char general_values[] =
	"cache-dir cert client-cert exists-action keyring-provider log proxy "
	"resume-retries retries timeout trusted-host use-deprecated use-feature";
static const struct pmg_arg_short general_shorts[] = {
	{ "h", "help", NULL },
	{ "v", "verbose", NULL },
	{ "V", "version", NULL },
	{ "q", "quiet", NULL },
	{ 0 },
};

const struct pmg_arg_table pmg_pip_general_args = { .flags = general_flags,
						    .values = general_values,
						    .shorts = general_shorts };
