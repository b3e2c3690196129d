#include "base/log.h"

#include <errno.h>
#include <stdio.h>

#include "base/io.h"

static const char *log_program = "pmg";
static bool log_on;

void pmg_log_enable(const char *program, bool on)
{
	log_program = program;
	log_on = on;
}

void pmg_log_debug(const char *fmt, ...)
{
	struct pmg_err scratch = PMG_ERR_INIT;
	char line[1024];
	int saved = errno, head, body;
	va_list ap;

	if (!log_on)
		return;
	head = snprintf(line, sizeof line, "%s[debug]: ", log_program);
	va_start(ap, fmt);
	body = vsnprintf(line + head, sizeof line - (size_t)head - 1, fmt, ap);
	va_end(ap);
	if (head < 0 || body < 0)
		return;
	head += body;
	if ((size_t)head > sizeof line - 2)
		head = (int)sizeof line - 2;
	line[head++] = '\n';
	(void)!pmg_io_write_all(2, line, (size_t)head, &scratch); /* nowhere to report to */
	errno = saved;
}
