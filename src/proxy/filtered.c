#include "proxy/filtered.h"

#include <stdlib.h>

void pmg_filtered_done(struct pmg_filtered *filtered)
{
	size_t i;

	for (i = 0; i < filtered->n; i++) {
		free(filtered->withheld[i].version);
		free(filtered->withheld[i].file);
	}
	for (i = 0; i < filtered->tags_n; i++) {
		free(filtered->tags[i].tag);
		free(filtered->tags[i].was);
		free(filtered->tags[i].now);
	}
	free(filtered->withheld);
	free(filtered->tags);
	free(filtered->is_out);
	pmg_splice_done(&filtered->splice);
	*filtered = (struct pmg_filtered)PMG_FILTERED_INIT;
}

static char *copy(const char *s)
{
	return s ? pmg_xstrdup(s) : NULL;
}

void pmg_filtered_add(struct pmg_filtered *filtered, const char *version, const char *file,
		      int64_t published, int reason)
{
	filtered->withheld = pmg_grow(filtered->withheld, filtered->n, &filtered->cap,
				      sizeof *filtered->withheld);
	filtered->withheld[filtered->n++] =
		(struct pmg_withheld){ copy(version), copy(file), published, reason };
}

static int ask(struct pmg_filtered *filtered, const struct pmg_filtered_item *item,
	       pmg_withhold_fn withhold, void *ctx, struct pmg_err *err)
{
	int reason = item->is_unreadable ? PMG_WITHHELD_UNREADABLE
					 : withhold(ctx, item->version, item->published, err);

	if (reason < 0)
		(void)pmg_err_wrap(err, "version %s could not be judged",
				   item->version ? item->version : "(unknown)");
	else if (reason == 0)
		filtered->left++;
	else if (reason != PMG_WITHHOLD_LATER)
		pmg_filtered_add(filtered, item->version, item->file, item->published, reason);
	return reason;
}

int pmg_filtered_ask(struct pmg_filtered *filtered, const void *doc, size_t n,
		     pmg_filtered_item_fn item, pmg_withhold_fn withhold, void *ctx,
		     struct pmg_err *err)
{
	struct pmg_filtered_item one;
	int reason;

	if (!filtered->is_out)
		filtered->is_out = pmg_xcalloc(n + 1, sizeof *filtered->is_out);
	for (; filtered->asked < n; filtered->asked++) {
		item(doc, filtered->asked, &one);
		reason = ask(filtered, &one, withhold, ctx, err);
		if (reason < 0 || reason == PMG_WITHHOLD_LATER)
			return reason < 0 ? reason : 1;
		filtered->is_out[filtered->asked] = reason > 0;
	}
	return 0;
}

void pmg_filtered_retag(struct pmg_filtered *filtered, const char *tag, const char *was,
			const char *now)
{
	filtered->tags = pmg_grow(filtered->tags, filtered->tags_n, &filtered->tags_cap,
				  sizeof *filtered->tags);
	filtered->tags[filtered->tags_n++] =
		(struct pmg_retagged){ copy(tag), copy(was), copy(now) };
}

int pmg_members_next(struct pmg_members *members, uint64_t at, uint64_t end, bool is_left_out,
		     struct pmg_err *err)
{
	int r;

	if (is_left_out) {
		if (!members->is_run)
			members->run = at;
		members->is_run = true;
		members->end = end;
		return 0;
	}
	if (members->is_run) { /* with the comma behind the run */
		r = pmg_splice_cut(members->splice, members->run, at - members->run, "", err);
		if (r < 0)
			return r;
	}
	members->is_run = false;
	members->has_kept = true;
	members->kept = end;
	return 0;
}

int pmg_members_finish(struct pmg_members *members, struct pmg_err *err)
{
	uint64_t from = members->has_kept ? members->kept : members->run;

	if (!members->is_run)
		return 0;
	members->is_run = false; /* with the comma before the run, if there is one */
	return pmg_splice_cut(members->splice, from, members->end - from, "", err);
}
