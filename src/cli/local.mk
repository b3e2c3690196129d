noinst_LIBRARIES += libcli.a
libcli_a_SOURCES = \
	%D%/cmd.c %D%/cmd.h %D%/cmd_audit.c %D%/cmd_audit.h \
	%D%/cmd_sandbox.c %D%/cmd_sandbox.h %D%/cmd_sandbox_allow.c %D%/cmd_sandbox_check.c %D%/cmd_sandbox_doctor.c \
	%D%/cmd_sandbox_exec.c %D%/cmd_sandbox_explain.c %D%/cmd_sandbox_preset.c %D%/cmd_sandbox_profile.c %D%/cmd_sandbox_profile_diff.c %D%/cmd_sandbox_profile_show.c \
	%D%/cmd_sandbox_project.c \
	%D%/cmd_version.c %D%/cmd_violations.c %D%/cmd_violations.h \
	%D%/editor.c %D%/editor.h \
	%D%/front.c %D%/front.h %D%/front_run.c %D%/opt.c %D%/opt.h %D%/out.c %D%/out.h %D%/pages.c %D%/pages.h \
	%D%/report.c %D%/report.h %D%/shelves.c %D%/shelves.h %D%/subject.c %D%/subject.h %D%/summary.c %D%/summary.h %D%/summary_denied.c %D%/summary_withheld.c %D%/table.c %D%/table.h
nodist_libcli_a_SOURCES = %D%/pages_data.c

# The pages of the codes, built in.
%D%/pages_data.c: $(srcdir)/docs/codes/*.md $(srcdir)/tools/embed-pages
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(SHELL) $(srcdir)/tools/embed-pages $(srcdir)/docs/codes >$@.new && mv $@.new $@
CLEANFILES += %D%/pages_data.c
EXTRA_DIST += tools/embed-pages

bin_PROGRAMS += pmg
pmg_SOURCES = src/pmg.c
pmg_LDADD = $(LINK_CLI)

# cmd, opt, out and table stand on base alone: every program may link them.
LINK_CLI_CORE = libcli.a $(LINK_BASE)

check_PROGRAMS += tests/unit/test_cli_cmd_sandbox tests/unit/test_cli_cmd tests/unit/test_cli_editor tests/unit/test_cli_front tests/unit/test_cli_opt \
	tests/unit/test_cli_out tests/unit/test_cli_pages tests/unit/test_cli_cmd_violations tests/unit/test_cli_report tests/unit/test_cli_summary \
	tests/unit/test_cli_summary_denied tests/unit/test_cli_summary_withheld tests/unit/test_cli_table
tests_unit_test_cli_pages_LDADD = $(LINK_CLI) $(CMOCKA_LIBS)
tests_unit_test_cli_cmd_violations_LDADD = $(LINK_CLI) $(CMOCKA_LIBS)
tests_unit_test_cli_cmd_sandbox_LDADD = $(LINK_CLI) $(CMOCKA_LIBS)
tests_unit_test_cli_editor_LDADD = $(LINK_CLI) $(CMOCKA_LIBS) -lutil
tests_unit_test_cli_report_LDADD = $(LINK_CLI) $(CMOCKA_LIBS)
tests_unit_test_cli_front_LDADD = $(LINK_CLI) $(CMOCKA_LIBS)
tests_unit_test_cli_summary_LDADD = $(LINK_CLI) $(CMOCKA_LIBS)
tests_unit_test_cli_summary_denied_LDADD = $(LINK_CLI) $(CMOCKA_LIBS)
tests_unit_test_cli_summary_withheld_LDADD = $(LINK_CLI) $(CMOCKA_LIBS)
tests_unit_test_cli_cmd_LDADD = $(LINK_CLI_CORE) $(CMOCKA_LIBS)
tests_unit_test_cli_opt_LDADD = $(LINK_CLI_CORE) $(CMOCKA_LIBS)
tests_unit_test_cli_out_LDADD = $(LINK_CLI_CORE) $(CMOCKA_LIBS)
tests_unit_test_cli_table_LDADD = $(LINK_CLI_CORE) $(CMOCKA_LIBS)

dist_man_MANS += man/pmg.1
EXTRA_DIST += docs/cli-json.md docs/schema/violation.json
