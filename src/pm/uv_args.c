#include "pm/managers.h"

/*
 * What `uv help VERB` of uv 0.4 to 0.13 names, all verbs together. Some take a value in one verb
 * and none in another ("--package", "--script", "--editable"): they are read as taking one, so that
 * what they may name is read too; no verb that has them is plain.
 */
static const char flags[] =
	"active all all-extras all-groups all-packages allow-empty-requirements "
	"allow-existing app bare break-system-packages check check-exists clear "
	"compile-bytecode default dev dry-run emit-build-options emit-find-links "
	"emit-index-annotation emit-index-url exact exclude-editable force force- "
	"pep517 frozen generate-hashes gui-script help inexact invert isolated lfs "
	"lib locked managed-python module native-tls no-allow-empty-requirements no- "
	"annotate no-attestations no-bin no-break-system-packages no-build no-build- "
	"isolation no-build-logs no-cache no-config no-create-gitignore no-dedupe no- "
	"default-groups no-deps no-description no-dev no-editable no-emit-local no- "
	"emit-project no-emit-workspace no-env-file no-hashes no-header no-index no- "
	"install-local no-install-project no-install-workspace no-managed-python no- "
	"native-tls no-package no-pin-python no-preview no-progress no-project no- "
	"python-downloads no-readme no-registry no-require-build-hashes no-sources "
	"no-strip-extras no-strip-markers no-sync no-system-certs no-verify-hashes "
	"no-workspace offline only-dev outdated preview quiet raw refresh reinstall "
	"relocatable require-build-hashes require-hashes sdist seed show-sizes strict "
	"system system-certs system-site-packages universal upgrade user verbose "
	"version wheel workspace";
static const char values[] =
	"allow-insecure-host annotation-style author-from bounds branch build-backend "
	"build-constraint build-constraints cache-dir cert check-url client-cert "
	"color config-file config-setting config-setting-package config-settings "
	"config-settings-package constraint constraints custom-compile-command "
	"default-index depth description directory editable env-file exclude exclude- "
	"newer exclude-newer-package excludes extra extra-index-url find-links fork- "
	"strategy format from graalpy-mirror group index index-strategy index-url "
	"install-dir keyring-provider link-mode marker mirror name no-binary no- "
	"binary-package no-build-isolation-package no-build-package no-editable- "
	"package no-emit-package no-extra no-group no-install-package no-sources- "
	"package only-binary only-group optional out-dir output-file output-format "
	"override overrides package password prefix prerelease prerelease-package "
	"preview-features project prompt prune publish-url pyodide-mirror pypy-mirror "
	"python python-downloads-json-url python-platform python-preference python- "
	"version refresh-package reinstall-package requirement requirements "
	"resolution rev script tag target token torch-backend trusted-host trusted- "
	"publishing upgrade-group upgrade-package username vcs with with-editable "
	"with-executables-from with-requirements";
static const struct pmg_arg_short shorts[] = {
	{ "C", "config-setting", NULL },
	{ "P", "upgrade-package", NULL },
	{ "U", "upgrade", NULL },
	{ "V", "version", NULL },
	{ "b", "build-constraints", NULL },
	{ "c", "constraints", NULL },
	{ "d", "depth", NULL },
	{ "e", "editable", NULL },
	{ "f", "find-links", NULL },
	{ "h", "help", NULL },
	{ "i", "index-url", NULL },
	{ "m", "marker", NULL },
	{ "n", "no-cache", NULL },
	{ "o", "output-file", NULL },
	{ "p", "python", NULL },
	{ "q", "quiet", NULL },
	{ "r", "requirements", NULL },
	{ "s", "script", NULL },
	{ "t", "target", NULL },
	{ "u", "username", NULL },
	{ "v", "verbose", NULL },
	{ "w", "with", NULL },
	{ 0 },
};

const struct pmg_arg_table pmg_uv_args = { .flags = flags, .values = values, .shorts = shorts };
