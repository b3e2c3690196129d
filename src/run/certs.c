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

static const char *find(const char *from, const char *end, const char *what)
{
	return memmem(from, (size_t)(end - from), what, strlen(what));
}

/* The first block of a private key, whatever its kind, up to its end or that of the text. */
static char *find_key(char *text, const char *end, const char **after)
{
	static const char begin[] = "-----BEGIN ", dashes[] = "-----", key[] = "PRIVATE KEY";
	const char *start, *label, *close, *stop;

	for (start = find(text, end, begin); start; start = find(close, end, begin)) {
		label = start + strlen(begin);
		close = find(label, end, dashes);
		if (!close)
			return NULL;
		if ((size_t)(close - label) < strlen(key) ||
		    memcmp(close - strlen(key), key, strlen(key)) != 0)
			continue;
		stop = find(close, end, "-----END ");
		stop = stop ? find(stop + strlen("-----END "), end, dashes) : NULL;
		*after = stop ? stop + strlen(dashes) : end;
		return text + (start - text);
	}
	return NULL;
}

/* Keys that lie beside a certificate stay where they are. @return what is left of len bytes */
static size_t without_keys(char *text, size_t len)
{
	const char *after;
	char *from = text, *key;

	while ((key = find_key(from, text + len, &after))) {
		size_t rest = (size_t)(text + len - after);

		memmove(key, after, rest);
		len = (size_t)(key - text) + rest;
		from = key;
	}
	return len;
}

int pmg_certs_write(const struct pmg_folder *folder, const char *ca_pem, const struct pmg_strv *env,
		    struct pmg_err *err)
{
	size_t len = 0;
	pmg_autofree char *own = users_own(env, &len);
	pmg_autofd int fd = pmg_folder_create(folder, PMG_CERTS_EXTRA, err);
	int r = fd < 0 ? fd : pmg_io_write_all(fd, ca_pem, strlen(ca_pem), err);

	if (r == 0 && own)
		r = pmg_io_write_all(fd, own, without_keys(own, len), err);
	return r < 0 ? pmg_err_wrap(err, "%s/%s", folder->path, PMG_CERTS_EXTRA) : 0;
}
