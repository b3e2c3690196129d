noinst_LIBRARIES += librun.a
librun_a_SOURCES =
