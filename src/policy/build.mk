# From files and names to a policy.
libpolicy_a_SOURCES += \
	%D%/allow.c %D%/allow.h %D%/build.c %D%/build_priv.h %D%/builtin.c %D%/builtin.h \
	%D%/draft.c %D%/draft.h %D%/draft_keys.c %D%/entries.c %D%/gather.c \
	%D%/library.c %D%/library.h %D%/lint.c %D%/lint.h %D%/mandatory.c %D%/mandatory.h %D%/mandatory_list.c %D%/mandatory_priv.h \
	%D%/overlay.c %D%/overlay.h %D%/overlay_file.c %D%/overlay_priv.h %D%/preset.c %D%/preset.h \
	%D%/diff.c %D%/diff.h %D%/lint_priv.h %D%/strict.c %D%/profile.c %D%/sensitive.c %D%/sensitive.h \
	%D%/scrub.c %D%/scrub.h %D%/vars.c %D%/vars.h %D%/wide.c %D%/wide.h
nodist_libpolicy_a_SOURCES = %D%/builtin_data.c

PMG_BUILTIN = profiles/base-node.yml profiles/base-python.yml profiles/base-system.yml profiles/exec.yml profiles/npm.yml \
	profiles/pip.yml profiles/pipx.yml profiles/pnpm.yml profiles/poetry.yml profiles/bun.yml profiles/uv.yml profiles/yarn.yml \
	presets/asdf.yml presets/astro.yml presets/cypress.yml presets/docker-build.yml \
	presets/electron.yml presets/git.yml presets/husky.yml presets/mise.yml presets/nextjs.yml \
	presets/node-gyp.yml presets/playwright.yml presets/prisma.yml presets/puppeteer.yml \
	presets/vite.yml
dist_man_MANS += man/pmg-profile.5
EXTRA_DIST += tools/embed $(PMG_BUILTIN)
BUILT_SOURCES += %D%/builtin_data.c
CLEANFILES += %D%/builtin_data.c

%D%/builtin_data.c: $(PMG_BUILTIN) tools/embed
	$(AM_V_GEN)$(MKDIR_P) %D% && $(srcdir)/tools/embed $(srcdir) >$@.tmp && mv $@.tmp $@

check_PROGRAMS += tests/unit/test_policy_build
tests_unit_test_policy_build_SOURCES = tests/unit/test_policy_build.c tests/unit/building.h
tests_unit_test_policy_build_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_policy_allow
tests_unit_test_policy_allow_SOURCES = tests/unit/test_policy_allow.c tests/unit/building.h
tests_unit_test_policy_allow_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_policy_cases
tests_unit_test_policy_cases_SOURCES = tests/unit/test_policy_cases.c tests/unit/building.h tests/unit/cases.h
tests_unit_test_policy_cases_LDADD = $(LINK_VIOLATION) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_policy_diff
tests_unit_test_policy_diff_SOURCES = tests/unit/test_policy_diff.c tests/unit/building.h
tests_unit_test_policy_diff_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_policy_library
tests_unit_test_policy_library_SOURCES = tests/unit/test_policy_library.c tests/unit/building.h
tests_unit_test_policy_library_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_policy_lint
tests_unit_test_policy_lint_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_policy_preset
tests_unit_test_policy_preset_SOURCES = tests/unit/test_policy_preset.c tests/unit/building.h
tests_unit_test_policy_preset_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_policy_overlay
tests_unit_test_policy_overlay_SOURCES = tests/unit/test_policy_overlay.c tests/unit/building.h
tests_unit_test_policy_overlay_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_policy_precedence
tests_unit_test_policy_precedence_SOURCES = tests/unit/test_policy_precedence.c tests/unit/building.h
tests_unit_test_policy_precedence_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_policy_scrub
tests_unit_test_policy_scrub_SOURCES = tests/unit/test_policy_scrub.c tests/unit/building.h
tests_unit_test_policy_scrub_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_policy_sensitive
tests_unit_test_policy_sensitive_SOURCES = tests/unit/test_policy_sensitive.c tests/unit/building.h
tests_unit_test_policy_sensitive_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_policy_wide
tests_unit_test_policy_wide_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)

# Time from files to a policy; `make bench` runs it.
EXTRA_PROGRAMS += bench/policy_bench
CLEANFILES += bench/policy_bench
bench_policy_bench_LDADD = $(LINK_POLICY)

check_PROGRAMS += tests/fuzz/fuzz_profile
tests_fuzz_fuzz_profile_LDADD = $(FUZZ_MAIN) $(LINK_POLICY)
