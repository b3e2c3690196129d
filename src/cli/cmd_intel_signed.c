/* An index that is handed to others, and one that is taken from others. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/cmd_intel.h"
#include "conf/dirs.h"
#include "conf/units.h"
#include "verdict/signed.h"

#define KEY_MAX     65536U
#define EXPIRES_S   (30ULL * 86400U)
#define EXPIRES_MAX (3650ULL * 86400U)

static struct json_t *file_json(const char *path, const struct pmg_manifest *m)
{
	struct json_t *json = pmg_json_object();

	pmg_json_set_str(json, "file", path);
	pmg_json_set_str(json, "sha256", m->sha256);
	pmg_json_set_count(json, "size", m->size);
	return json;
}

static void print_manifest(const struct pmg_out *out, const char *what, const char *path,
			   const struct pmg_manifest *m, bool as_json)
{
	pmg_auto(json) struct json_t *json = file_json(path, m);
	char created[PMG_RFC3339_LEN], expires[PMG_RFC3339_LEN];
	pmg_autofree char *safe = pmg_out_quote(path);

	pmg_clock_format(m->created, created);
	pmg_clock_format(m->expires, expires);
	if (!as_json) {
		(void)fprintf(out->to, "%s %s: sequence %" PRIu64 ", key %s, expires %s\n", what,
			      safe, m->sequence, m->key, expires);
		return;
	}
	pmg_json_set_count(json, "sequence", m->sequence);
	pmg_json_set_str(json, "created", created);
	pmg_json_set_str(json, "expires", expires);
	pmg_json_set_str(json, "key", m->key);
	pmg_out_json(out, json);
}

static void print_unsigned(const struct pmg_out *out, const char *path,
			   const struct pmg_manifest *m, bool as_json)
{
	pmg_auto(json) struct json_t *json = file_json(path, m);
	pmg_autofree char *safe = pmg_out_quote(path);

	if (as_json)
		pmg_out_json(out, json);
	else
		(void)fprintf(out->to, "wrote %s: %.1f MB, not signed\n", safe,
			      (double)m->size / 1e6);
}

/* What it is good for. */
static void note_import(const struct pmg_out *out, const char *path, bool is_signed)
{
	pmg_autofree char *safe = pmg_out_quote(path);

	if (is_signed)
		pmg_out_note(out,
			     "to take it elsewhere: `pmg intel import --manifest %s.json --pubkey "
			     "KEY`",
			     safe);
	else
		pmg_out_note(out,
			     "to take it elsewhere: `pmg intel import --accept %s`; with --sign "
			     "they would know that it is yours",
			     safe);
}

static int read_sign_key(const char *path, struct pmg_sign_key **out, struct pmg_err *err)
{
	char *text = NULL;
	size_t len = 0;
	int r = pmg_io_slurp(path, KEY_MAX, &text, &len, err);

	if (r == 0)
		r = pmg_sign_key_read(path, text, len, out, err);
	if (text)
		explicit_bzero(text, len);
	free(text);
	return r == -PMG_E_NOTFOUND || r == -PMG_E_PARSE ? pmg_err_as(err, PMG_E_USAGE) : r;
}

int pmg_cmd_intel_export(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_intel_export_opts *opts = call->opts;
	const struct pmg_cmd_settings *settings = call->settings;
	pmg_auto(intel_place) struct pmg_intel_place place = { 0 };
	pmg_auto(sign_key) struct pmg_sign_key *key = NULL;
	int64_t now = pmg_intel_date();
	struct pmg_manifest m = { .created = now,
				  .sequence = opts->sequence ? opts->sequence : (uint64_t)now };
	uint64_t expires = EXPIRES_S;
	int r = pmg_intel_place_find(&place, err);

	if (r == 0 && opts->expires &&
	    (pmg_duration_parse(opts->expires, EXPIRES_MAX, &expires) < 0 || expires == 0))
		r = pmg_err_set(
			err, PMG_E_USAGE, 0,
			"--expires is a duration with its unit, like 30d, of ten years at most");
	if (r == 0 && opts->sign)
		r = read_sign_key(opts->sign, &key, err);
	m.expires = now + (int64_t)expires;
	if (r == 0)
		r = pmg_signed_export(place.index, call->operands[0], &m, key, err);
	if (r < 0)
		return r;
	if (key)
		print_manifest(call->out, "signed", call->operands[0], &m, opts->json);
	else
		print_unsigned(call->out, call->operands[0], &m, opts->json);
	if (!settings->quiet && !opts->json)
		note_import(call->out, call->operands[0], key != NULL);
	return 0;
}

/* A file, or the key itself. */
static int read_pubkey(const char *text, struct pmg_pubkey *out, struct pmg_err *err)
{
	struct pmg_err scratch = PMG_ERR_INIT;
	pmg_autofree char *held = NULL;
	size_t len = 0;
	int r = pmg_io_slurp(text, PMG_PUBKEY_MAX, &held, &len, &scratch);

	r = pmg_pubkey_read(text, r == 0 ? held : text, out, err);
	return r < 0 ? pmg_err_as(err, PMG_E_USAGE) : 0;
}

static int read_manifest(const char *path, const struct pmg_strv *texts, struct pmg_manifest *out,
			 struct pmg_err *err)
{
	struct pmg_pubkey keys[PMG_CONFIG_PUBKEYS_MAX];
	pmg_autofree char *text = NULL;
	size_t len = 0, i;
	int r = 0;

	if (texts->n == 0 || texts->n > PMG_CONFIG_PUBKEYS_MAX) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "--manifest needs one or two --pubkey");
		return pmg_err_hint(err, "whose signature is to be believed? Two while a publisher "
					 "changes the key");
	}
	for (i = 0; r == 0 && i < texts->n; i++)
		r = read_pubkey(texts->v[i], &keys[i], err);
	if (r == 0)
		r = pmg_io_slurp(path, PMG_MANIFEST_MAX, &text, &len, err);
	if (r == 0)
		r = pmg_manifest_parse(path, text, len, out, err);
	return r < 0 ? r : pmg_manifest_verify(out, keys, texts->n, pmg_clock_now(), err);
}

int pmg_intel_import_signed(const struct pmg_call *call, struct pmg_err *err)
{
	const struct pmg_intel_import_opts *opts = call->opts;
	pmg_auto(intel_place) struct pmg_intel_place place = { 0 };
	pmg_autofree char *dir = pmg_path_dir(opts->manifest);
	pmg_autofree char *beside = NULL;
	struct pmg_manifest m;
	int r;

	if (opts->name || opts->ecosystem)
		return pmg_err_set(err, PMG_E_USAGE, 0,
				   "--name and --ecosystem are for feeds, not for a signed index");
	r = read_manifest(opts->manifest, &opts->pubkeys, &m, err);
	if (r == 0)
		r = pmg_intel_place_find(&place, err);
	if (r == 0)
		r = pmg_dirs_make(place.state, err);
	if (r < 0)
		return r;
	beside = pmg_path_join(dir, m.file);
	r = pmg_signed_take(place.index, call->n_operands ? call->operands[0] : beside, &m,
			    opts->accept, err);
	if (r < 0)
		return r;
	print_manifest(call->out, "taken", call->n_operands ? call->operands[0] : beside, &m,
		       opts->json);
	return 0;
}
