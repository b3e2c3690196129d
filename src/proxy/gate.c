#include "proxy/gate.h"

#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "base/url.h"
#include "pm/version.h"

#define IDS_SHOWN 3U

/* Only what any terminal and any HTTP client takes; cut to fit. */
static void set_reason(struct pmg_refusal *out, const char *text)
{
	char *p;

	(void)snprintf(out->reason, sizeof out->reason, "%s", text);
	for (p = out->reason; *p; p++)
		if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e)
			*p = '?';
}

/* " (MAL-1, MAL-2, MAL-3 and 4 more)" */
static void add_ids(struct pmg_str *text, const struct pmg_strv *ids)
{
	size_t i;

	for (i = 0; i < ids->n && i < IDS_SHOWN; i++)
		(void)!pmg_str_addf(text, "%s%s", i == 0 ? " (" : ", ", ids->v[i]);
	if (ids->n > IDS_SHOWN)
		(void)!pmg_str_addf(text, " and %zu more", ids->n - IDS_SHOWN);
	if (ids->n > 0)
		(void)!pmg_str_adds(text, ")");
}

static void explain(struct pmg_refusal *out, const struct pmg_identity *who,
		    const struct pmg_judgement *judgement, const char *why)
{
	struct pmg_str text = PMG_STR_INIT(SIZE_MAX / 2);
	pmg_autofree char *plain = NULL;
	pmg_autofree char *quoted = NULL;
	pmg_autofree char *what = who->version ? pmg_xasprintf("%s@%s", who->name, who->version)
					       : pmg_xstrdup(who->name);
	pmg_autofree char *reason = pmg_xasprintf("Blocked by pmg: %s: %s", what, why);

	(void)!pmg_str_addf(&text, "pmg blocked %s: %s", what, why);
	add_ids(&text, &judgement->ids);
	if (judgement->note)
		(void)!pmg_str_addf(&text, ": %s", judgement->note);
	(void)!pmg_str_addf(&text, " [PMG%d]", pmg_reason_diag(judgement->reason));
	plain = pmg_str_steal(&text);
	quoted = pmg_str_quote(plain, strlen(plain), sizeof out->text - 4);
	out->status = 403;
	out->eco = who->eco;
	(void)snprintf(out->text, sizeof out->text, "%s", quoted);
	set_reason(out, reason);
}

static void refuse(const struct pmg_gate *gate, const struct pmg_identity *who,
		   const struct pmg_judgement *judgement, const char *why,
		   const struct pmg_url *url, struct pmg_refusal *out)
{
	pmg_autofree char *words = why ? pmg_xstrdup(why) : pmg_judgement_text(judgement);

	pmg_report_judged(gate->report, who, false, judgement, words, url);
	explain(out, who, judgement, words);
}

static void add_once(struct pmg_strv *to, const struct pmg_strv *from)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		(void)pmg_strv_add_once(to, from->v[i]);
}

/* One reading of an address, judged. @param[in,out] waivers  those that were used
 * @return true: allowed */
static bool decide(const struct pmg_gate *gate, const struct pmg_identity *who,
		   struct pmg_question *q, const struct pmg_url *url, struct pmg_strv *waivers,
		   struct pmg_refusal *out)
{
	pmg_auto(judgement) struct pmg_judgement judgement = { 0 };
	struct pmg_err err = PMG_ERR_INIT;

	q->eco = who->eco;
	q->name = who->name;
	q->version = who->version;
	q->origin = pmg_catalog_is_private(gate->catalog, who->eco, who->name, url)
			    ? PMG_PLACE_PRIVATE
			    : PMG_PLACE_UNKNOWN;
	if (pmg_judge_decide(gate->judge, q, &judgement, &err) < 0) {
		judgement.reason = PMG_REASON_INDETERMINATE;
		(void)pmg_err_wrap(&err, "it could not be judged");
		refuse(gate, who, &judgement, err.msg, url, out);
		return false;
	}
	if (judgement.verdict != PMG_VERDICT_ALLOW) {
		refuse(gate, who, &judgement, NULL, url, out);
		return false;
	}
	add_once(waivers, &judgement.waivers);
	return true;
}

