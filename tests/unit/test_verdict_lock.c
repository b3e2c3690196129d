#include "verdict/lock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "base/clock.h"

static void a_lock_is_held_until_its_descriptor_is_closed(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "x.db");
	pmg_autofd int first = -1;
	int second = -1;
	struct pmg_err err = PMG_ERR_INIT;
	uint64_t began;

	(void)state;
	assert_int_equal(pmg_lock_take(path, 0, &first, &err), 0);
	began = pmg_clock_ms();
	assert_int_equal(pmg_lock_take(path, 100, &second, &err), -PMG_E_TIMEOUT);
	assert_true(pmg_clock_ms() - began >= 100);
	assert_int_equal(second, -1);
	assert_non_null(strstr(err.msg, path));
	assert_non_null(strstr(err.hint, "try again"));
	(void)close(pmg_steal_fd(&first));
	assert_int_equal(pmg_lock_take(path, 0, &second, &err), 0);
	(void)close(second);
}

static void a_lock_is_no_link_and_private(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "x.db");
	pmg_autofree char *name = pmg_xasprintf("%s.lock", path);
	pmg_autofd int fd = -1;
	struct pmg_err err = PMG_ERR_INIT;
	struct stat st;

	(void)state;
	assert_int_equal(symlink("elsewhere", name), 0);
	assert_int_equal(pmg_lock_take(path, 0, &fd, &err), -PMG_E_SYS);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(pmg_lock_take(path, 0, &fd, &err), 0);
	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_is_held_until_its_descriptor_is_closed),
		cmocka_unit_test(a_lock_is_no_link_and_private),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
