#include "run/certs.h"

#include <string.h>

#include "base/env.h"
#include "base/io.h"
#include "base/log.h"

/* The text of the user's file; NULL when there is none to be had. */
static char *users_own(const struct pmg_strv *env, size_t *len)
{
	const char *path = pmg_env_get(env, "NODE_EXTRA_CA_CERTS");
	struct pmg_err scratch = PMG_ERR_INIT;
	char *text = NULL;

	if (!path || !*path)
		return NULL;
	if (pmg_io_slurp(path, PMG_CERTS_MAX, &text, len, &scratch) < 0)
		pmg_log_debug("NODE_EXTRA_CA_CERTS: %s", scratch.msg);
	return text;
}

int pmg_certs_write(const struct pmg_folder *folder, const char *ca_pem, const struct pmg_strv *env,
		    struct pmg_err *err)
{
	size_t len = 0;
	pmg_autofree char *own = users_own(env, &len);
	pmg_autofd int fd = pmg_folder_create(folder, PMG_CERTS_EXTRA, err);
	int r = fd < 0 ? fd : pmg_io_write_all(fd, ca_pem, strlen(ca_pem), err);

	if (r == 0 && own)
		r = pmg_io_write_all(fd, own, len, err);
	return r < 0 ? pmg_err_wrap(err, "%s/%s", folder->path, PMG_CERTS_EXTRA) : 0;
}
