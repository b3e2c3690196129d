noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	%D%/clock.c %D%/clock.h %D%/env.c %D%/env.h %D%/err.c %D%/err.h %D%/fields.c %D%/fields.h \
	%D%/hash.c %D%/hash.h %D%/io.c %D%/io.h %D%/json.c %D%/json.h %D%/json_items.c %D%/json_items.h \
	%D%/log.c %D%/log.h %D%/mem.c %D%/mem.h %D%/msg.c %D%/msg.h \
	%D%/path.c %D%/path.h %D%/proc.c %D%/proc.h %D%/program.c %D%/program.h %D%/str.c %D%/str.h \
	%D%/strv.c %D%/strv.h %D%/url.c %D%/url.h

check_PROGRAMS += tests/unit/test_base_clock
tests_unit_test_base_clock_LDADD = $(LINK_BASE) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_base_env
tests_unit_test_base_env_LDADD = $(LINK_BASE) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_base_err
tests_unit_test_base_err_LDADD = $(LINK_BASE) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_base_hash
tests_unit_test_base_hash_LDADD = $(LINK_BASE) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_base_io
tests_unit_test_base_io_LDADD = $(LINK_BASE) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_base_json
tests_unit_test_base_json_LDADD = $(LINK_BASE) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_base_json_items
tests_unit_test_base_json_items_LDADD = $(LINK_BASE) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_base_log
tests_unit_test_base_log_LDADD = $(LINK_BASE) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_base_mem
tests_unit_test_base_mem_LDADD = $(LINK_BASE) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_base_msg
tests_unit_test_base_msg_LDADD = $(LINK_BASE) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_base_path
tests_unit_test_base_path_LDADD = $(LINK_BASE) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_base_program
tests_unit_test_base_program_LDADD = $(LINK_BASE) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_base_proc
tests_unit_test_base_proc_LDADD = $(LINK_BASE) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_base_str
tests_unit_test_base_str_LDADD = $(LINK_BASE) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_base_strv
tests_unit_test_base_strv_LDADD = $(LINK_BASE) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_base_url
tests_unit_test_base_url_LDADD = $(LINK_BASE) $(CMOCKA_LIBS)

check_PROGRAMS += tests/fuzz/fuzz_url tests/fuzz/fuzz_msg tests/fuzz/fuzz_clock tests/fuzz/fuzz_program
tests_fuzz_fuzz_url_LDADD = $(FUZZ_MAIN) $(LINK_BASE)
tests_fuzz_fuzz_msg_LDADD = $(FUZZ_MAIN) $(LINK_BASE)
tests_fuzz_fuzz_clock_LDADD = $(FUZZ_MAIN) $(LINK_BASE)
tests_fuzz_fuzz_program_LDADD = $(FUZZ_MAIN) $(LINK_BASE)
