#ifndef PMG_BASE_LOG_H
#define PMG_BASE_LOG_H
/** Debug log on stderr, off unless --debug. Library folders may call it; nothing else prints. */
#include <stdbool.h>

#include "base/err.h"

void pmg_log_enable(const char *program, bool on); /* program: literal, shown in each line */
/** One line "pmg[debug]: ..."; outside text must be quoted by the caller. Keeps errno. */
void pmg_log_debug(const char *fmt, ...) PMG_PRINTF(1, 2);

#endif
