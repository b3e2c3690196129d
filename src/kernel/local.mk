noinst_LIBRARIES += libkernel.a
libkernel_a_SOURCES = %D%/confine.h
