noinst_LIBRARIES += libcli.a
libcli_a_SOURCES = \
	%D%/cmd.c %D%/cmd.h %D%/opt.c %D%/opt.h %D%/out.c %D%/out.h \
	%D%/table.c %D%/table.h

# cmd, opt, out and table stand on base alone: every program may link them.
LINK_CLI_CORE = libcli.a $(LINK_BASE)

check_PROGRAMS += tests/unit/test_cli_cmd tests/unit/test_cli_opt tests/unit/test_cli_out \
	tests/unit/test_cli_table
tests_unit_test_cli_cmd_LDADD = $(LINK_CLI_CORE) $(CMOCKA_LIBS)
tests_unit_test_cli_opt_LDADD = $(LINK_CLI_CORE) $(CMOCKA_LIBS)
tests_unit_test_cli_out_LDADD = $(LINK_CLI_CORE) $(CMOCKA_LIBS)
tests_unit_test_cli_table_LDADD = $(LINK_CLI_CORE) $(CMOCKA_LIBS)
