noinst_LIBRARIES += libconf.a
libconf_a_SOURCES = %D%/overrides.c %D%/overrides.h \
	%D%/config.c %D%/config.h %D%/config_intel.c %D%/config_intel.h %D%/config_packages.c %D%/config_packages.h \
	%D%/config_sandbox.c %D%/config_sandbox.h \
	%D%/dirs.c %D%/dirs.h %D%/trait.c %D%/trait.h %D%/ini.c %D%/ini.h \
	%D%/keys.c %D%/keys.h %D%/managed.c %D%/managed.h %D%/narrow.c %D%/narrow.h \
	%D%/packages.c %D%/packages.h %D%/tighten.c %D%/tighten.h \
	%D%/toml.c %D%/toml.h %D%/trusted.c %D%/trusted.h %D%/units.c %D%/units.h %D%/yaml.c %D%/yaml.h \
	%D%/yamlscan.c %D%/yamlscan.h

libconf_a_SOURCES += %D%/config_inspection.c %D%/config_inspection.h

check_PROGRAMS += tests/unit/test_conf_config
tests_unit_test_conf_config_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_config_intel
tests_unit_test_conf_config_intel_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_config_packages
tests_unit_test_conf_config_packages_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_dirs
tests_unit_test_conf_dirs_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_trait
tests_unit_test_conf_trait_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_ini
tests_unit_test_conf_ini_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_keys
tests_unit_test_conf_keys_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_managed
tests_unit_test_conf_managed_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_narrow
tests_unit_test_conf_narrow_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_packages
tests_unit_test_conf_packages_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_overrides
tests_unit_test_conf_overrides_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_toml
tests_unit_test_conf_toml_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_trusted
tests_unit_test_conf_trusted_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_units
tests_unit_test_conf_units_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_yaml
tests_unit_test_conf_yaml_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_conf_yamlscan
tests_unit_test_conf_yamlscan_LDADD = $(LINK_CONF) $(CMOCKA_LIBS)

check_PROGRAMS += tests/fuzz/fuzz_ini tests/fuzz/fuzz_managed tests/fuzz/fuzz_toml tests/fuzz/fuzz_yaml tests/fuzz/fuzz_yamlscan
tests_fuzz_fuzz_ini_LDADD = $(FUZZ_MAIN) $(LINK_CONF)
tests_fuzz_fuzz_managed_LDADD = $(FUZZ_MAIN) $(LINK_CONF)
tests_fuzz_fuzz_toml_LDADD = $(FUZZ_MAIN) $(LINK_CONF)
tests_fuzz_fuzz_yaml_LDADD = $(FUZZ_MAIN) $(LINK_CONF)
tests_fuzz_fuzz_yamlscan_LDADD = $(FUZZ_MAIN) $(LINK_CONF)

dist_man_MANS += man/pmg-config.5
EXTRA_DIST += docs/config.md
