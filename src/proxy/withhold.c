#include "proxy/withhold.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "pm/version.h"

#define ASK_MS  10U /* at a time: what others wait for */
#define ASK_FEW 64U /* asked between two looks at the clock */

/* May that version pass? @return 0: yes; 1 + enum pmg_reason: no; -PMG_E_DB */
static int judge(const struct pmg_withhold *withhold, const char *version, int64_t published,
		 struct pmg_judgement *out, struct pmg_err *err)
{
	const struct pmg_question q = {
		.eco = withhold->eco,
		.name = withhold->name,
		.version = version,
		.origin = withhold->is_private ? PMG_PLACE_PRIVATE : PMG_PLACE_UNKNOWN,
		.published = !withhold->needs_dates ? PMG_DATE_UNASKED
			     : published <= 0       ? PMG_DATE_NONE
						    : published,
	};
	int r = pmg_judge_decide(withhold->gate->judge, &q, out, err);

	if (r < 0)
		return r;
	return out->verdict == PMG_VERDICT_ALLOW ? 0 : 1 + (int)out->reason;
}

struct asking {
	const struct pmg_withhold *withhold;
	uint64_t until_ms;
	unsigned n;
};

static int ask(void *ctx, const char *version, int64_t published, struct pmg_err *err)
{
	pmg_auto(judgement) struct pmg_judgement judgement = { 0 };
	struct asking *asking = ctx;

	if (++asking->n % ASK_FEW == 0 && pmg_clock_ms() > asking->until_ms)
		return PMG_WITHHOLD_LATER;
	return judge(asking->withhold, version, published, &judgement, err);
}

int pmg_withhold_plan(const struct pmg_withhold *withhold, const struct pmg_page *page,
		      struct pmg_filtered *out, struct pmg_err *err)
{
	struct asking asking = { withhold, pmg_clock_ms() + ASK_MS, 0 };

	return pmg_page_filter(page, ask, &asking, out, err);
}

/* Newest first; those without a date before all. */
static int by_date(const void *a, const void *b)
{
	const struct pmg_withheld *x = *(const struct pmg_withheld *const *)a;
	const struct pmg_withheld *y = *(const struct pmg_withheld *const *)b;

	if (x->published == y->published)
		return 0;
	if (x->published == PMG_PUBLISHED_NONE || y->published == PMG_PUBLISHED_NONE)
		return x->published == PMG_PUBLISHED_NONE ? -1 : 1;
	return x->published > y->published ? -1 : 1;
}

/* What a tag that pointed to it points to now: "latest" before others. */
static const char *instead_of(const struct pmg_filtered *filtered, const char *version)
{
	const struct pmg_retagged *found = NULL;
	size_t i;

	for (i = 0; i < filtered->tags_n; i++)
		if (filtered->tags[i].now && pmg_streq(filtered->tags[i].was, version) &&
		    (!found || strcmp(filtered->tags[i].tag, "latest") == 0))
			found = &filtered->tags[i];
	return found ? found->now : NULL;
}

static void report_one(const struct pmg_withhold *withhold, const struct pmg_filtered *filtered,
		       const struct pmg_withheld *withheld, uint64_t more,
		       const struct pmg_url *url)
{
	pmg_auto(judgement) struct pmg_judgement judgement = { 0 };
	struct pmg_err scratch = PMG_ERR_INIT;
	struct pmg_identity who = { withhold->eco, (char *)(size_t)withhold->name,
				    withheld->version ? withheld->version : withheld->file };

	if (withheld->reason == PMG_WITHHELD_UNREADABLE)
		judgement.reason = PMG_REASON_INDETERMINATE;
	else if (judge(withhold, withheld->version, withheld->published, &judgement, &scratch) < 0)
		return;
	pmg_report_withheld(withhold->gate->report, &who, &judgement,
			    instead_of(filtered, withheld->version), withheld->published, more,
			    url);
}

void pmg_withhold_report(const struct pmg_withhold *withhold, const struct pmg_filtered *filtered,
			 const struct pmg_url *url)
{
	pmg_autofree const struct pmg_withheld **order =
		pmg_xcalloc(filtered->n + 1, sizeof(void *));
	size_t i, n = 0;

	for (i = 0; i < filtered->n; i++)
		order[i] = &filtered->withheld[i];
	qsort(order, filtered->n, sizeof(void *), by_date);
	for (i = 0; i < filtered->n; i++) /* files of one version came out together */
		if (n == 0 || !order[i]->version ||
		    !pmg_streq(order[i]->version, order[n - 1]->version))
			order[n++] = order[i];
	for (i = 0; i < n && i < PMG_WITHHOLD_TOLD_MAX; i++)
		report_one(withhold, filtered, order[i],
			   i + 1 == PMG_WITHHOLD_TOLD_MAX ? n - i - 1 : 0, url);
}

struct choosing {
	const struct pmg_withhold *withhold;
	const char *version; /* that is withheld */
	bool is_latest;
	char *best, *best_release;
};

static bool passes(const struct choosing *choosing, const char *version, int64_t published)
{
	pmg_auto(judgement) struct pmg_judgement judgement = { 0 };
	struct pmg_err scratch = PMG_ERR_INIT;

	return judge(choosing->withhold, version, published, &judgement, &scratch) == 0;
}

static void keep_greater(char **best, const char *version)
{
	if (*best && pmg_version_compare(PMG_ECO_NPM, version, *best) <= 0)
		return;
	free(*best);
	*best = pmg_xstrdup(version);
}

static void consider(void *ctx, const char *version, int64_t published)
{
	struct choosing *choosing = ctx;
	bool is_release = !pmg_version_is_prerelease(PMG_ECO_NPM, version);

	if (!pmg_version_is_valid(PMG_ECO_NPM, version) ||
	    pmg_version_compare(PMG_ECO_NPM, version, choosing->version) >= 0)
		return;
	if (pmg_semver_is_same_line(version, choosing->version) &&
	    passes(choosing, version, published))
		keep_greater(&choosing->best, version);
	if (choosing->is_latest && is_release && passes(choosing, version, published))
		keep_greater(&choosing->best_release, version);
}

char *pmg_withhold_instead(const struct pmg_withhold *withhold, const struct pmg_dates *dates,
			   size_t registry, const char *canonical, const char *tag,
			   const char *version)
{
	struct choosing choosing = { .withhold = withhold,
				     .version = version,
				     .is_latest = strcmp(tag, "latest") == 0 };

	pmg_dates_each(dates, registry, canonical, consider, &choosing);
	if (choosing.best) {
		free(choosing.best_release);
		return choosing.best;
	}
	return choosing.best_release;
}
