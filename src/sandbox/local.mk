noinst_LIBRARIES += libsandbox.a
libsandbox_a_SOURCES = %D%/broker_priv.h %D%/driver.h %D%/sandbox.h %D%/walls_priv.h

# Who calls, and denied files by number.
libsandbox_a_SOURCES += %D%/inodes.c
check_PROGRAMS += tests/unit/test_sandbox_inodes
tests_unit_test_sandbox_inodes_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
libsandbox_a_SOURCES += %D%/who.c %D%/who_package.c %D%/who_priv.h %D%/who_start.c
check_PROGRAMS += tests/unit/test_sandbox_who tests/unit/test_sandbox_who_package
tests_unit_test_sandbox_who_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
tests_unit_test_sandbox_who_package_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
check_PROGRAMS += tests/fuzz/fuzz_package
tests_fuzz_fuzz_package_LDADD = $(FUZZ_MAIN) $(LINK_SANDBOX)
