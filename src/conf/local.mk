noinst_LIBRARIES += libconf.a
libconf_a_SOURCES = %D%/dirs.c %D%/dirs.h

check_PROGRAMS += tests/unit/test_conf_dirs
tests_unit_test_conf_dirs_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
