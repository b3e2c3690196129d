noinst_LIBRARIES += libviolation.a
libviolation_a_SOURCES = %D%/wire.c %D%/wire.h

check_PROGRAMS += tests/unit/test_violation_wire
tests_unit_test_violation_wire_LDADD = $(LINK_VIOLATION) $(CMOCKA_LIBS)

check_PROGRAMS += tests/fuzz/fuzz_wire
tests_fuzz_fuzz_wire_LDADD = $(FUZZ_MAIN) $(LINK_VIOLATION)
