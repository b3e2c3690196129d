noinst_LIBRARIES += libproxy.a
libproxy_a_SOURCES =
