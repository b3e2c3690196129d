#include "policy/wide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"

static void what_is_far_more_than_anybody_means_is_said(void **state)
{
	static const struct {
		enum pmg_access access;
		const char *value, *why; /* NULL: nothing to remark */
	} rows[] = {
		{ PMG_ACCESS_READ, "/", "all of the machine" }, /* as dist/ is all in it */
		{ PMG_ACCESS_READ, "/**", "all of the machine" },
		{ PMG_ACCESS_READ, "/**/x", "all of the machine" },
		{ PMG_ACCESS_WRITE, "/h/**", "all of the home" },
		{ PMG_ACCESS_READ, "~/**", "all of the home" },
		{ PMG_ACCESS_READ, "${HOME}/", "all of the home" },
		{ PMG_ACCESS_READ, "../**", "all of the home" },
		{ PMG_ACCESS_READ, "~/other/**", NULL },
		{ PMG_ACCESS_READ, "~/other/x", NULL },
		{ PMG_ACCESS_READ, "**", NULL }, /* of the project */
		{ PMG_ACCESS_WRITE, "/dev/sda", "a device" },
		{ PMG_ACCESS_READ, "/dev/mem", "a device" },
		{ PMG_ACCESS_WRITE, "/usr/lib/x", "a folder of the system" },
		{ PMG_ACCESS_READ, "/usr/lib/x", NULL },
		{ PMG_ACCESS_EXEC, "/usr/games/**", NULL },
		{ PMG_ACCESS_WRITE, "/sys/x", "a place of the kernel" },
		{ PMG_ACCESS_WRITE, "/srv/data/**", NULL },
		{ PMG_ACCESS_CONNECT, "*.com",
		  "every host of a name under which everybody can have one" },
		{ PMG_ACCESS_CONNECT, "*.co.uk:443",
		  "every host of a name under which everybody can have one" },
		{ PMG_ACCESS_CONNECT, "*.example.test", NULL },
		{ PMG_ACCESS_CONNECT, "com", NULL },
		{ PMG_ACCESS_CONNECT, "registry", NULL },
		{ PMG_ACCESS_ENV, "A*", NULL },
		{ PMG_ACCESS_UNIX, "/", NULL },
	};
	char home[] = "/h", project[] = "/h/p";
	const struct pmg_policy policy = { .home = home, .project = project, .cwd = project };
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		const char *why = pmg_wide_why(&policy, rows[i].access, rows[i].value);

		if (!pmg_streq(why, rows[i].why))
			fail_msg("%s: %s", rows[i].value, why ? why : "(none)");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_far_more_than_anybody_means_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
