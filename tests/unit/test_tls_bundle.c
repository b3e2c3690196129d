#include "tls/bundle_priv.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "tls/ca.h"
#include "tls/openssl_priv.h"

#define CERTS 4

/* A folder with the system's files and the user's, made of fresh authorities. */
struct fixture {
	char dir[32];
	struct pmg_ca *ca[CERTS];
	struct pmg_strv files, dirs, notes;
	struct pmg_bundle *bundle;
	struct pmg_err err;
};

static char *at(struct fixture *f, const char *name)
{
	return pmg_path_join(f->dir, name);
}

static void put(struct fixture *f, const char *name, const char *text)
{
	pmg_autofree char *path = at(f, name);

	assert_int_equal(pmg_io_replace(path, text, strlen(text), 0644, &f->err), 0);
}

static const char *cert(struct fixture *f, size_t i)
{
	return pmg_ca_pem(f->ca[i]);
}

static int setup(void **state)
{
	struct fixture *f = pmg_xcalloc(1, sizeof *f);
	pmg_autofree char *sub = NULL, *roots = NULL;
	size_t i;

	*state = f;
	(void)snprintf(f->dir, sizeof f->dir, "test-bundle-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	for (i = 0; i < CERTS; i++)
		if (pmg_ca_new(&f->ca[i], &f->err) < 0)
			return -1;
	sub = at(f, "user");
	roots = at(f, "roots");
	return mkdir(sub, 0755) < 0 || mkdir(roots, 0755) < 0 ? -1 : 0;
}

static void empty_dir(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		pmg_autofree char *full = pmg_path_join(path, entry->d_name);

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (entry->d_type == DT_DIR)
			empty_dir(full);
		else
			(void)unlink(full);
	}
	if (dir)
		(void)closedir(dir);
	(void)rmdir(path);
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	size_t i;

	empty_dir(f->dir);
	for (i = 0; i < CERTS; i++)
		pmg_ca_free(f->ca[i]);
	pmg_bundle_free(f->bundle);
	pmg_strv_done(&f->files);
	pmg_strv_done(&f->dirs);
	pmg_strv_done(&f->notes);
	free(f);
	return 0;
}

/* The system keeps "system.crt" and the folder "roots". */
static int load(struct fixture *f)
{
	pmg_autofree char *none = at(f, "no-such-file");
	pmg_autofree char *first = at(f, "system.crt");
	pmg_autofree char *second = at(f, "second.crt");
	pmg_autofree char *dir = at(f, "roots");
	const char *const files[] = { none, first, second, NULL };
	pmg_autofree char *again =
		pmg_path_join(dir, "."); /* as where one is a link to the other */
	const char *const dirs[] = { dir, again, NULL };
	const struct pmg_bundle_system system = { .files = files, .dirs = dirs };

	pmg_bundle_free(f->bundle);
	f->bundle = pmg_bundle_new_from(&system);
	return pmg_bundle_complete(f->bundle, &f->files, &f->dirs, &f->notes, &f->err);
}

static size_t blocks(struct fixture *f)
{
	const char *p, *pem;
	size_t n = 0, len = 0;

	pem = pmg_bundle_pem(f->bundle, &len);
	assert_int_equal(strlen(pem), len);
	for (p = pem; (p = strstr(p, "-----BEGIN ")); p++) {
		assert_true(pmg_str_has_prefix(p, "-----BEGIN CERTIFICATE-----\n"));
		n++;
	}
	return n;
}

static bool holds(struct fixture *f, size_t i)
{
	size_t len = 0;

	return strstr(pmg_bundle_pem(f->bundle, &len), cert(f, i)) != NULL;
}

static void user_file(struct fixture *f, const char *name)
{
	pmg_strv_take(&f->files, at(f, name));
}

