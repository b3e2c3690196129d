#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/cmd_sandbox.h"
#include "cli/cmd_violations.h"
#include "cli/pages.h"
#include "violation/codes.h"
#include "violation/explain.h"

struct explain_opts {
	bool json;
	bool last;
};
_Static_assert(sizeof(struct explain_opts) == PMG_SANDBOX_EXPLAIN_SIZE, "cmd_sandbox.h says so");

const struct pmg_opt pmg_sandbox_explain_opts[] = {
	{ PMG_OPT_FLAG, 0, "json", offsetof(struct explain_opts, json), 0, NULL, "print JSON" },
	{ PMG_OPT_FLAG, 0, "last", offsetof(struct explain_opts, last), 0, NULL,
	  "what was refused last in this repository, a sensitive thing before others" },
	{ 0 },
};

/* "# PMG2001: read denied": the words after the colon. */
static char *title_of(const char *page)
{
	size_t len = strcspn(page, "\n"), skip = strcspn(page, ":");

	if (skip >= len)
		return pmg_xstrndup(page, len);
	skip += strspn(page + skip, ": ");
	return pmg_xstrndup(page + skip, len - skip);
}

static struct json_t *code_json(int code, const char *page)
{
	const struct pmg_code_row *row = pmg_code_find(code);
	struct json_t *obj = pmg_json_object();
	pmg_autofree char *title = title_of(page);
	char text[PMG_DIAG_LEN], docs[PMG_EXPLAIN_DOCS_LEN];

	pmg_diag_text(code, text);
	pmg_explain_docs(code, docs);
	pmg_json_set_str(obj, "code", text);
	pmg_json_set_str(obj, "name", row ? row->name : title);
	if (row) {
		pmg_json_set_str(obj, "severity", row->severity);
		pmg_json_set_str(obj, "disposition", row->disposition);
		pmg_json_set_str(obj, "malicious", row->malicious);
	}
	pmg_json_set_str(obj, "docs", docs);
	pmg_json_set_str(obj, "page", page);
	return obj;
}

int pmg_cmd_sandbox_explain(const struct pmg_call *call, struct pmg_err *err)
{
	const struct explain_opts *opts = call->opts;
	const char *page;
	int code = 0, r;

	if (opts->last == (call->n_operands == 1))
		return pmg_err_set(err, PMG_E_USAGE, 0, "name one code, or --last");
	if (opts->last)
		return pmg_violations_explain(call, 0, opts->json, err);
	r = pmg_page_parse(call->operands[0], &code, err);
	if (r < 0)
		return r;
	page = pmg_page_find(code);
	if (opts->json) {
		pmg_auto(json) struct json_t *obj = code_json(code, page);

		pmg_out_json(call->out, obj);
	} else {
		pmg_autofree char *text = pmg_page_text(page);

		(void)fputs(text, call->out->to); /* pmg_out_finish() checks */
	}
	return 0;
}
