noinst_LIBRARIES += libpolicy.a
libpolicy_a_SOURCES = %D%/plan.c %D%/plan.h %D%/build.h %D%/glob.h %D%/policy.h

check_PROGRAMS += tests/unit/test_policy_plan
tests_unit_test_policy_plan_LDADD = $(LINK_POLICY) $(CMOCKA_LIBS)
