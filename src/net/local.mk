noinst_LIBRARIES += libnet.a
libnet_a_SOURCES = %D%/upstream.h
