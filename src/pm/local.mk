noinst_LIBRARIES += libpm.a
libpm_a_SOURCES = \
	%D%/args.c %D%/args.h %D%/ask.c %D%/ask.h %D%/classify.c %D%/classify.h %D%/encoding.c %D%/encoding.h %D%/facts.c %D%/facts.h \
	%D%/gitconfig.c %D%/gitconfig.h \
	%D%/managers.h %D%/manifest.c %D%/manifest.h %D%/npm_lock.c %D%/npm_lock.h \
	%D%/npm_sources.c %D%/npm_sources.h %D%/pnpm_lock.c %D%/pnpm_lock.h %D%/npm.c %D%/npm_args.c %D%/npm_learn.c %D%/npmlike.c %D%/npmlike.h %D%/pip.c %D%/pip_args.c %D%/pip_conf.c %D%/pip_files.c %D%/pip_learn.c %D%/pip_priv.h %D%/pipx.c %D%/pipx_learn.c %D%/poetry.c %D%/poetry_learn.c %D%/places.c %D%/places_git.c %D%/places_host.c %D%/environments.c %D%/environments.h %D%/places_landing.c %D%/places_node.c %D%/places_pip.c %D%/places_project.c %D%/places_typed.c %D%/places_pipx.c %D%/places_poetry.c %D%/places_uv.c %D%/places_priv.h %D%/pm.c %D%/places.h %D%/pm.h \
	%D%/pnpm.c %D%/pnpm_args.c %D%/pnpm_learn.c %D%/project.c %D%/project.h %D%/point.c %D%/point.h %D%/requirements.c %D%/requirements.h %D%/settings.c %D%/settings.h \
	%D%/cached.c %D%/cached.h %D%/settled.c %D%/settled.h %D%/settled_tree.c %D%/resolved.c %D%/resolved.h %D%/resolved_fits.c %D%/resolved_npm.c %D%/resolved_pnpm.c %D%/resolved_priv.h %D%/resolved_python.c %D%/resolved_dists.c %D%/resolved_tree.c \
	%D%/resolved_walk.c %D%/resolved_walk_priv.h %D%/resolved_yarn.c \
	%D%/surroundings.c %D%/surroundings.h %D%/uv.c %D%/uv_args.c %D%/uv_files.c %D%/uv_learn.c %D%/uv_priv.h %D%/version.h \
	%D%/bun.c %D%/bun_args.c %D%/bun_learn.c %D%/bun_lock.c %D%/bun_lock.h %D%/places_bun.c \
	%D%/places_plain.c %D%/places_yarn.c %D%/yarn.c %D%/yarn_args.c %D%/yarn_learn.c %D%/yarn_lock.c %D%/yarn_lock.h \
	%D%/yarn_rc.c %D%/yarn_rc.h
# How packages are named in policy.
libpm_a_SOURCES += %D%/entries.c %D%/entries.h %D%/pattern.c %D%/pattern.h %D%/purl.c %D%/purl.h
check_PROGRAMS += tests/unit/test_pm_entries tests/unit/test_pm_pattern tests/unit/test_pm_purl \
	tests/fuzz/fuzz_pattern tests/fuzz/fuzz_purl
tests_unit_test_pm_entries_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
tests_unit_test_pm_pattern_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
tests_unit_test_pm_purl_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
tests_fuzz_fuzz_pattern_LDADD = $(FUZZ_MAIN) $(LINK_PM)
tests_fuzz_fuzz_purl_LDADD = $(FUZZ_MAIN) $(LINK_PM)

