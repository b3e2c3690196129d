#include "tls/openssl_priv.h"

#include <openssl/err.h>

int pmg_tls_fail(struct pmg_err *err, const char *what)
{
	unsigned long last = ERR_peek_last_error();
	const char *reason = last ? ERR_reason_error_string(last) : NULL;

	ERR_clear_error();
	return pmg_err_set(err, PMG_E_TLS, 0, "%s: %s", what, reason ? reason : "unknown reason");
}
