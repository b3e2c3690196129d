noinst_LIBRARIES += libpm.a
libpm_a_SOURCES = %D%/pm.h %D%/version.h
