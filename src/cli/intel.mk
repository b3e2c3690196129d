# pmg-intel and the commands it alone links.
noinst_LIBRARIES += libcliintel.a
libcliintel_a_SOURCES = \
	%D%/cmd_intel.c %D%/cmd_intel.h %D%/cmd_intel_block.c %D%/cmd_intel_config.c %D%/cmd_intel_confine.c %D%/cmd_intel_import.c %D%/cmd_intel_listed.c \
	%D%/cmd_intel_query.c %D%/cmd_intel_rollback.c %D%/cmd_intel_status.c
libcliintel_a_SOURCES += %D%/cmd_scan.c %D%/cmd_scan.h %D%/cmd_scan_report.c
libcliintel_a_SOURCES += %D%/cmd_intel_allow.c %D%/cmd_intel_apart.c %D%/cmd_intel_remove.c %D%/cmd_intel_report.c %D%/cmd_intel_signed.c %D%/cmd_intel_update.c
libcliintel_a_SOURCES += %D%/cmd_intel_exposure.c
LINK_CLI_INTEL = libcliintel.a libcli.a libkernel.a libviolation.a libpolicy.a $(LINK_VERDICT) $(SECCOMP_LIBS)

dist_man_MANS += man/pmg-intel.1

pkglibexec_PROGRAMS += pmg-intel
pmg_intel_SOURCES = src/pmg_intel.c
pmg_intel_LDADD = $(LINK_CLI_INTEL)

check_PROGRAMS += tests/unit/test_cli_cmd_intel
tests_unit_test_cli_cmd_intel_LDADD = $(LINK_CLI_INTEL) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_cli_cmd_intel_apart
tests_unit_test_cli_cmd_intel_apart_LDADD = $(LINK_CLI_INTEL) $(CMOCKA_LIBS)
tests_unit_test_cli_cmd_intel_apart_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pmg_import
check_PROGRAMS += tests/unit/test_cli_cmd_intel_exposure
tests_unit_test_cli_cmd_intel_exposure_LDADD = $(LINK_CLI_INTEL) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_cli_cmd_scan
tests_unit_test_cli_cmd_scan_LDADD = $(LINK_CLI_INTEL) $(CMOCKA_LIBS)
