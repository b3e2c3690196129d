noinst_LIBRARIES += libpolicy.a
libpolicy_a_SOURCES = %D%/plan.h