static void the_bundle_is_the_union_each_once(void **state)
{
	struct fixture *f = *state;
	pmg_autofree char *two = pmg_xasprintf("%s%s", cert(f, 0), cert(f, 1));

	put(f, "system.crt", cert(f, 0));
	put(f, "user.pem", two);
	put(f, "again.pem", cert(f, 1));
	put(f, "user/some.name", cert(f, 2));
	user_file(f, "user.pem");
	user_file(f, "again.pem");
	user_file(f, "user.pem");
	pmg_strv_take(&f->dirs, at(f, "user"));
	assert_int_equal(load(f), 0);
	assert_int_equal(blocks(f), 3);
	assert_true(holds(f, 0) && holds(f, 1) && holds(f, 2));
	assert_int_equal(f->notes.n, 0);
}

static void the_first_system_file_with_certificates_counts(void **state)
{
	struct fixture *f = *state;

	put(f, "system.crt", "# nothing yet\n");
	put(f, "second.crt", cert(f, 1));
	assert_int_equal(load(f), 0);
	assert_int_equal(blocks(f), 1);
	assert_true(holds(f, 1));
	pmg_bundle_free(pmg_steal_ptr(&f->bundle));
	put(f, "system.crt", cert(f, 0));
	assert_int_equal(load(f), 0);
	assert_true(holds(f, 0) && !holds(f, 1));
}

static void of_the_systems_folder_only_hashed_names_count(void **state)
{
	struct fixture *f = *state;

	put(f, "system.crt", cert(f, 0));
	put(f, "roots/0a1b2c3d.0", cert(f, 1));
	put(f, "roots/server.pem", cert(f, 2));
	put(f, "roots/0a1b2c3d.r0", cert(f, 3));
	assert_int_equal(load(f), 0);
	assert_int_equal(blocks(f), 2);
	assert_true(holds(f, 0) && holds(f, 1));
}

static void the_users_folder_may_hold_anything(void **state)
{
	struct fixture *f = *state;
	pmg_autofree char *link = at(f, "user/link.0");
	pmg_autofree char *loop = at(f, "user/loop");
	pmg_autofree char *fifo = at(f, "user/fifo");

	put(f, "system.crt", cert(f, 0));
	put(f, "user/README", "not a certificate");
	put(f, "user/a.crt", cert(f, 1));
	put(f, "user/.hidden", cert(f, 2));
	assert_int_equal(symlink("a.crt", link), 0);
	assert_int_equal(symlink("loop", loop), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	pmg_strv_take(&f->dirs, at(f, "user"));
	assert_int_equal(load(f), 0);
	assert_int_equal(blocks(f), 2);
	assert_true(holds(f, 1));
	assert_int_equal(f->notes.n, 0);
}

static void a_private_key_never_gets_into_the_bundle(void **state)
{
	struct fixture *f = *state;
	pmg_autofree char *text = pmg_xasprintf(
		"-----BEGIN PRIVATE KEY-----\nMIGHAgEA\n-----END PRIVATE KEY-----\n%s", cert(f, 1));
	size_t len = 0;

	put(f, "system.crt", cert(f, 0));
	put(f, "both.pem", text);
	user_file(f, "both.pem");
	assert_int_equal(load(f), 0);
	assert_int_equal(blocks(f), 2);
	assert_null(strstr(pmg_bundle_pem(f->bundle, &len), "MIGHAgEA"));
}

static void what_is_wrong_with_the_users_files_is_noted(void **state)
{
	static const struct {
		const char *name, *text, *note;
	} rows[] = {
		{ "missing.pem", NULL, "missing.pem: No such file or directory" },
		{ "user", NULL, "user: not a regular file" },
		{ "empty.pem", "", "empty.pem: holds no certificate in PEM" },
		{ "text.pem", "hello", "text.pem: holds no certificate in PEM" },
		{ "cut.pem", "-----BEGIN CERTIFICATE-----\nMIIB",
		  "cut.pem: 1 of its certificates cannot be read" },
		{ "junk.pem", "-----BEGIN CERTIFICATE-----\nMAEA\n-----END CERTIFICATE-----\n",
		  "junk.pem: 1 of its certificates cannot be read" },
	};
	struct fixture *f = *state;
	size_t i;

	put(f, "system.crt", cert(f, 0));
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		if (rows[i].text)
			put(f, rows[i].name, rows[i].text);
		user_file(f, rows[i].name);
	}
	pmg_strv_take(&f->dirs, at(f, "no-such-dir"));
	pmg_strv_take(&f->dirs, at(f, "user"));
	assert_int_equal(load(f), 0);
	assert_int_equal(blocks(f), 1);
	assert_int_equal(f->notes.n, PMG_ARRAY_LEN(rows) + 2);
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		assert_true(pmg_str_has_suffix(f->notes.v[i], rows[i].note));
	assert_true(pmg_str_has_suffix(f->notes.v[i], "no-such-dir: No such file or directory"));
	assert_true(pmg_str_has_suffix(f->notes.v[i + 1], "user: holds no certificate in PEM"));
}

