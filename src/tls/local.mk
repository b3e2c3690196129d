noinst_LIBRARIES += libtls.a
libtls_a_SOURCES = \
	%D%/bundle.h %D%/ca.c %D%/ca.h %D%/cert.c %D%/cert_priv.h \
	%D%/conn.c %D%/conn.h %D%/openssl.c %D%/openssl_priv.h

check_PROGRAMS += tests/unit/test_tls_ca tests/unit/test_tls_conn
tests_unit_test_tls_ca_LDADD = $(LINK_TLS) $(CMOCKA_LIBS)
tests_unit_test_tls_conn_LDADD = $(LINK_TLS) $(CMOCKA_LIBS)
