noinst_LIBRARIES += libverdict.a
libverdict_a_SOURCES = %D%/judge.h
