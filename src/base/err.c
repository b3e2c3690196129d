#include "base/err.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const int exits[PMG_E_MAX] = {
	[PMG_E_SYS] = PMG_EXIT_INTERNAL,
	[PMG_E_USAGE] = PMG_EXIT_CONFIG,
	[PMG_E_CONFIG] = PMG_EXIT_CONFIG,
	[PMG_E_PARSE] = PMG_EXIT_INTERNAL,
	[PMG_E_LIMIT] = PMG_EXIT_INTERNAL,
	[PMG_E_NOTFOUND] = PMG_EXIT_INTERNAL,
	[PMG_E_UNSUPPORTED] = PMG_EXIT_UNAVAILABLE,
	[PMG_E_NETWORK] = PMG_EXIT_INTERNAL,
	[PMG_E_TLS] = PMG_EXIT_INTERNAL,
	[PMG_E_DB] = PMG_EXIT_INTERNAL,
	[PMG_E_PEER] = PMG_EXIT_INTERNAL,
	[PMG_E_TIMEOUT] = PMG_EXIT_INTERNAL,
	[PMG_E_INTERNAL] = PMG_EXIT_INTERNAL,
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

int(pmg_err_as)(struct pmg_err *err, enum pmg_code code)
{
	err->code = code;
	return -(int)code;
}

void pmg_diag_text(int diag, char out[PMG_DIAG_LEN])
{
	(void)snprintf(out, PMG_DIAG_LEN, "PMG%04d", diag);
}

int pmg_code_exit(enum pmg_code code)
{
	assert(code > 0 && code < PMG_E_MAX);
	return exits[code];
}
