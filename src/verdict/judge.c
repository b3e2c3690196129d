#include "verdict/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "conf/managed.h"
#include "pm/version.h"
#include "verdict/blocklist.h"
#include "verdict/index.h"

struct pmg_judge {
	struct pmg_index *index; /* NULL: there is none */
	struct pmg_blocklist blocklist;
	struct pmg_blocklist managed;
};

static const char *const verdicts[] = {
	[PMG_VERDICT_ALLOW] = "allow",
	[PMG_VERDICT_BLOCK] = "block",
	[PMG_VERDICT_INDETERMINATE] = "indeterminate",
};

static const struct {
	int diag;
	const char *text;
} reasons[PMG_REASON_MAX] = {
	[PMG_REASON_NONE] = { 0, "nothing known against it" },
	[PMG_REASON_MALWARE] = { 3001, "known malware" },
	[PMG_REASON_BLOCKLIST] = { 3006, "on your block list" },
	[PMG_REASON_MANAGED] = { 3006, "blocked by managed policy" },
	[PMG_REASON_INDETERMINATE] = { 3005, "its name or version cannot be read" },
};

const char *pmg_verdict_name(enum pmg_verdict verdict)
{
	return verdicts[verdict];
}

int pmg_reason_diag(enum pmg_reason reason)
{
	return reasons[reason].diag;
}

const char *pmg_reason_text(enum pmg_reason reason)
{
	return reasons[reason].text;
}

void pmg_judgement_done(struct pmg_judgement *judgement)
{
	pmg_strv_done(&judgement->ids);
	pmg_strv_done(&judgement->sources);
	free(judgement->rule);
	free(judgement->note);
	*judgement = (struct pmg_judgement){ 0 };
}

void pmg_judge_close(struct pmg_judge *judge)
{
	if (!judge)
		return;
	pmg_index_close(judge->index);
	pmg_blocklist_done(&judge->blocklist);
	pmg_blocklist_done(&judge->managed);
	free(judge);
}

int pmg_judge_open(const char *index_path, const char *blocklist_path, struct pmg_judge **out,
		   struct pmg_err *err)
{
	pmg_auto(judge) struct pmg_judge *judge = pmg_xcalloc(1, sizeof *judge);
	int r = pmg_index_open(index_path, &judge->index, err);

	if (r < 0 && r != -PMG_E_NOTFOUND)
		return r;
	r = pmg_blocklist_load(blocklist_path, &judge->blocklist, err);
	if (r < 0)
		return r;
	*out = pmg_steal_ptr(&judge);
	return 0;
}

int pmg_judge_add_managed(struct pmg_judge *judge, const char *path, struct pmg_err *err)
{
	pmg_auto(managed) struct pmg_managed managed = { 0 };
	int r = pmg_managed_load(path, &managed, err);

	return r < 0 ? r : pmg_blocklist_managed(&managed, &judge->managed, err);
}

void pmg_judge_info(const struct pmg_judge *judge, struct pmg_index_info *out)
{
	*out = (struct pmg_index_info){ .blocklist = judge->blocklist.n + judge->managed.n };
	if (!judge->index)
		return;
	out->present = true;
	out->built = pmg_index_built(judge->index);
	out->records = pmg_index_records(judge->index);
	out->packages = pmg_index_packages(judge->index);
}

/* No package has such a name; who asks for it is up to something, or is broken. */
static bool is_askable(const char *name, const char *version)
{
	const char *c;

	if (*name == '\0' || strnlen(name, PMG_NAME_MAX + 1) > PMG_NAME_MAX)
		return false;
	if (version && strnlen(version, PMG_VERSION_MAX + 1) > PMG_VERSION_MAX)
		return false;
	for (c = name; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return false;
	return true;
}

static void ask_blocklists(const struct pmg_judge *judge, const struct pmg_index_question *q,
			   struct pmg_judgement *out)
{
	const struct {
		const struct pmg_blocklist *list;
		enum pmg_reason reason;
		const char *source;
	} rows[] = {
		{ &judge->managed, PMG_REASON_MANAGED, "managed" },
		{ &judge->blocklist, PMG_REASON_BLOCKLIST, "blocklist" },
	};
	const struct pmg_block *block = NULL;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows) && !block; i++) {
		block = pmg_blocklist_find(rows[i].list, q->eco, q->name, q->version);
		if (!block)
			continue;
		out->verdict = PMG_VERDICT_BLOCK;
		out->reason = rows[i].reason;
		pmg_strv_add(&out->sources, rows[i].source);
		out->rule = pmg_xstrdup(block->text);
		out->note = block->reason ? pmg_xstrdup(block->reason) : NULL;
	}
}

static int ask_index(struct pmg_judge *judge, const struct pmg_index_question *q,
		     struct pmg_judgement *out, struct pmg_err *err)
{
	pmg_auto(index_answer) struct pmg_index_answer answer = { 0 };
	int r = pmg_index_find(judge->index, q, &answer, err);

	if (r < 0)
		return r;
	if (answer.hit == PMG_INDEX_MISS)
		return 0;
	out->verdict = answer.hit == PMG_INDEX_HIT ? PMG_VERDICT_BLOCK : PMG_VERDICT_INDETERMINATE;
	out->reason = answer.hit == PMG_INDEX_HIT ? PMG_REASON_MALWARE : PMG_REASON_INDETERMINATE;
	out->ids = answer.ids;
	out->sources = answer.sources;
	answer = (struct pmg_index_answer){ 0 };
	return 0;
}

int pmg_judge_ask(struct pmg_judge *judge, enum pmg_eco eco, const char *name, const char *version,
		  struct pmg_judgement *out, struct pmg_err *err)
{
	pmg_auto(judgement) struct pmg_judgement judgement = { 0 };
	pmg_autofree char *canonical_name = NULL;
	pmg_autofree char *canonical_version = NULL;
	struct pmg_index_question q = { .eco = eco };
	int r = 0;

	if (is_askable(name, version)) {
		canonical_name = pmg_name_canonical(eco, name);
		if (version)
			canonical_version = pmg_version_canonical(eco, version);
		q.name = canonical_name;
		q.version = canonical_version;
		q.readable = version && pmg_version_is_valid(eco, version);
		ask_blocklists(judge, &q, &judgement);
		if (judgement.verdict == PMG_VERDICT_ALLOW && judge->index)
			r = ask_index(judge, &q, &judgement, err);
	} else {
		judgement.verdict = PMG_VERDICT_INDETERMINATE;
		judgement.reason = PMG_REASON_INDETERMINATE;
	}
	if (r < 0)
		return r;
	*out = judgement;
	judgement = (struct pmg_judgement){ 0 };
	return 0;
}