void pmg_gate_passed(const struct pmg_gate *gate, const struct pmg_asked *asked,
		     const struct pmg_url *url)
{
	/* The list is asked's. */
	const struct pmg_judgement allowed = { .reason = PMG_REASON_NONE,
					       .waivers = asked->waivers };

	if (asked->who.n > 0)
		pmg_report_judged(gate->report, &asked->who.v[0], true, &allowed, NULL, url);
}

/* All readings. @return true: each is allowed */
static bool admit_all(const struct pmg_gate *gate, const struct pmg_asked *asked, int64_t published,
		      const struct pmg_url *url, struct pmg_strv *waivers, struct pmg_refusal *out)
{
	struct pmg_question q = { .published = published };
	const struct pmg_judgement unread = { .reason = PMG_REASON_INDETERMINATE };
	size_t i;

	if (asked->who.overflow) {
		pmg_autofree char *name = pmg_xstrndup(pmg_path_name(url->path), PMG_NAME_MAX / 4);
		struct pmg_identity unknown = { PMG_ECO_NPM, name, NULL };

		refuse(gate, asked->who.n ? &asked->who.v[0] : &unknown, &unread,
		       "its address can be read in too many ways", url, out);
		return false;
	}
	for (i = 0; i < asked->who.n; i++)
		if (!decide(gate, &asked->who.v[i], &q, url, waivers, out))
			return false;
	return true;
}

static bool is_artifact(const struct pmg_asked *asked)
{
	return asked->kind == PMG_PATH_ARTIFACT && (asked->who.n > 0 || asked->who.overflow);
}

bool pmg_gate_bars(const struct pmg_gate *gate, const struct pmg_asked *asked,
		   const struct pmg_url *url, struct pmg_refusal *out)
{
	pmg_auto(strv) struct pmg_strv unsaid = { 0 }; /* until it is let in */

	return !asked->is_odd && is_artifact(asked) &&
	       !admit_all(gate, asked, PMG_DATE_UNASKED, url, &unsaid, out);
}

static bool admit_artifact(const struct pmg_gate *gate, struct pmg_asked *asked,
			   const struct pmg_url *url, struct pmg_refusal *out)
{
	if (!admit_all(gate, asked, asked->published, url, &asked->waivers, out))
		return false;
	if (!asked->is_inspected)
		pmg_gate_passed(gate, asked, url);
	return true;
}

bool pmg_gate_admit(const struct pmg_gate *gate, struct pmg_asked *asked, const struct pmg_url *url,
		    struct pmg_refusal *out)
{
	pmg_autofree char *text = NULL;

	if (asked->is_odd) {
		*out = (struct pmg_refusal){ .status = 400 };
		set_reason(out, "Bad Request");
		(void)snprintf(out->text, sizeof out->text,
			       "pmg refused an address that can be read in two ways");
		return false;
	}
	if (is_artifact(asked))
		return admit_artifact(gate, asked, url, out);
	text = pmg_url_text(url);
	if (asked->kind == PMG_PATH_ARTIFACT || asked->looks_like_artifact)
		pmg_report_passed(gate->report, text, "artifact");
	else if (!asked->is_known)
		pmg_report_passed(gate->report, text, "request");
	return true;
}

/* Is that very file on record, under whatever name? The name was asked about before. */
static bool knows_file(const struct pmg_gate *gate, const struct pmg_identity *who,
		       const struct pmg_url *url, const struct pmg_gate_artifact *artifact,
		       struct pmg_strv *waivers, struct pmg_refusal *out)
{
	struct pmg_question q = { .published = PMG_DATE_UNASKED,
				  .sha256 = artifact->sha256,
				  .sha512 = artifact->sha512 };

