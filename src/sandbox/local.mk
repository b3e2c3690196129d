noinst_LIBRARIES += libsandbox.a
libsandbox_a_SOURCES = %D%/broker_priv.h %D%/driver.h %D%/sandbox.h %D%/walls_priv.h
