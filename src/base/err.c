#include "base/err.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	int exit;
} codes[PMG_E_MAX] = {
	[PMG_E_SYS] = { "sys", 125 },
	[PMG_E_USAGE] = { "usage", 121 },
	[PMG_E_CONFIG] = { "config", 121 },
	[PMG_E_PARSE] = { "parse", 125 },
	[PMG_E_LIMIT] = { "limit", 125 },
	[PMG_E_NOTFOUND] = { "notfound", 125 },
	[PMG_E_UNSUPPORTED] = { "unsupported", 120 },
	[PMG_E_NETWORK] = { "network", 125 },
	[PMG_E_TLS] = { "tls", 125 },
	[PMG_E_DB] = { "db", 125 },
	[PMG_E_PEER] = { "peer", 125 },
	[PMG_E_TIMEOUT] = { "timeout", 125 },
	[PMG_E_INTERNAL] = { "internal", 125 },
};

int(pmg_err_set)(struct pmg_err *err, enum pmg_code code, int errnum, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	err->code = code;
	err->errnum = errnum;
	err->diag = 0;
	err->hint[0] = '\0';
	va_start(ap, fmt);
	(void)vsnprintf(err->msg, sizeof err->msg, fmt, ap); /* cut is fine */
	va_end(ap);
	if (errnum != 0) {
		len = strlen(err->msg);
		(void)snprintf(err->msg + len, sizeof err->msg - len, ": %s", strerror(errnum));
	}
	return -(int)code;
}

int(pmg_err_wrap)(struct pmg_err *err, const char *fmt, ...)
{
	char old[sizeof err->msg];
	va_list ap;
	size_t len;

	memcpy(old, err->msg, sizeof old);
	va_start(ap, fmt);
	(void)vsnprintf(err->msg, sizeof err->msg, fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	(void)snprintf(err->msg + len, sizeof err->msg - len, ": %s", old);
	return -(int)err->code;
}

int(pmg_err_hint)(struct pmg_err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(err->hint, sizeof err->hint, fmt, ap);
	va_end(ap);
	return -(int)err->code;
}

int(pmg_err_diag)(struct pmg_err *err, int diag)
{
	err->diag = diag;
	return -(int)err->code;
}

const char *pmg_code_name(enum pmg_code code)
{
	assert(code > 0 && code < PMG_E_MAX);
	return codes[code].name;
}

int pmg_code_exit(enum pmg_code code)
{
	assert(code > 0 && code < PMG_E_MAX);
	return codes[code].exit;
}
