#include "run/lasting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

static void what_is_put_into_tmp_itself_is_refused(void **state)
{
	static const struct {
		const char *path, *project, *cwd, *home;
		bool refused;
	} rows[] = {
		{ "/tmp", "/p", "/p", "/h", true },
		{ "/var/tmp", "/p", "/p", "/h", true },
		{ "/tmp/out", "/p", "/p", "/h", false },
		{ "/tmp2", "/p", "/p", "/h", false },
		{ "/p/out", "/p", "/p", "/h", false },
		/* then it is not the run's own */
		{ "/tmp", "/tmp", "/tmp", "/h", false },
		{ "/tmp", "/p", "/tmp", "/h", false },
		{ "/tmp", "/p", "/p", "/tmp", false },
		{ "/tmp", "/p", "/var/tmp", "/h", true },
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		for (k = 0; k < 3; k++) {
			pmg_auto(places) struct pmg_places places = { 0 };
			struct pmg_strv *const lists[] = { &places.outputs, &places.dists,
							   &places.prefixes };
			struct pmg_err err = PMG_ERR_INIT;

			places.project = pmg_xstrdup(rows[i].project);
			pmg_strv_add(lists[k], rows[i].path);
			if (pmg_lasting_check(&places, rows[i].cwd, rows[i].home, &err) !=
			    (rows[i].refused ? -PMG_E_CONFIG : 0))
				fail_msg("row %zu: %s", i, err.msg);
			if (rows[i].refused)
				assert_non_null(strstr(err.hint, "/out"));
		}
}

static void who_opens_a_name_in_tmp_shares_it(void **state)
{
	static const struct {
		const char *text;
		enum pmg_access access;
		enum pmg_rank rank;
		enum pmg_layer layer;
		bool temporary, shares;
	} rows[] = {
		{ "/tmp/a", PMG_ACCESS_READ, PMG_RANK_OPT_OUT, PMG_LAYER_FLAG, false, true },
		{ "/var/tmp/a/**", PMG_ACCESS_WRITE, PMG_RANK_ALLOW, PMG_LAYER_PROFILE, false,
		  true },
		{ "/tmp/x-*/**", PMG_ACCESS_WRITE, PMG_RANK_ALLOW, PMG_LAYER_BUILTIN, false,
		  false },
		{ "/tmp/a", PMG_ACCESS_READ, PMG_RANK_DENY, PMG_LAYER_PROFILE, false, false },
		{ "/tmp/**", PMG_ACCESS_WRITE, PMG_RANK_ALLOW, PMG_LAYER_BUILTIN, true, false },
		{ "/tmp/pmg-0/run/**", PMG_ACCESS_READ, PMG_RANK_OPT_OUT, PMG_LAYER_RUN, false,
		  false },
		{ "/usr/**", PMG_ACCESS_READ, PMG_RANK_ALLOW, PMG_LAYER_BUILTIN, false, false },
		{ "/**/tmp", PMG_ACCESS_READ, PMG_RANK_ALLOW, PMG_LAYER_PROFILE, false, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_auto(policy) struct pmg_policy *policy = pmg_policy_new();
		pmg_autofree char *text = pmg_xstrdup(rows[i].text);
		pmg_autofree char *source = pmg_xstrdup("x:1");
		const struct pmg_policy_rule rule = { .access = rows[i].access,
						      .rank = rows[i].rank,
						      .layer = rows[i].layer,
						      .roles = PMG_ROLE_ANY,
						      .temporary = rows[i].temporary,
						      .text = text,
						      .source = source };
		struct pmg_err err = PMG_ERR_INIT;

		assert_int_equal(pmg_policy_add(policy, &rule, &err), 0);
		pmg_policy_seal(policy);
		if (pmg_lasting_shares_tmp(policy) != rows[i].shares)
			fail_msg("%s", rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_put_into_tmp_itself_is_refused),
		cmocka_unit_test(who_opens_a_name_in_tmp_shares_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
