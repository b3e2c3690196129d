#include <unistd.h>

#include "violation/ledger.h"
#include "violation/ledger_priv.h"

static const char sql[] =
	"SELECT p.eco, p.name, p.version, r.run, r.started, r.tool, r.cwd, r.profile,"
	" r.fingerprint, p.url, q.list FROM packages p JOIN runs r ON r.id = p.run"
	" LEFT JOIN reaches q ON q.fingerprint = r.fingerprint WHERE p.verdict = 'allow'"
	" ORDER BY p.eco, p.name, p.version, r.started, r.id";

static void read_row(struct pmg_stmt *stmt, struct pmg_ledger_landed *out)
{
	*out = (struct pmg_ledger_landed){
		.eco = pmg_stmt_text(stmt, 0),
		.name = pmg_stmt_text(stmt, 1),
		.version = pmg_stmt_text(stmt, 2),
		.run = pmg_stmt_text(stmt, 3),
		.started = pmg_stmt_int(stmt, 4),
		.tool = pmg_stmt_text(stmt, 5),
		.cwd = pmg_stmt_text(stmt, 6),
		.profile = pmg_stmt_text(stmt, 7),
		.fingerprint = pmg_stmt_text(stmt, 8),
		.url = pmg_stmt_text(stmt, 9),
		.reach = pmg_stmt_text(stmt, 10),
	};
}

int pmg_ledger_each_landed(const char *path, pmg_ledger_landed_fn *fn, void *ctx,
			   struct pmg_err *err)
{
	pmg_auto(store) struct pmg_store *store = NULL;
	pmg_auto(stmt) struct pmg_stmt *stmt = NULL;
	struct pmg_ledger_landed landed;
	int r;

	if (access(path, F_OK) < 0)
		return 0;
	r = pmg_ledger_open(path, &store, err);
	if (r == 0)
		r = pmg_store_prepare(store, sql, &stmt, err);
	if (r < 0)
		return r;
	while ((r = pmg_stmt_step(stmt, err)) == 1) {
		read_row(stmt, &landed);
		r = fn(ctx, &landed, err);
		if (r != 0)
			return r;
	}
	return r;
}
