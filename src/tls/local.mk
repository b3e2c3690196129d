noinst_LIBRARIES += libtls.a
libtls_a_SOURCES = %D%/bundle.h %D%/ca.h %D%/conn.h
