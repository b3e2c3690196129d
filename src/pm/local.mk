noinst_LIBRARIES += libpm.a
libpm_a_SOURCES = %D%/pm.h %D%/version.h

# Names and versions
libpm_a_SOURCES += %D%/legacy.c %D%/name.c %D%/pep440.c %D%/semver.c %D%/version.c \
	%D%/version_priv.h

check_PROGRAMS += tests/unit/test_pm_version tests/unit/test_pm_version_shared
tests_unit_test_pm_version_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
tests_unit_test_pm_version_shared_LDADD = $(LINK_PM) $(CMOCKA_LIBS)
