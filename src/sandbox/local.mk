noinst_LIBRARIES += libsandbox.a
libsandbox_a_SOURCES = %D%/broker_priv.h %D%/driver.h %D%/sandbox.h %D%/walls_priv.h

# Who calls, and denied files by number.
libsandbox_a_SOURCES += %D%/inodes.c
check_PROGRAMS += tests/unit/test_sandbox_inodes
tests_unit_test_sandbox_inodes_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
