noinst_LIBRARIES += libviolation.a
libviolation_a_SOURCES = %D%/wire.h
