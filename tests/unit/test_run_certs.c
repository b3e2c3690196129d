#include "run/certs.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/env.h"
#include "base/io.h"
#include "base/path.h"
#include "tests/helper/folder.h"

#define OURS "-----BEGIN CERTIFICATE-----\nours\n-----END CERTIFICATE-----\n"
#define HIS  "-----BEGIN CERTIFICATE-----\nhis\n-----END CERTIFICATE-----\n"

/* What the file holds when NODE_EXTRA_CA_CERTS has that value; NULL: unset. */
static char *written(const char *root, const char *value)
{
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(run_folder) struct pmg_folder folder = PMG_FOLDER_INIT;
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *path = NULL;
	char *text = NULL;
	size_t len = 0;

	pmg_env_set(&env, "TMPDIR", root);
	if (value)
		pmg_env_set(&env, "NODE_EXTRA_CA_CERTS", value);
	assert_int_equal(pmg_folder_make(&env, &folder, &err), 0);
	assert_int_equal(pmg_certs_write(&folder, OURS, &env, &err), 0);
	path = pmg_path_join(folder.path, PMG_CERTS_EXTRA);
	assert_int_equal(pmg_io_slurp(path, 4096, &text, &len, &err), 0);
	return text;
}

static void the_users_own_certificates_stay_beside_ours(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_autofree char *his = pmg_path_join(root, "his.pem");
	const struct {
		const char *value, *text;
	} rows[] = {
		{ NULL, OURS },           { "", OURS },   { his, OURS HIS },
		{ "/nonexistent", OURS }, { root, OURS }, /* a folder */
	};
	size_t i;

	(void)state;
	folder_write(root, "his.pem", HIS, strlen(HIS));
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *text = written(root, rows[i].value);

		assert_string_equal(text, rows[i].text);
	}
}

static void private_keys_are_not_copied(void **state)
{
#define KEY(kind) "-----BEGIN " kind "-----\nsecret\n-----END " kind "-----"
	static const struct {
		const char *his, *left;
	} rows[] = {
		{ HIS KEY("PRIVATE KEY") "\n" HIS, HIS "\n" HIS },
		{ KEY("EC PRIVATE KEY") "\n" KEY("ENCRYPTED PRIVATE KEY") HIS, "\n" HIS },
		{ KEY("PUBLIC KEY") HIS, KEY("PUBLIC KEY") HIS },
		{ HIS "-----BEGIN RSA PRIVATE KEY-----\nsecret", HIS },
		{ HIS "-----BEGIN PRIVATE KEY-----\nsecret\n-----END ", HIS },
		{ HIS "-----BEGIN ", HIS "-----BEGIN " },
		{ HIS "-----BEGIN -----", HIS "-----BEGIN -----" },
	};
	pmg_auto(folder) char *root = folder_new();
	pmg_autofree char *his = pmg_path_join(root, "his.pem");
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *want = pmg_xasprintf("%s%s", OURS, rows[i].left);
		pmg_autofree char *text = NULL;

		folder_write(root, "his.pem", rows[i].his, strlen(rows[i].his));
		text = written(root, his);
		assert_string_equal(text, want);
	}
}

static void a_file_that_cannot_be_made_is_an_error(void **state)
{
	pmg_auto(folder) char *root = folder_new();
	pmg_auto(strv) struct pmg_strv env = { 0 };
	pmg_auto(run_folder) struct pmg_folder folder = PMG_FOLDER_INIT;
	struct pmg_err err = PMG_ERR_INIT;

	(void)state;
	pmg_env_set(&env, "TMPDIR", root);
	assert_int_equal(pmg_folder_make(&env, &folder, &err), 0);
	assert_int_equal(pmg_certs_write(&folder, OURS, &env, &err), 0);
	assert_int_equal(pmg_certs_write(&folder, OURS, &env, &err), -PMG_E_SYS);
	assert_non_null(strstr(err.msg, PMG_CERTS_EXTRA));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_users_own_certificates_stay_beside_ours),
		cmocka_unit_test(private_keys_are_not_copied),
		cmocka_unit_test(a_file_that_cannot_be_made_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
