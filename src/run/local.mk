noinst_LIBRARIES += librun.a
librun_a_SOURCES = \
	%D%/ahead.c %D%/ahead.h %D%/attend.c %D%/attend.h %D%/bounds.c %D%/bounds.h %D%/certs.c %D%/certs.h %D%/confined.c %D%/confined.h %D%/cooldown.c %D%/cooldown.h %D%/find.c %D%/find.h %D%/folder.c %D%/folder.h \
	%D%/index.c %D%/index.h %D%/lasting.c %D%/lasting.h %D%/learned.c %D%/learned.h %D%/links.c %D%/links.h %D%/outer.c %D%/outer.h %D%/prepare.c %D%/prepare.h \
	%D%/proxy.c %D%/proxy.h %D%/question.c %D%/question.h %D%/remove.c %D%/remove.h %D%/run.c %D%/run.h %D%/run_priv.h %D%/self.c %D%/self.h \
	%D%/signals.c %D%/signals.h %D%/start.c %D%/sweeper.c %D%/sweeper.h %D%/target.c %D%/target.h %D%/tool.c %D%/tool.h %D%/tree.c %D%/tree.h %D%/withheld.c %D%/withheld.h

check_PROGRAMS += tests/unit/test_run_cooldown
tests_unit_test_run_cooldown_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_run_ahead tests/unit/test_run_bounds tests/unit/test_run_certs tests/unit/test_run_confined tests/unit/test_run_find tests/unit/test_run_folder \
	tests/unit/test_run_index tests/unit/test_run_lasting tests/unit/test_run_learned tests/unit/test_run_links tests/unit/test_run_outer tests/unit/test_run_prepare tests/unit/test_run_question tests/unit/test_run_remove tests/unit/test_run_self tests/unit/test_run_signals tests/unit/test_run_sweeper tests/unit/test_run_target \
	tests/unit/test_run_tool tests/unit/test_run_tree tests/unit/test_run_withheld
tests_unit_test_run_ahead_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_question_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_bounds_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_certs_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_confined_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_find_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_folder_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_index_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_lasting_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_learned_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_links_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_outer_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_prepare_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_remove_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_self_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_signals_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_sweeper_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_target_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_tree_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_withheld_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_tool_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)

# Guarded runs on a stage: the test program plays proxy, tool and manager.
RUN_STAGE = tests/helper/stage.c tests/helper/stage.h
STAGE_FLAGS = $(AM_LDFLAGS) -Wl,--wrap=pmg_pm_find
check_PROGRAMS += tests/unit/test_run_run tests/unit/test_run_terminal
tests_unit_test_run_run_SOURCES = tests/unit/test_run_run.c $(RUN_STAGE)
tests_unit_test_run_run_LDFLAGS = $(STAGE_FLAGS)
tests_unit_test_run_run_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
tests_unit_test_run_terminal_SOURCES = tests/unit/test_run_terminal.c $(RUN_STAGE)
tests_unit_test_run_terminal_LDFLAGS = $(STAGE_FLAGS)
tests_unit_test_run_terminal_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)

check_PROGRAMS += tests/fuzz/fuzz_self tests/fuzz/fuzz_via
tests_fuzz_fuzz_self_LDADD = $(FUZZ_MAIN) $(LINK_RUN)
tests_fuzz_fuzz_via_LDADD = $(FUZZ_MAIN) $(LINK_RUN)

# What lockfiles pin, before and after
librun_a_SOURCES += %D%/pins.c %D%/pins.h %D%/pins_ask.c
check_PROGRAMS += tests/unit/test_run_pins
tests_unit_test_run_pins_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)
