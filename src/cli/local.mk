noinst_LIBRARIES += libcli.a
libcli_a_SOURCES =