check_PROGRAMS += tests/unit/test_pm_args
tests_unit_test_pm_args_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_classify
tests_unit_test_pm_classify_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_encoding
tests_unit_test_pm_encoding_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_facts
tests_unit_test_pm_facts_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_gitconfig
tests_unit_test_pm_gitconfig_SOURCES = tests/unit/test_pm_gitconfig.c tests/unit/learning.h
tests_unit_test_pm_gitconfig_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_npm_learn
tests_unit_test_pm_npm_learn_SOURCES = tests/unit/test_pm_npm_learn.c tests/unit/learning.h
tests_unit_test_pm_npm_learn_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_npm_lock
tests_unit_test_pm_npm_lock_SOURCES = tests/unit/test_pm_npm_lock.c tests/unit/learning.h
tests_unit_test_pm_npm_lock_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_npm_sources
tests_unit_test_pm_npm_sources_SOURCES = tests/unit/test_pm_npm_sources.c tests/unit/learning.h
tests_unit_test_pm_npm_sources_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_pip_learn
tests_unit_test_pm_pip_learn_SOURCES = tests/unit/test_pm_pip_learn.c tests/unit/learning.h
tests_unit_test_pm_pip_learn_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_uv_learn
tests_unit_test_pm_uv_learn_SOURCES = tests/unit/test_pm_uv_learn.c tests/unit/learning.h
tests_unit_test_pm_uv_learn_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_pipx_learn
tests_unit_test_pm_pipx_learn_SOURCES = tests/unit/test_pm_pipx_learn.c tests/unit/learning.h
tests_unit_test_pm_pipx_learn_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_poetry_learn
tests_unit_test_pm_poetry_learn_SOURCES = tests/unit/test_pm_poetry_learn.c tests/unit/learning.h
tests_unit_test_pm_poetry_learn_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_places
tests_unit_test_pm_places_SOURCES = tests/unit/test_pm_places.c tests/unit/learning.h
tests_unit_test_pm_places_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_pm
tests_unit_test_pm_pm_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_pnpm_learn
tests_unit_test_pm_pnpm_learn_SOURCES = tests/unit/test_pm_pnpm_learn.c tests/unit/learning.h
tests_unit_test_pm_pnpm_learn_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_pnpm_lock
tests_unit_test_pm_pnpm_lock_SOURCES = tests/unit/test_pm_pnpm_lock.c tests/unit/learning.h
tests_unit_test_pm_pnpm_lock_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_point
tests_unit_test_pm_point_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_project
tests_unit_test_pm_project_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_requirements
tests_unit_test_pm_requirements_LDADD = $(LINK_PM) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_pm_yarn_learn
tests_unit_test_pm_yarn_learn_SOURCES = tests/unit/test_pm_yarn_learn.c tests/unit/learning.h
tests_unit_test_pm_yarn_learn_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_yarn_lock
tests_unit_test_pm_yarn_lock_SOURCES = tests/unit/test_pm_yarn_lock.c tests/unit/learning.h
tests_unit_test_pm_yarn_lock_LDADD = $(LINK_PM) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_pm_bun_learn
tests_unit_test_pm_bun_learn_SOURCES = tests/unit/test_pm_bun_learn.c tests/unit/learning.h
tests_unit_test_pm_bun_learn_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_bun_lock
tests_unit_test_pm_bun_lock_SOURCES = tests/unit/test_pm_bun_lock.c tests/unit/learning.h
tests_unit_test_pm_bun_lock_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/fuzz/fuzz_bun_lock
tests_fuzz_fuzz_bun_lock_LDADD = $(FUZZ_MAIN) $(LINK_PM)
check_PROGRAMS += tests/fuzz/fuzz_yarn_lock
tests_fuzz_fuzz_yarn_lock_LDADD = $(FUZZ_MAIN) $(LINK_PM)
check_PROGRAMS += tests/fuzz/fuzz_argv tests/fuzz/fuzz_npm_lock tests/fuzz/fuzz_pnpm_lock \
	tests/fuzz/fuzz_requirements
tests_fuzz_fuzz_npm_lock_LDADD = $(FUZZ_MAIN) $(LINK_PM)
tests_fuzz_fuzz_pnpm_lock_LDADD = $(FUZZ_MAIN) $(LINK_PM)
tests_fuzz_fuzz_requirements_LDADD = $(FUZZ_MAIN) $(LINK_PM)
tests_fuzz_fuzz_argv_LDADD = $(FUZZ_MAIN) $(LINK_PM)

# Names and versions
libpm_a_SOURCES += %D%/legacy.c %D%/line.c %D%/name.c %D%/pep440.c %D%/semver.c %D%/version.c \
	%D%/version_priv.h

check_PROGRAMS += tests/unit/test_pm_line tests/unit/test_pm_version tests/unit/test_pm_version_shared
tests_unit_test_pm_line_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
tests_unit_test_pm_version_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
tests_unit_test_pm_version_shared_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/fuzz/fuzz_pep440 tests/fuzz/fuzz_semver
tests_fuzz_fuzz_pep440_SOURCES = tests/fuzz/fuzz_pep440.c tests/fuzz/version_law.h
tests_fuzz_fuzz_pep440_LDADD = $(FUZZ_MAIN) $(LINK_PM)
tests_fuzz_fuzz_semver_SOURCES = tests/fuzz/fuzz_semver.c tests/fuzz/version_law.h
tests_fuzz_fuzz_semver_LDADD = $(FUZZ_MAIN) $(LINK_PM)

EXTRA_DIST += docs/adding-a-package-manager.md

# Which packages are pinned or installed
check_PROGRAMS += tests/unit/test_pm_cached
tests_unit_test_pm_cached_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_settled
tests_unit_test_pm_settled_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_pm_resolved tests/fuzz/fuzz_resolved
tests_unit_test_pm_resolved_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
tests_fuzz_fuzz_resolved_LDADD = $(FUZZ_MAIN) $(LINK_PM)