static void without_any_roots_it_fails(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(load(f), -PMG_E_TLS);
	assert_string_equal(f->err.msg, "no root certificates were found");
	assert_non_null(strstr(f->err.hint, "ca-certificates"));
}

static void the_users_own_roots_are_enough(void **state)
{
	struct fixture *f = *state;

	put(f, "mine.pem", cert(f, 3));
	user_file(f, "mine.pem");
	assert_int_equal(load(f), 0);
	assert_int_equal(blocks(f), 1);
}

static bool store_accepts(struct fixture *f, size_t i)
{
	X509_STORE *store = pmg_bundle_store(f->bundle, &f->err);
	X509_STORE_CTX *ctx = X509_STORE_CTX_new();
	SSL_CTX *leaf = pmg_ca_context(f->ca[i], "registry.test", &f->err);
	bool ok;

	assert_non_null(store);
	assert_ptr_equal(pmg_bundle_store(f->bundle, &f->err), store);
	assert_int_equal(X509_STORE_CTX_init(ctx, store, SSL_CTX_get0_certificate(leaf), NULL), 1);
	ok = X509_verify_cert(ctx) == 1;
	assert_true(ok || pmg_verify_text(X509_STORE_CTX_get_error(ctx)));
	X509_STORE_CTX_free(ctx);
	return ok;
}

static void the_store_trusts_what_is_in_the_bundle(void **state)
{
	struct fixture *f = *state;

	put(f, "system.crt", cert(f, 0));
	put(f, "mine.pem", cert(f, 1));
	user_file(f, "mine.pem");
	assert_int_equal(load(f), 0);
	assert_true(store_accepts(f, 0));
	assert_true(store_accepts(f, 1));
	assert_false(store_accepts(f, 2));
	assert_null(pmg_verify_text(0));
}

/* A block of the system's that does not parse costs that block, not the run. */
static void a_broken_system_certificate_is_left_out_of_the_store(void **state)
{
	struct fixture *f = *state;
	pmg_autofree char *text = pmg_xasprintf(
		"-----BEGIN CERTIFICATE-----\nMAEA\n-----END CERTIFICATE-----\n%s", cert(f, 0));

	put(f, "system.crt", text);
	assert_int_equal(load(f), 0);
	assert_true(store_accepts(f, 0));
}

static void this_system_has_roots(void **state)
{
	struct fixture *f = *state;

	if (access("/etc/ssl/certs/ca-certificates.crt", R_OK) < 0) {
		assert_null(getenv("PMG_MUST_WORK"));
		print_message("SKIPPED: no /etc/ssl/certs/ca-certificates.crt here\n");
		skip();
	}
	f->bundle = pmg_bundle_new();
	assert_int_equal(pmg_bundle_complete(f->bundle, &f->files, &f->dirs, &f->notes, &f->err),
			 0);
	assert_true(blocks(f) > 50);
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(the_bundle_is_the_union_each_once),
		IN_DIR(the_first_system_file_with_certificates_counts),
		IN_DIR(of_the_systems_folder_only_hashed_names_count),
		IN_DIR(the_users_folder_may_hold_anything),
		IN_DIR(a_private_key_never_gets_into_the_bundle),
		IN_DIR(what_is_wrong_with_the_users_files_is_noted),
		IN_DIR(without_any_roots_it_fails),
		IN_DIR(the_users_own_roots_are_enough),
		IN_DIR(the_store_trusts_what_is_in_the_bundle),
		IN_DIR(a_broken_system_certificate_is_left_out_of_the_store),
		IN_DIR(this_system_has_roots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
