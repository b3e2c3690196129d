#include "verdict/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "verdict/gates.h"

#define FORMAT  "pmg-index"
#define VERSION 1

static const char name_letters[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
static const char *const known[] = { "format",   "version", "file",    "size", "sha256",
				     "sequence", "created", "expires", "key",  "signature" };

bool pmg_manifest_file_is_valid(const char *name)
{
	size_t len = strspn(name, name_letters);

	return len > 0 && len <= PMG_MANIFEST_FILE_MAX && name[len] == '\0' && name[0] != '.';
}

static int wrong(struct pmg_err *err, const char *name, const char *key)
{
	return pmg_err_set(err, PMG_E_PARSE, 0, "%s: \"%s\" is missing, or not what it has to be",
			   name, key);
}

static int check_keys(const char *name, const struct json_t *json, struct pmg_err *err)
{
	size_t i;

	if (!pmg_json_is_object(json))
		return pmg_err_set(err, PMG_E_PARSE, 0, "%s: not a manifest", name);
	pmg_json_object_each (json, it) {
		const char *key = pmg_json_iter_key(it);

		for (i = 0; i < PMG_ARRAY_LEN(known) && strcmp(known[i], key) != 0; i++)
			;
		if (i == PMG_ARRAY_LEN(known)) {
			pmg_autofree char *shown = pmg_str_quote(key, strlen(key), 64);

			return pmg_err_set(err, PMG_E_PARSE, 0, "%s: unknown key \"%s\"", name,
					   shown);
		}
	}
	if (!pmg_streq(pmg_json_str(json, "format"), FORMAT) ||
	    pmg_json_int(json, "version") != VERSION)
		return pmg_err_set(err, PMG_E_PARSE, 0,
				   "%s: not a manifest of \"" FORMAT "\", version %d", name,
				   VERSION);
	return 0;
}

/* A text of certain letters. */
static bool copy(const struct json_t *json, const char *key, const char *letters, size_t min,
		 size_t max, char *out)
{
	const char *text = pmg_json_str(json, key);
	size_t len = text ? strlen(text) : 0;

	if (len < min || len > max || strspn(text, letters) != len)
		return false;
	memcpy(out, text, len + 1);
	return true;
}

static bool number(const struct json_t *json, const char *key, uint64_t *out)
{
	int64_t n = pmg_json_int(json, key);

	*out = (uint64_t)n;
	return pmg_json_is_int(pmg_json_get(json, key)) && n >= 0;
}

/* Only as pmg_clock_format() writes it: the signed text has no other. */
static bool date(const struct json_t *json, const char *key, int64_t *out)
{
	const char *text = pmg_json_str(json, key);
	char again[PMG_RFC3339_LEN];

	if (!text || pmg_clock_parse(text, out) < 0)
		return false;
	pmg_clock_format(*out, again);
	return strcmp(text, again) == 0;
}

int pmg_manifest_parse(const char *name, const char *text, size_t len, struct pmg_manifest *out,
		       struct pmg_err *err)
{
	static const char hex[] = "0123456789abcdef";
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_manifest m = { .size = 0 };
	const char *signature;
	int r = pmg_json_parse(name, text, len, &json, err);

	if (r == 0)
		r = check_keys(name, json, err);
	if (r < 0)
		return r;
	if (!copy(json, "file", name_letters, 1, PMG_MANIFEST_FILE_MAX, m.file) ||
	    !pmg_manifest_file_is_valid(m.file))
		return wrong(err, name, "file");
	if (!number(json, "size", &m.size))
		return wrong(err, name, "size");
	if (!copy(json, "sha256", hex, PMG_SHA256_HEX - 1, PMG_SHA256_HEX - 1, m.sha256))
		return wrong(err, name, "sha256");
	if (!number(json, "sequence", &m.sequence))
		return wrong(err, name, "sequence");
	if (!date(json, "created", &m.created))
		return wrong(err, name, "created");
	if (!date(json, "expires", &m.expires))
		return wrong(err, name, "expires");
	if (!copy(json, "key", hex, PMG_KEY_ID_LEN - 1, PMG_KEY_ID_LEN - 1, m.key))
		return wrong(err, name, "key");
	signature = pmg_json_str(json, "signature");
	if (!signature ||
	    !pmg_base64_read(signature, strlen(signature), m.signature, sizeof m.signature))
		return wrong(err, name, "signature");
	*out = m;
	return 0;
}

char *pmg_manifest_format(const struct pmg_manifest *m)
{
	pmg_auto(json) struct json_t *json = pmg_json_object();
	pmg_autofree char *signature = pmg_base64(m->signature, sizeof m->signature);
	pmg_autofree char *line = NULL;
	char created[PMG_RFC3339_LEN], expires[PMG_RFC3339_LEN];

	pmg_clock_format(m->created, created);
	pmg_clock_format(m->expires, expires);
	pmg_json_set_str(json, "format", FORMAT);
	pmg_json_set_int(json, "version", VERSION);
	pmg_json_set_str(json, "file", m->file);
	pmg_json_set_count(json, "size", m->size);
	pmg_json_set_str(json, "sha256", m->sha256);
	pmg_json_set_count(json, "sequence", m->sequence);
	pmg_json_set_str(json, "created", created);
	pmg_json_set_str(json, "expires", expires);
	pmg_json_set_str(json, "key", m->key);
	pmg_json_set_str(json, "signature", signature);
	line = pmg_json_dump(json);
	return pmg_xasprintf("%s\n", line);
}

/* What is signed. Its first line keeps it from being taken for anything else that is signed. No
 * value can hold a new line, so no two manifests have one text. */
static char *signed_text(const struct pmg_manifest *m)
{
	char created[PMG_RFC3339_LEN], expires[PMG_RFC3339_LEN];

	pmg_clock_format(m->created, created);
	pmg_clock_format(m->expires, expires);
	return pmg_xasprintf("pmg index manifest 1\nfile %s\nsize %llu\nsha256 %s\nsequence %llu\n"
			     "created %s\nexpires %s\nkey %s\n",
			     m->file, (unsigned long long)m->size, m->sha256,
			     (unsigned long long)m->sequence, created, expires, m->key);
}

int pmg_manifest_sign(struct pmg_manifest *m, const struct pmg_sign_key *key, struct pmg_err *err)
{
	struct pmg_pubkey public = { .id = "" };
	pmg_autofree char *text = NULL;

	pmg_sign_public(key, &public);
	memcpy(m->key, public.id, sizeof m->key);
	text = signed_text(m);
	return pmg_sign(key, text, strlen(text), m->signature, err);
}

static int refuse(struct pmg_err *err, const char *hint)
{
	(void)pmg_err_hint(err, "%s", hint);
	return pmg_err_diag(err, PMG_DIAG_FEED);
}

static int check_dates(const struct pmg_manifest *m, int64_t now, struct pmg_err *err)
{
	char clock[PMG_RFC3339_LEN], when[PMG_RFC3339_LEN];

	pmg_clock_format(now, clock);
	pmg_clock_format(now >= m->expires ? m->expires : m->created, when);
	if (now >= m->expires)
		(void)pmg_err_set(err, PMG_E_PARSE, 0,
				  "the index expired at %s; this machine's clock says %s", when,
				  clock);
	else if (m->created - now > PMG_MANIFEST_AHEAD_S)
		(void)pmg_err_set(err, PMG_E_PARSE, 0,
				  "the index was made at %s; this machine's clock says %s", when,
				  clock);
	else
		return 0;
	return refuse(err, "get a newer one from who signs it, and look at the clock");
}

int pmg_manifest_verify(const struct pmg_manifest *m, const struct pmg_pubkey *keys, size_t n,
			int64_t now, struct pmg_err *err)
{
	pmg_autofree char *text = signed_text(m);
	struct pmg_err why = PMG_ERR_INIT;
	bool named = false;
	size_t i;

	for (i = 0; i < n; i++) {
		named = named || strcmp(keys[i].id, m->key) == 0;
		if (strcmp(keys[i].id, m->key) == 0 &&
		    pmg_verify(&keys[i], text, strlen(text), m->signature, &why) == 0)
			return check_dates(m, now, err);
	}
	(void)pmg_err_set(err, PMG_E_PARSE, 0,
			  named ? "the signature is not that of the key %s"
				: "signed by the key %s, which is none of those that are pinned",
			  m->key);
	return refuse(err, "somebody has changed it on its way, or it is another publisher's");
}
