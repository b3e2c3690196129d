noinst_LIBRARIES += libstore.a
libstore_a_SOURCES = %D%/stmt.c %D%/store.c %D%/store.h %D%/store_priv.h

check_PROGRAMS += tests/unit/test_store_store
tests_unit_test_store_store_LDADD = $(LINK_STORE) $(CMOCKA_LIBS)
