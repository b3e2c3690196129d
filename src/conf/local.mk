noinst_LIBRARIES += libconf.a
libconf_a_SOURCES = \
	%D%/dirs.c %D%/dirs.h %D%/keys.c %D%/keys.h %D%/units.c %D%/units.h \
	%D%/yaml.c %D%/yaml.h

check_PROGRAMS += tests/unit/test_conf_dirs
tests_unit_test_conf_dirs_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_keys
tests_unit_test_conf_keys_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_units
tests_unit_test_conf_units_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_yaml
tests_unit_test_conf_yaml_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
