noinst_LIBRARIES += libtls.a
libtls_a_SOURCES = \
	%D%/anchors.c %D%/anchors.h %D%/bundle.c %D%/bundle.h %D%/bundle_priv.h %D%/ca.c %D%/ca.h %D%/cert.c %D%/cert_priv.h \
	%D%/conn.c %D%/conn.h %D%/hasher.c %D%/hasher.h %D%/openssl.c %D%/openssl_priv.h %D%/pem.c %D%/pem.h %D%/sign.c %D%/sign.h

check_PROGRAMS += tests/unit/test_tls_anchors tests/unit/test_tls_bundle tests/unit/test_tls_ca \
	tests/unit/test_tls_cert tests/unit/test_tls_conn tests/unit/test_tls_openssl \
	tests/unit/test_tls_hasher tests/unit/test_tls_pem tests/unit/test_tls_sign
tests_unit_test_tls_anchors_LDADD = $(LINK_TLS) $(CMOCKA_LIBS)
tests_unit_test_tls_bundle_LDADD = $(LINK_TLS) $(CMOCKA_LIBS)
tests_unit_test_tls_ca_SOURCES = tests/unit/test_tls_ca.c \
	tests/helper/scripted.c tests/helper/scripted.h
tests_unit_test_tls_ca_LDADD = $(LINK_TLS) $(CMOCKA_LIBS)
tests_unit_test_tls_cert_LDADD = $(LINK_TLS) $(CMOCKA_LIBS)
tests_unit_test_tls_conn_LDADD = $(LINK_TLS) $(CMOCKA_LIBS)
tests_unit_test_tls_hasher_LDADD = $(LINK_TLS) $(CMOCKA_LIBS)
tests_unit_test_tls_openssl_LDADD = $(LINK_TLS) $(CMOCKA_LIBS)
tests_unit_test_tls_sign_LDADD = $(LINK_TLS) $(CMOCKA_LIBS)
tests_unit_test_tls_pem_LDADD = $(LINK_TLS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/fuzz/fuzz_pem
tests_fuzz_fuzz_pem_LDADD = $(FUZZ_MAIN) $(LINK_TLS)
