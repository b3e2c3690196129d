noinst_LIBRARIES += libsandbox.a
libsandbox_a_SOURCES = %D%/broker_priv.h %D%/driver.h %D%/inside.c %D%/inside.h %D%/sandbox.h %D%/walls_priv.h

# The walls, and who builds them.
libsandbox_a_SOURCES += %D%/broker.c %D%/canary.c %D%/driver.c %D%/driver_full.c %D%/end.c %D%/init.c \
	%D%/keeper.c %D%/keeper_calls.c %D%/masks.c %D%/private.c %D%/reaper.c %D%/rules.c %D%/sandbox.c
EXTRA_DIST += tests/helper/walled.h
check_PROGRAMS += tests/unit/test_sandbox_broker tests/unit/test_sandbox_driver \
	tests/unit/test_sandbox_driver_full tests/unit/test_sandbox_masks \
	tests/unit/test_sandbox_private tests/unit/test_sandbox_rules \
	tests/unit/test_sandbox_sandbox tests/unit/test_sandbox_walls
tests_unit_test_sandbox_broker_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
tests_unit_test_sandbox_driver_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
tests_unit_test_sandbox_driver_full_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
tests_unit_test_sandbox_masks_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
tests_unit_test_sandbox_masks_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=ioctl
tests_unit_test_sandbox_private_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
tests_unit_test_sandbox_rules_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
tests_unit_test_sandbox_sandbox_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
tests_unit_test_sandbox_walls_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)

# What is said of a call before, what becomes of it, and what is recorded.
check_PROGRAMS += tests/unit/test_sandbox_agree
tests_unit_test_sandbox_agree_SOURCES = tests/unit/test_sandbox_agree.c tests/helper/agree.c \
	tests/helper/agree.h tests/helper/agree_dice.c tests/helper/agree_judge.c
tests_unit_test_sandbox_agree_LDADD = $(LINK_RUN) $(CMOCKA_LIBS)

# Walls are left out by taking the calls away that build them.
check_PROGRAMS += tests/unit/test_sandbox_mutants
tests_unit_test_sandbox_mutants_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
tests_unit_test_sandbox_mutants_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pmg_landlock_restrict \
	-Wl,--wrap=pmg_policy_ask -Wl,--wrap=pmg_walls_close_but -Wl,--wrap=setrlimit \
	-Wl,--wrap=pmg_mount_readonly -Wl,--wrap=pmg_ns_no_more_users -Wl,--wrap=prctl \
	-Wl,--wrap=syscall -Wl,--wrap=kill -Wl,--wrap=pmg_call_filter \
	-Wl,--wrap=pmg_ns_memfd_noexec

# Who calls, and denied files by number.
libsandbox_a_SOURCES += %D%/inodes.c
check_PROGRAMS += tests/unit/test_sandbox_inodes
tests_unit_test_sandbox_inodes_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
libsandbox_a_SOURCES += %D%/who.c %D%/who_package.c %D%/who_priv.h %D%/who_start.c %D%/who_table.c
check_PROGRAMS += tests/unit/test_sandbox_who tests/unit/test_sandbox_who_package
tests_unit_test_sandbox_who_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
tests_unit_test_sandbox_who_package_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
check_PROGRAMS += tests/fuzz/fuzz_package
tests_fuzz_fuzz_package_LDADD = $(FUZZ_MAIN) $(LINK_SANDBOX)

# Calls on behalf.
libsandbox_a_SOURCES += %D%/act_meta.c %D%/act_move.c %D%/act_open.c %D%/act_tree.c %D%/calls.c \
	%D%/device.c %D%/device_priv.h %D%/hidden.c %D%/judge.c %D%/judge.h %D%/lockdown.c %D%/lockdown.h %D%/loop.c %D%/report.c %D%/resolve.c \
	%D%/resolve_priv.h %D%/wait.c %D%/walk.c
check_LIBRARIES += libbrokered.a
libbrokered_a_SOURCES = tests/helper/broker.c tests/helper/broker.h tests/helper/conform.c \
	tests/helper/conform.h
