noinst_LIBRARIES += libpolicy.a
libpolicy_a_SOURCES = \
	%D%/build.h %D%/glob.c %D%/glob.h %D%/glob_priv.h %D%/glob_read.c \
	%D%/hidden.c %D%/host.c %D%/host.h %D%/packages.c %D%/plan.c %D%/plan.h \
	%D%/plan_policy.c %D%/plan_priv.h \
	%D%/policy.c %D%/policy.h %D%/policy_priv.h %D%/subtrees.c

check_PROGRAMS += tests/unit/test_policy_glob
tests_unit_test_policy_glob_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_policy_plan
tests_unit_test_policy_plan_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_policy_policy
tests_unit_test_policy_policy_SOURCES = tests/unit/test_policy_policy.c tests/unit/cases.h
tests_unit_test_policy_policy_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_policy_subtrees
tests_unit_test_policy_subtrees_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)

check_PROGRAMS += tests/fuzz/fuzz_glob tests/fuzz/fuzz_host
tests_fuzz_fuzz_glob_LDADD = $(FUZZ_MAIN) $(LINK_POLICY)
tests_fuzz_fuzz_host_LDADD = $(FUZZ_MAIN) $(LINK_POLICY)
EXTRA_DIST += tests/policy

# What a run's scripts were allowed
libpolicy_a_SOURCES += %D%/reach.c %D%/reach.h
check_PROGRAMS += tests/unit/test_policy_reach
tests_unit_test_policy_reach_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)
