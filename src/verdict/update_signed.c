#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "verdict/index.h"
#include "verdict/signed.h"
#include "verdict/update_priv.h"

static int read_manifest(struct pmg_updating *u, const char *path, struct pmg_manifest *out)
{
	struct pmg_pubkey keys[PMG_CONFIG_PUBKEYS_MAX];
	pmg_autofree char *text = NULL;
	size_t len = 0, i;
	int r = 0;

	for (i = 0; r == 0 && i < u->feed->pubkeys.n; i++)
		r = pmg_pubkey_read(u->feed->pubkeys.v[i], u->feed->pubkeys.v[i], &keys[i], u->err);
	if (r < 0)
		return pmg_err_as(u->err, PMG_E_CONFIG);
	r = pmg_io_slurp(path, PMG_MANIFEST_MAX, &text, &len, u->err);
	if (r == 0)
		r = pmg_manifest_parse(u->feed->url, text, len, out, u->err);
	return r < 0 ? r : pmg_manifest_verify(out, keys, u->feed->pubkeys.n, u->up->now, u->err);
}

/* Is it what was taken last, and still in its place? */
static bool is_present(const struct pmg_updating *u, const struct pmg_manifest *m)
{
	pmg_auto(index) struct pmg_index *index = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;
	char sha256[PMG_SHA256_HEX];
	uint64_t sequence;

	return pmg_signed_last(u->up->index, &sequence, sha256) && sequence == m->sequence &&
	       strcmp(sha256, m->sha256) == 0 &&
	       pmg_index_open(u->up->index, &index, &scratch) == 0 &&
	       pmg_index_built(index) == u->state.imported;
}

static int take(struct pmg_updating *u, const char *path, const struct pmg_manifest *m)
{
	pmg_auto(index) struct pmg_index *index = NULL;
	int r = pmg_signed_take(u->up->index, path, m, u->up->accept, u->err);

	if (r == 0)
		r = pmg_index_open(u->up->index, &index, u->err);
	if (r < 0)
		return r;
	u->state.imported = pmg_index_built(index);
	u->report->kind = PMG_UPDATE_WHOLE;
	return 0;
}

static int fetch_file(struct pmg_updating *u, const struct pmg_manifest *m)
{
	pmg_auto(fetch_got) struct pmg_fetch_got got = { 0 };
	pmg_autofree char *url = pmg_updating_beside(u->feed->url, m->file);
	struct pmg_fetch_want want = { .url = url, .to = u->data, .max = m->size };

	return pmg_updating_fetch(u, &want, &got);
}

static int fetch_manifest(struct pmg_updating *u, const char *to)
{
	pmg_auto(fetch_got) struct pmg_fetch_got got = { 0 };
	struct pmg_fetch_want want = { .url = u->feed->url, .to = to, .max = PMG_MANIFEST_MAX };

	return pmg_updating_fetch(u, &want, &got);
}

int pmg_updating_signed(struct pmg_updating *u)
{
	bool local = pmg_str_has_prefix(u->feed->url, PMG_UPDATING_FILE);
	const char *path = u->feed->url + (local ? strlen(PMG_UPDATING_FILE) : 0);
	pmg_autofree char *fetched = pmg_xasprintf("%s.manifest", u->data);
	struct pmg_manifest m;
	int r = local ? 0 : fetch_manifest(u, fetched);

	if (r == 0)
		r = read_manifest(u, local ? path : fetched, &m);
	(void)unlink(fetched);
	if (r == 0)
		r = pmg_signed_check_sequence(u->up->index, &m, u->err);
	if (r == 0 && (u->up->full || !is_present(u, &m))) {
		pmg_autofree char *file = pmg_updating_beside(path, m.file);

		r = local ? 0 : fetch_file(u, &m);
		if (r == 0)
			r = take(u, local ? file : u->data, &m);
		if (!local)
			(void)unlink(u->data);
	}
	if (r < 0)
		return r;
	u->state.checked = u->state.whole_at = u->up->now;
	return pmg_updating_save(u);
}
