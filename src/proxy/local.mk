noinst_LIBRARIES += libproxy.a
libproxy_a_SOURCES = \
	%D%/ages.c %D%/ages.h %D%/ages_find.c %D%/ages_kept.c %D%/ages_priv.h \
	%D%/addresses.c %D%/addresses.h \
	%D%/ask.c %D%/ask.h %D%/ask_priv.h %D%/asks.c \
	%D%/callers.c %D%/callers.h \
	%D%/capture.c %D%/capture.h \
	%D%/catalog.c %D%/catalog.h %D%/catalog_priv.h %D%/catalog_homes.c \
	%D%/client.c %D%/client.h %D%/client_answer.c %D%/client_priv.h %D%/client_request.c \
	%D%/dates.c %D%/dates.h \
	%D%/dns.c %D%/dns.h \
	%D%/document.c %D%/document.h %D%/document_answer.c %D%/document_priv.h \
	%D%/doors.c %D%/doors.h \
	%D%/exchange.c %D%/exchange.h \
	%D%/filtered.c %D%/filtered.h \
	%D%/framing.c %D%/framing.h \
	%D%/gate.c %D%/gate.h \
	%D%/hosts.c %D%/hosts.h \
	%D%/htmlscan.c %D%/htmlscan.h \
	%D%/http1.c %D%/http1.h \
	%D%/identity.c %D%/identity.h \
	%D%/inet.c %D%/inet.h \
	%D%/inflate.c %D%/inflate.h \
	%D%/jsonscan.c %D%/jsonscan.h \
	%D%/jsonstrict.c %D%/jsonstrict.h %D%/jsonstrict_text.c \
	%D%/learn.c %D%/learn.h \
	%D%/link.c %D%/link.h \
	%D%/listener.c %D%/listener.h \
	%D%/lookup.c %D%/lookup.h \
	%D%/loop.c %D%/loop.h \
	%D%/multi.c %D%/multi.h \
	%D%/names.c %D%/names.h \
	%D%/packument.c %D%/packument.h %D%/packument_filter.c %D%/packument_find.c \
	%D%/packument_priv.h %D%/packument_version.c \
	%D%/page.c %D%/page.h \
	%D%/peer.c %D%/peer.h \
	%D%/place.c %D%/place.h \
	%D%/probe.c %D%/probe.h \
	%D%/reach.c %D%/reach.h \
	%D%/refused.c %D%/refused.h \
	%D%/report.c %D%/report.h \
	%D%/request.c %D%/request.h \
	%D%/resolver.c %D%/resolver.h \
	%D%/respond.c %D%/respond.h \
	%D%/server.c %D%/server.h \
	%D%/service.c %D%/service.h \
	%D%/simple.c %D%/simple.h %D%/simple_html.c %D%/simple_html_priv.h \
	%D%/simple_html_tag.c %D%/simple_json.c %D%/simple_priv.h \
	%D%/sni.c %D%/sni.h \
	%D%/sniff.c %D%/sniff.h \
	%D%/splice.c %D%/splice.h \
	%D%/spool.c %D%/spool.h \
	%D%/start.c %D%/start.h \
	%D%/stream.c %D%/stream.h \
	%D%/tunnel.c %D%/tunnel.h \
	%D%/turn.c %D%/turn.h \
	%D%/weburl.c %D%/weburl.h \
	%D%/withhold.c %D%/withhold.h

pkglibexec_PROGRAMS += pmg-proxy
pmg_proxy_SOURCES = src/pmg_proxy.c
pmg_proxy_LDADD = $(LINK_PROXY)

libproxy_a_SOURCES += %D%/artifact.c %D%/artifact.h %D%/client_artifact.c %D%/client_document.c