	return !decide(gate, who, &q, url, waivers, out);
}

/* What goes by another name inside is that other package as well. */
static bool is_other_bad(const struct pmg_gate *gate, enum pmg_eco eco, const struct pmg_url *url,
			 const struct pmg_strv *others, struct pmg_strv *waivers,
			 struct pmg_refusal *out)
{
	struct pmg_question q = { .published = PMG_DATE_UNASKED };
	size_t i;

	for (i = 0; others && i + 1 < others->n; i += 2) {
		const struct pmg_identity other = { eco, others->v[i], others->v[i + 1] };

		if (!decide(gate, &other, &q, url, waivers, out))
			return true;
	}
	return false;
}

/* What was found, of what may matter; the gravest first, which is the reason. */
static void refuse_found(const struct pmg_gate *gate, const struct pmg_identity *who,
			 const struct pmg_url *url, const struct pmg_gate_artifact *artifact,
			 struct pmg_refusal *out)
{
	pmg_auto(judgement) struct pmg_judgement judgement = { .verdict = PMG_VERDICT_BLOCK,
							       .reason = PMG_REASON_INSPECTION };
	enum pmg_trait first = pmg_traits_first(artifact->findings, artifact->block);

	judgement.note = pmg_xstrdup(artifact->findings->texts[first].v[0]);
	pmg_traits_list(artifact->findings, artifact->block | artifact->report,
			&judgement.findings);
	refuse(gate, who, &judgement, pmg_trait_text(first), url, out);
}

static void pass_found(const struct pmg_gate *gate, const struct pmg_identity *who,
		       const struct pmg_url *url, const struct pmg_gate_artifact *artifact,
		       const struct pmg_strv *waivers, const char *trusted)
{
	pmg_auto(judgement) struct pmg_judgement judgement = { .reason = PMG_REASON_NONE };

	pmg_traits_list(artifact->findings, artifact->block | artifact->report,
			&judgement.findings);
	add_once(&judgement.waivers, waivers);
	if (trusted)
		pmg_strv_addf(&judgement.waivers, "what was found in it, waived by %s", trusted);
	pmg_report_judged(gate->report, who, true, &judgement, NULL, url);
}

static void refuse_unseen(const struct pmg_gate *gate, const struct pmg_identity *who,
			  const struct pmg_url *url, const char *failed, struct pmg_refusal *out)
{
	const struct pmg_judgement unread = { .reason = PMG_REASON_INSPECTION };
	pmg_autofree char *why = pmg_xasprintf("it could not be looked into: %s", failed);

	refuse(gate, who, &unread, why, url, out);
}

bool pmg_gate_release(const struct pmg_gate *gate, const struct pmg_asked *asked,
		      const struct pmg_url *url, const struct pmg_gate_artifact *artifact,
		      struct pmg_refusal *out)
{
	const struct pmg_identity *who = &asked->who.v[0];
	bool is_bad = (pmg_traits_kinds(artifact->findings) & artifact->block) != 0;
	pmg_auto(strv) struct pmg_strv waivers = { 0 };
	pmg_autofree char *trusted = NULL;
	size_t i;

	add_once(&waivers, &asked->waivers);
	if (artifact->failed) {
		refuse_unseen(gate, who, url, artifact->failed, out);
		return false;
	}
	for (i = 0; i < asked->who.n && (artifact->sha256 || artifact->sha512); i++)
		if (knows_file(gate, &asked->who.v[i], url, artifact, &waivers, out))
			return false;
	if (is_other_bad(gate, who->eco, url, artifact->others, &waivers, out))
		return false;
	if (is_bad && asked->who.n == 1)
		trusted = pmg_judge_trusts(gate->judge, who->eco, who->name, who->version);
	if (is_bad && !trusted) {
		refuse_found(gate, who, url, artifact, out);
		return false;
	}
	pass_found(gate, who, url, artifact, &waivers, trusted);
	return true;
}
