noinst_LIBRARIES += libviolation.a
libviolation_a_SOURCES = \
	%D%/codes.c %D%/codes.h \
	%D%/ledger.c %D%/ledger.h %D%/ledger_events.c %D%/ledger_list.c %D%/ledger_priv.h \
	%D%/event.c %D%/event.h %D%/explain.c %D%/explain.h \
	%D%/mask.c %D%/mask.h %D%/record.c %D%/record.h %D%/record_json.c \
	%D%/wire.c %D%/wire.h

check_PROGRAMS += tests/unit/test_violation_codes tests/unit/test_violation_event \
	tests/unit/test_violation_explain tests/unit/test_violation_ledger \
	tests/unit/test_violation_mask tests/unit/test_violation_record \
	tests/unit/test_violation_record_json tests/unit/test_violation_wire
tests_unit_test_violation_codes_LDADD = $(LINK_VIOLATION) $(CMOCKA_LIBS)
tests_unit_test_violation_event_LDADD = $(LINK_VIOLATION) $(CMOCKA_LIBS)
tests_unit_test_violation_explain_LDADD = $(LINK_VIOLATION) $(CMOCKA_LIBS)
tests_unit_test_violation_ledger_LDADD = $(LINK_VIOLATION) $(CMOCKA_LIBS)
tests_unit_test_violation_mask_LDADD = $(LINK_VIOLATION) $(CMOCKA_LIBS)
tests_unit_test_violation_record_LDADD = $(LINK_VIOLATION) $(CMOCKA_LIBS)
tests_unit_test_violation_record_json_LDADD = $(LINK_VIOLATION) $(CMOCKA_LIBS)
tests_unit_test_violation_wire_LDADD = $(LINK_VIOLATION) $(CMOCKA_LIBS)

check_PROGRAMS += tests/fuzz/fuzz_mask tests/fuzz/fuzz_wire
tests_fuzz_fuzz_mask_LDADD = $(FUZZ_MAIN) $(LINK_VIOLATION)
tests_fuzz_fuzz_wire_LDADD = $(FUZZ_MAIN) $(LINK_VIOLATION)

# What was let in, of all runs
libviolation_a_SOURCES += %D%/ledger_landed.c