check_PROGRAMS += tests/unit/test_proxy_addresses
tests_unit_test_proxy_addresses_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_ask
tests_unit_test_proxy_ask_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_callers
tests_unit_test_proxy_callers_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_catalog
tests_unit_test_proxy_catalog_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_dates
tests_unit_test_proxy_dates_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_dns
tests_unit_test_proxy_dns_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_filtered
tests_unit_test_proxy_filtered_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_framing
tests_unit_test_proxy_framing_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_gate
tests_unit_test_proxy_gate_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
tests_unit_test_proxy_gate_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pmg_judge_decide
check_PROGRAMS += tests/unit/test_proxy_hosts
tests_unit_test_proxy_hosts_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_http1
tests_unit_test_proxy_http1_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_htmlscan
tests_unit_test_proxy_htmlscan_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_identity
tests_unit_test_proxy_identity_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_inet
tests_unit_test_proxy_inet_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_inflate
tests_unit_test_proxy_inflate_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_jsonscan
tests_unit_test_proxy_jsonscan_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_jsonstrict
tests_unit_test_proxy_jsonstrict_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_learn
tests_unit_test_proxy_learn_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_link
tests_unit_test_proxy_link_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_lookup
tests_unit_test_proxy_lookup_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
tests_unit_test_proxy_lookup_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pmg_refused_resolve
check_PROGRAMS += tests/unit/test_proxy_loop
tests_unit_test_proxy_loop_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_names
tests_unit_test_proxy_names_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_packument
tests_unit_test_proxy_packument_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_weburl
tests_unit_test_proxy_weburl_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_place
tests_unit_test_proxy_place_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_reach
tests_unit_test_proxy_reach_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_refused
tests_unit_test_proxy_refused_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_request
tests_unit_test_proxy_request_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_simple
tests_unit_test_proxy_simple_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_simple_html
tests_unit_test_proxy_simple_html_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_simple_json
tests_unit_test_proxy_simple_json_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_sni
tests_unit_test_proxy_sni_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_spool
tests_unit_test_proxy_spool_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_sniff
tests_unit_test_proxy_sniff_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_splice
tests_unit_test_proxy_splice_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_turn
tests_unit_test_proxy_turn_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_proxy_respond
tests_unit_test_proxy_respond_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)

check_PROGRAMS += tests/fuzz/fuzz_chunked
tests_fuzz_fuzz_chunked_LDADD = $(FUZZ_MAIN) $(LINK_PROXY)
check_PROGRAMS += tests/fuzz/fuzz_dns
tests_fuzz_fuzz_dns_LDADD = $(FUZZ_MAIN) $(LINK_PROXY)
check_PROGRAMS += tests/fuzz/fuzz_htmlscan
tests_fuzz_fuzz_htmlscan_LDADD = $(FUZZ_MAIN) $(LINK_PROXY)
check_PROGRAMS += tests/fuzz/fuzz_http1
tests_fuzz_fuzz_http1_LDADD = $(FUZZ_MAIN) $(LINK_PROXY)
check_PROGRAMS += tests/fuzz/fuzz_identity
tests_fuzz_fuzz_identity_LDADD = $(FUZZ_MAIN) $(LINK_PROXY)
check_PROGRAMS += tests/fuzz/fuzz_jsonscan
tests_fuzz_fuzz_jsonscan_LDADD = $(FUZZ_MAIN) $(LINK_PROXY)
check_PROGRAMS += tests/fuzz/fuzz_jsonstrict
tests_fuzz_fuzz_jsonstrict_LDADD = $(FUZZ_MAIN) $(LINK_PROXY)
check_PROGRAMS += tests/fuzz/fuzz_learn
tests_fuzz_fuzz_learn_LDADD = $(FUZZ_MAIN) $(LINK_PROXY)
check_PROGRAMS += tests/fuzz/fuzz_packument
tests_fuzz_fuzz_packument_LDADD = $(FUZZ_MAIN) $(LINK_PROXY)
check_PROGRAMS += tests/fuzz/fuzz_place
tests_fuzz_fuzz_place_LDADD = $(FUZZ_MAIN) $(LINK_PROXY)
check_PROGRAMS += tests/fuzz/fuzz_simple_html
tests_fuzz_fuzz_simple_html_LDADD = $(FUZZ_MAIN) $(LINK_PROXY)
check_PROGRAMS += tests/fuzz/fuzz_simple_json
tests_fuzz_fuzz_simple_json_LDADD = $(FUZZ_MAIN) $(LINK_PROXY)
check_PROGRAMS += tests/fuzz/fuzz_sni
tests_fuzz_fuzz_sni_LDADD = $(FUZZ_MAIN) $(LINK_PROXY)

# The running proxy, against servers on loopback.
dist_check_SCRIPTS += tests/proxy/forward.py tests/proxy/inspected.py tests/proxy/judged.py tests/proxy/learned.py tests/proxy/tunnel.py tests/proxy/walls.py tests/proxy/withheld.py
EXTRA_DIST += docs/proxy.md tests/proxy/ownnet.py tests/proxy/world.py tests/helper/proxyctl.py

EXTRA_PROGRAMS += bench/splice_bench
CLEANFILES += bench/splice_bench
bench_splice_bench_LDADD = $(LINK_PROXY)

check_PROGRAMS += tests/unit/test_proxy_gate_release
tests_unit_test_proxy_gate_release_LDADD = $(LINK_PROXY) $(CMOCKA_LIBS)
tests_unit_test_proxy_gate_release_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pmg_judge_decide \
	-Wl,--wrap=pmg_judge_trusts
