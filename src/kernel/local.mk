noinst_LIBRARIES += libkernel.a
libkernel_a_SOURCES = \
	%D%/confine.c %D%/confine.h %D%/confine_calls.c %D%/confine_priv.h \
	%D%/caps.c %D%/landlock.c %D%/landlock.h %D%/mounts.c %D%/mounts.h \
	%D%/netlink.c %D%/netlink.h %D%/notify.c %D%/notify.h \
	%D%/ns.c %D%/ns.h %D%/ns_priv.h %D%/procfs.c %D%/procfs.h %D%/procfs_priv.h \
	%D%/seccomp.c %D%/seccomp.h %D%/seccomp_code.c %D%/uapi.h

check_PROGRAMS += tests/unit/test_kernel_confine tests/unit/test_kernel_landlock \
	tests/unit/test_kernel_caps tests/unit/test_kernel_mounts tests/unit/test_kernel_netlink \
	tests/unit/test_kernel_notify tests/unit/test_kernel_ns tests/unit/test_kernel_procfs tests/unit/test_kernel_seccomp
tests_unit_test_kernel_confine_LDADD = $(LINK_KERNEL) $(CMOCKA_LIBS)
tests_unit_test_kernel_landlock_LDADD = $(LINK_KERNEL) $(CMOCKA_LIBS)
tests_unit_test_kernel_caps_LDADD = $(LINK_KERNEL) $(CMOCKA_LIBS)
tests_unit_test_kernel_mounts_LDADD = $(LINK_KERNEL) $(CMOCKA_LIBS)
tests_unit_test_kernel_netlink_LDADD = $(LINK_KERNEL) $(CMOCKA_LIBS)
tests_unit_test_kernel_ns_LDADD = $(LINK_KERNEL) $(CMOCKA_LIBS)
tests_unit_test_kernel_notify_LDADD = $(LINK_KERNEL) $(CMOCKA_LIBS)
tests_unit_test_kernel_procfs_LDADD = $(LINK_KERNEL) $(CMOCKA_LIBS)
tests_unit_test_kernel_seccomp_LDADD = $(LINK_KERNEL) $(CMOCKA_LIBS)

# A helper of tests, no test: built with them.
EXTRA_PROGRAMS += tests/helper/without
check_DATA += tests/helper/without
tests_helper_without_LDADD = $(SECCOMP_LIBS)
CLEANFILES += tests/helper/without
EXTRA_DIST += tests/helper/child.h tests/helper/notified.h

check_PROGRAMS += tests/fuzz/fuzz_procfs
tests_fuzz_fuzz_procfs_LDADD = $(FUZZ_MAIN) $(LINK_KERNEL)
