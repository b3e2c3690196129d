noinst_LIBRARIES += libnet.a
libnet_a_SOURCES = \
	%D%/fetch.c %D%/fetch.h %D%/fetch_part.c %D%/fetch_priv.h \
	%D%/no_proxy.c %D%/no_proxy.h %D%/route.c %D%/route.h \
	%D%/upstream.c %D%/upstream.h %D%/upstream_error.c

check_PROGRAMS += tests/unit/test_net_fetch tests/unit/test_net_no_proxy tests/unit/test_net_route \
	tests/unit/test_net_upstream tests/unit/test_net_upstream_error
tests_unit_test_net_fetch_SOURCES = tests/unit/test_net_fetch.c \
	tests/helper/scripted.c tests/helper/scripted.h
tests_unit_test_net_fetch_LDADD = $(LINK_NET) $(CMOCKA_LIBS)
tests_unit_test_net_no_proxy_LDADD = $(LINK_NET) $(CMOCKA_LIBS)
tests_unit_test_net_route_LDADD = $(LINK_NET) $(CMOCKA_LIBS)
tests_unit_test_net_upstream_SOURCES = tests/unit/test_net_upstream.c \
	tests/helper/scripted.c tests/helper/scripted.h
tests_unit_test_net_upstream_LDADD = $(LINK_NET) $(CMOCKA_LIBS)
tests_unit_test_net_upstream_error_LDADD = $(LINK_NET) $(CMOCKA_LIBS)

check_PROGRAMS += tests/fuzz/fuzz_no_proxy
tests_fuzz_fuzz_no_proxy_LDADD = $(FUZZ_MAIN) $(LINK_NET)