LINK_BROKERED = libbrokered.a $(LINK_SANDBOX) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_sandbox_act_meta tests/unit/test_sandbox_act_open \
	tests/unit/test_sandbox_act_tree tests/unit/test_sandbox_report
tests_unit_test_sandbox_act_meta_LDADD = $(LINK_BROKERED)
tests_unit_test_sandbox_act_open_LDADD = $(LINK_BROKERED)
tests_unit_test_sandbox_act_tree_LDADD = $(LINK_BROKERED)
tests_unit_test_sandbox_report_LDADD = $(LINK_BROKERED)
check_PROGRAMS += tests/unit/test_sandbox_lockdown
tests_unit_test_sandbox_lockdown_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_sandbox_loop
tests_unit_test_sandbox_loop_LDADD = $(LINK_BROKERED)

check_PROGRAMS += tests/fuzz/fuzz_notify tests/fuzz/fuzz_resolve
tests_fuzz_fuzz_notify_LDADD = $(FUZZ_MAIN) $(LINK_SANDBOX)
tests_fuzz_fuzz_notify_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pmg_notify_is_valid \
	-Wl,--wrap=pmg_notify_read -Wl,--wrap=pmg_notify_read_text
tests_fuzz_fuzz_resolve_LDADD = $(FUZZ_MAIN) $(LINK_SANDBOX)
tests_fuzz_fuzz_resolve_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pmg_notify_is_valid

EXTRA_PROGRAMS += bench/open_bench
CLEANFILES += bench/open_bench
bench_open_bench_LDADD = $(LINK_BROKERED)

# The run's own network.
libsandbox_a_SOURCES += %D%/network.c
check_PROGRAMS += tests/unit/test_sandbox_network
tests_unit_test_sandbox_network_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)

# What the kernel is never asked: the filter of a run.
libsandbox_a_SOURCES += %D%/filter.c %D%/filter_calls.c %D%/filter_priv.h %D%/surface.c
check_PROGRAMS += tests/unit/test_sandbox_filter tests/unit/test_sandbox_surface
tests_unit_test_sandbox_filter_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
tests_unit_test_sandbox_surface_LDADD = $(LINK_BROKERED)
EXTRA_DIST += tests/unit/refused_calls.h

# What is refused whatever it asks, programs, network and local sockets.
libsandbox_a_SOURCES += %D%/act_surface.c
check_PROGRAMS += tests/unit/test_sandbox_act_surface
tests_unit_test_sandbox_act_surface_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
libsandbox_a_SOURCES += %D%/act_exec.c
check_PROGRAMS += tests/unit/test_sandbox_act_exec
tests_unit_test_sandbox_act_exec_LDADD = $(LINK_BROKERED)
libsandbox_a_SOURCES += %D%/act_bind.c %D%/act_net.c %D%/act_send.c %D%/act_unix.c %D%/endpoint.c \
	%D%/net_priv.h
check_PROGRAMS += tests/unit/test_sandbox_act_net tests/unit/test_sandbox_endpoint
tests_unit_test_sandbox_act_net_LDADD = $(LINK_BROKERED)
tests_unit_test_sandbox_endpoint_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
check_PROGRAMS += tests/fuzz/fuzz_endpoint
tests_fuzz_fuzz_endpoint_LDADD = $(FUZZ_MAIN) $(LINK_SANDBOX)

# Whether somebody watches us already.
check_PROGRAMS += tests/unit/test_sandbox_inside
tests_unit_test_sandbox_inside_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)

# What a package may not run that no proxy has seen
libsandbox_a_SOURCES += %D%/verdicts.c %D%/verdicts_priv.h
check_PROGRAMS += tests/unit/test_sandbox_verdicts
tests_unit_test_sandbox_verdicts_LDADD = $(LINK_SANDBOX) $(CMOCKA_LIBS)
tests_unit_test_sandbox_verdicts_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pmg_who_package \
	-Wl,--wrap=pmg_package_is_installed -Wl,--wrap=pmg_package_of -Wl,--wrap=pmg_refuse_listed
