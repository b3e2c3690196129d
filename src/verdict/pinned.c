#include "verdict/pinned.h"

#include <string.h>

#include "base/str.h"
#include "verdict/digest.h"

/* "sha512-BASE64" of npm's kin, "sha256:HEX" of Python's. @return false: neither */
static bool read_hash(const char *word, struct pmg_digest *out)
{
	static const struct {
		const char *prefix;
		enum pmg_digest_alg alg;
	} kinds[] = { { "sha256:", PMG_DIGEST_SHA256 }, { "sha512:", PMG_DIGEST_SHA512 } };
	struct pmg_err scratch = PMG_ERR_INIT;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(kinds); i++)
		if (pmg_str_has_prefix(word, kinds[i].prefix))
			return pmg_digest_hex(kinds[i].alg, word + strlen(kinds[i].prefix), out,
					      &scratch) == 0;
	return pmg_digest_sri(word, out, &scratch) == 0;
}

/* The next one into the question. @return false: there is none */
static bool next_hash(const struct pmg_strv *words, size_t *at, struct pmg_digest *digest,
		      struct pmg_question *q)
{
	while (*at < words->n) {
		if (!read_hash(words->v[(*at)++], digest))
			continue;
		q->sha256 = digest->alg == PMG_DIGEST_SHA256 ? digest->bytes : NULL;
		q->sha512 = digest->alg == PMG_DIGEST_SHA512 ? digest->bytes : NULL;
		return true;
	}
	return false;
}

int pmg_pinned_judge(struct pmg_judge *judge, const struct pmg_question *what, const char *hashes,
		     struct pmg_judgement *out, struct pmg_err *err)
{
	struct pmg_question q = *what;
	pmg_auto(strv) struct pmg_strv words = { 0 };
	pmg_auto(judgement) struct pmg_judgement judgement = { 0 };
	struct pmg_digest digest;
	size_t at = 0;
	int r;

	q.any_version = true;
	if (q.version && !*q.version)
		q.version = NULL;
	if (hashes)
		pmg_strv_split(&words, hashes, " ");
	(void)next_hash(&words, &at, &digest, &q); /* without one, the name alone */
	do {
		pmg_judgement_done(&judgement);
		r = pmg_judge_decide(judge, &q, &judgement, err);
	} while (r == 0 && judgement.verdict == PMG_VERDICT_ALLOW &&
		 next_hash(&words, &at, &digest, &q));
	if (r < 0)
		return r;
	*out = judgement;
	judgement = (struct pmg_judgement){ 0 };
	return 0;
}
