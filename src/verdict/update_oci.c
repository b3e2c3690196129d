#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/str.h"
#include "tls/hasher.h"
#include "verdict/oci.h"
#include "verdict/update_priv.h"

#define STEP 262144U

/* One small document; of a 401 where a token is to be had. */
static int ask(struct pmg_updating *u, const char *url, const char *accept, const char *token,
	       char **text, size_t *len, char **challenge)
{
	pmg_auto(fetch_got) struct pmg_fetch_got got = { 0 };
	pmg_autofree char *to = pmg_xasprintf("%s.answer", u->data);
	struct pmg_fetch_want want = { .url = url,
				       .to = to,
				       .accept = accept,
				       .authorization = token,
				       .max = PMG_OCI_MANIFEST_MAX };
	int r = pmg_updating_fetch(u, &want, &got);

	if (r == 0)
		r = pmg_io_slurp(to, PMG_OCI_MANIFEST_MAX, text, len, u->err);
	if (r < 0 && got.status == 401 && challenge)
		*challenge = pmg_steal_ptr(&got.challenge);
	(void)unlink(to);
	pmg_fetch_forget(to);
	return r;
}

static int get_token(struct pmg_updating *u, const char *challenge, const char *base, char **token)
{
	pmg_autofree char *url = NULL;
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = pmg_oci_token_url(challenge, base, &url, u->err);

	if (r == 0)
		r = ask(u, url, NULL, NULL, &text, &len, NULL);
	return r < 0 ? r : pmg_oci_token(text, len, token, u->err);
}

/* Who is not known is told where everybody gets a token; then it is asked once more. */
static int get_manifest(struct pmg_updating *u, const struct pmg_oci *oci, char **token,
			struct pmg_oci_blob *blob)
{
	pmg_autofree char *url = pmg_xasprintf("%smanifests/%s", oci->base, oci->reference);
	pmg_autofree char *challenge = NULL;
	pmg_autofree char *text = NULL;
	size_t len = 0;
	int r = ask(u, url, PMG_OCI_ACCEPT, NULL, &text, &len, &challenge);

	if (r < 0 && challenge) {
		r = get_token(u, challenge, oci->base, token);
		if (r == 0)
			r = ask(u, url, PMG_OCI_ACCEPT, *token, &text, &len, NULL);
	}
	return r < 0 ? r : pmg_oci_blob(text, len, blob, u->err);
}

static int check_digest(struct pmg_updating *u, const char *path, const char *sha256)
{
	pmg_auto(hasher) struct pmg_hasher *hasher = NULL;
	pmg_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	pmg_autofree char *buf = pmg_xmalloc(STEP);
	unsigned char digest[PMG_HASHER_MAX];
	pmg_autofree char *hex = NULL;
	ssize_t n = 1;
	int r = pmg_hasher_new(256, &hasher, u->err);

	while (r == 0 && n > 0) {
		n = fd < 0 ? -1 : read(fd, buf, STEP);
		if (n < 0)
			return pmg_err_set(u->err, PMG_E_SYS, errno, "%s", path);
		r = pmg_hasher_add(hasher, buf, (size_t)n, u->err);
	}
	if (r == 0)
		r = pmg_hasher_end(hasher, digest, u->err);
	if (r < 0)
		return r;
	hex = pmg_hex(digest, 32);
	return strcmp(hex, sha256) == 0
		       ? 0
		       : pmg_err_set(u->err, PMG_E_NETWORK, 0,
				     "the layer is not the one that the manifest names");
}

int pmg_updating_blob(struct pmg_updating *u, bool *unchanged)
{
	pmg_auto(fetch_got) struct pmg_fetch_got got = { 0 };
	pmg_auto(oci) struct pmg_oci oci = { 0 };
	struct pmg_oci_blob blob;
	pmg_autofree char *token = NULL;
	pmg_autofree char *url = NULL;
	struct pmg_fetch_want want = { .to = u->data };
	int r = pmg_oci_parse(u->feed->url, &oci, u->err);

	if (r < 0)
		return pmg_err_as(u->err, PMG_E_CONFIG);
	r = get_manifest(u, &oci, &token, &blob);
	if (r < 0)
		return r;
	*unchanged = !u->up->full && pmg_streq(u->state.etag, blob.sha256);
	if (*unchanged)
		return 0;
	if (blob.size > PMG_UPDATE_FILE_MAX)
		return pmg_err_set(u->err, PMG_E_LIMIT, 0, "the layer is too large");
	url = pmg_xasprintf("%sblobs/sha256:%s", oci.base, blob.sha256);
	want.url = url;
	want.authorization = token;
	want.max = blob.size;
	r = pmg_updating_fetch(u, &want, &got);
	if (r == 0)
		r = check_digest(u, u->data, blob.sha256);
	if (r < 0) {
		(void)unlink(u->data);
		return r;
	}
	free(u->state.etag);
	free(pmg_steal_ptr(&u->state.last_modified));
	u->state.etag = pmg_xstrdup(blob.sha256);
	return 0;
}
