#include "tls/bundle_priv.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/err.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/log.h"
#include "base/str.h"
#include "tls/anchors.h"
#include "tls/openssl_priv.h"
#include "tls/pem.h"

#define SLOTS    (PMG_BUNDLE_CERTS_MAX * 2)
#define PEM_LINE 64U                        /* RFC 7468, 2 */
#define READ_MAX ((size_t)64 * 1024 * 1024) /* bytes of all files: a folder may hold anything */

#define ASIDES_MAX 64U /* a folder may hold anything */

/* A file that was read: the links of a folder lead to the same files again and again. */
struct seen {
	dev_t dev;
	ino_t ino;
};

struct pmg_bundle {
	struct pmg_str pem;
	struct pmg_der *certs; /* until the store takes them */
	size_t n;
	size_t cap;
	uint32_t *slots; /* SLOTS of index + 1 into certs, open addressing; gone after loading */
	struct seen *seen;
	size_t seen_n;
	size_t seen_cap;
	size_t left;            /* of READ_MAX */
	struct pmg_strv asides; /* of the system's roots, for the log */
	X509_STORE *store;
};

/* What one source brought. */
struct tally {
	size_t certs; /* usable, whether new or not */
	size_t bad;
	size_t again; /* files that were read before */
	bool full;
};

void pmg_bundle_free(struct pmg_bundle *bundle)
{
	size_t i;

	if (!bundle)
		return;
	for (i = 0; bundle->certs && i < bundle->n; i++)
		free(bundle->certs[i].bytes);
	free(bundle->certs);
	free(bundle->slots);
	free(bundle->seen);
	pmg_strv_done(&bundle->asides);
	pmg_str_done(&bundle->pem);
	X509_STORE_free(bundle->store);
	free(bundle);
}

/* Over the end, which is the signature: it differs wherever certificates do. */
static uint32_t hash(const struct pmg_der *der)
{
	size_t from = der->len > 64 ? der->len - 64 : 0;

	return pmg_fnv1a(PMG_FNV1A_INIT, der->bytes + from, der->len - from);
}

/* The slot that holds this certificate, or the free one where it belongs. */
static uint32_t *slot_of(struct pmg_bundle *bundle, const struct pmg_der *der)
{
	size_t i = hash(der) % SLOTS;
	const struct pmg_der *other;

	for (;; i = (i + 1) % SLOTS) {
		if (bundle->slots[i] == 0)
			return &bundle->slots[i];
		other = &bundle->certs[bundle->slots[i] - 1];
		if (other->len == der->len && memcmp(other->bytes, der->bytes, der->len) == 0)
			return &bundle->slots[i];
	}
}

static int write_pem(struct pmg_str *pem, const struct pmg_der *der)
{
	pmg_autofree char *text = pmg_base64(der->bytes, der->len);
	size_t len = strlen(text), at, n;
	struct pmg_str block = PMG_STR_INIT(PMG_PEM_CERT_MAX * 2);
	int r = pmg_str_adds(&block, "-----BEGIN CERTIFICATE-----\n");

	for (at = 0; r == 0 && at < len; at += n) {
		n = len - at < PEM_LINE ? len - at : PEM_LINE;
		r = pmg_str_add(&block, text + at, n);
		if (r == 0)
			r = pmg_str_adds(&block, "\n");
	}
	if (r == 0)
		r = pmg_str_adds(&block, "-----END CERTIFICATE-----\n");
	if (r == 0)
		r = pmg_str_add(pem, block.s, block.len);
	pmg_str_done(&block);
	return r;
}

static bool parses(const struct pmg_der *der)
{
	const unsigned char *p = der->bytes;
	pmg_auto(x509) X509 *cert = NULL;

	ERR_clear_error();
	cert = d2i_X509(NULL, &p, (long)der->len);
	ERR_clear_error();
	return cert != NULL;
}

/* Takes der->bytes. */
static void add_cert(struct pmg_bundle *bundle, struct pmg_der *der, bool check,
		     struct tally *tally)
{
	uint32_t *slot = slot_of(bundle, der);

	if (*slot != 0) {
		tally->certs++;
	} else if (check && !parses(der)) {
		tally->bad++;
	} else if (bundle->n == PMG_BUNDLE_CERTS_MAX || write_pem(&bundle->pem, der) < 0) {
		tally->full = true;
	} else {
		bundle->certs = pmg_grow(bundle->certs, bundle->n, &bundle->cap, sizeof *der);
		bundle->certs[bundle->n++] = *der;
		*slot = (uint32_t)bundle->n;
		tally->certs++;
		return;
	}
	free(der->bytes);
}

/* check: parse each new one, since one bad block of the user's would make the child's own tools
 * refuse the whole bundle. The system's are believed: parsing costs more than all the rest. */
static void add_text(struct pmg_bundle *bundle, const char *text, size_t len, bool check,
		     struct tally *tally)
{
	const char *end = text + len;
	struct pmg_der der;

	while (!tally->full) {
		switch (pmg_pem_next(&text, end, &der)) {
		case PMG_PEM_END:
			return;
		case PMG_PEM_CERT:
			add_cert(bundle, &der, check, tally);
			break;
		case PMG_PEM_BAD:
			tally->bad++;
			break;
		case PMG_PEM_REFUSED:
			break;
		}
	}
}

/* True the first time. */
static bool see(struct pmg_bundle *bundle, const struct stat *st)
{
	size_t i;

	for (i = 0; i < bundle->seen_n; i++)
		if (bundle->seen[i].ino == st->st_ino && bundle->seen[i].dev == st->st_dev)
			return false;
	bundle->seen =
		pmg_grow(bundle->seen, bundle->seen_n, &bundle->seen_cap, sizeof *bundle->seen);
	bundle->seen[bundle->seen_n++] = (struct seen){ .dev = st->st_dev, .ino = st->st_ino };
	return true;
}

/* One file below dirfd, unless it was read before. */
static int add_file(struct pmg_bundle *bundle, int dirfd, const char *path, bool check,
		    struct tally *tally, struct pmg_err *err)
{
	pmg_autofree char *text = NULL;
	pmg_autofd int fd = -1;
	size_t len = 0, max = bundle->left < PMG_BUNDLE_MAX ? bundle->left : PMG_BUNDLE_MAX;
	struct stat st;
	int r;

	/* O_NONBLOCK: a FIFO under a file's name must not hang us. */
	fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return pmg_err_set(err, PMG_E_SYS, 0, "%s: not a regular file", path);
	if (!see(bundle, &st)) {
		tally->again++;
		return 0;
	}
	if (st.st_size > (off_t)max)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: too large for certificates", path);
	r = pmg_io_slurp_fd(fd, path, max, &text, &len, err);
	if (r < 0)
		return r;
	bundle->left -= len;
	add_text(bundle, text, len, check, tally);
	return 0;
}

/* OpenSSL looks up xxxxxxxx.N, X509_LOOKUP_hash_dir(3). */
static bool is_hashed(const char *name)
{
	size_t i;

	for (i = 0; i < 8; i++)
		if (!isxdigit((unsigned char)name[i]))
			return false;
	if (name[i++] != '.' || name[i] == '\0')
		return false;
	return strspn(name + i, "0123456789") == strlen(name + i);
}

static bool is_any(const char *name)
{
	return name[0] != '.';
}

/* Nobody has said yet whether there is a log. */
static void set_aside(struct pmg_bundle *bundle, const struct pmg_err *why)
{
	if (bundle->asides.n < ASIDES_MAX)
		pmg_strv_addf(&bundle->asides, "roots: %s", why->msg);
}

static int add_dir(struct pmg_bundle *bundle, const char *path, bool (*wanted)(const char *),
		   bool check, struct tally *tally, struct pmg_err *err)
{
	struct pmg_err scratch = PMG_ERR_INIT;
	DIR *dir = opendir(path);
	const struct dirent *entry;
	size_t left = PMG_BUNDLE_DIR_MAX;
	struct stat st;

	if (!dir)
		return pmg_err_set(err, PMG_E_SYS, errno, "%s", path);
	/* OpenSSL's own folder is a link to the distribution's: opening all of it again takes long.
	 * One of the user's is looked at by other names, and with more care. */
	if (!check && fstat(dirfd(dir), &st) == 0 && !see(bundle, &st))
		left = 0;
	while (left-- > 0 && (entry = readdir(dir)))
		if (wanted(entry->d_name) &&
		    add_file(bundle, dirfd(dir), entry->d_name, check, tally, &scratch) < 0) {
			(void)pmg_err_wrap(&scratch, "%s", path);
			set_aside(bundle, &scratch);
		}
	(void)closedir(dir);
	return 0;
}

static void add_system(struct pmg_bundle *bundle, const struct pmg_bundle_system *system)
{
	struct pmg_err scratch = PMG_ERR_INIT;
	struct tally tally = { 0 };
	size_t i;

	for (i = 0; system->files[i] && tally.certs == 0; i++)
		if (add_file(bundle, AT_FDCWD, system->files[i], false, &tally, &scratch) < 0)
			set_aside(bundle, &scratch);
	for (i = 0; system->dirs[i]; i++)
		if (add_dir(bundle, system->dirs[i], is_hashed, false, &tally, &scratch) < 0)
			set_aside(bundle, &scratch);
	if (tally.bad > 0 || tally.full)
		pmg_strv_addf(&bundle->asides, "roots: %zu blocks of the system cannot be read%s",
			      tally.bad, tally.full ? ", too many" : "");
}

static void note(struct pmg_strv *notes, const char *path, const struct tally *tally)
{
	if (tally->full)
		pmg_strv_addf(notes, "%s: too many certificates, some are left out", path);
	else if (tally->bad > 0)
		pmg_strv_addf(notes, "%s: %zu of its certificates cannot be read", path,
			      tally->bad);
	else if (tally->certs == 0 && tally->again == 0)
		pmg_strv_addf(notes, "%s: holds no certificate in PEM", path);
}

static void add_users(struct pmg_bundle *bundle, const struct pmg_strv *files,
		      const struct pmg_strv *dirs, struct pmg_strv *notes)
{
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	for (i = 0; i < files->n; i++) {
		struct tally tally = { 0 };

		if (add_file(bundle, AT_FDCWD, files->v[i], true, &tally, &err) < 0)
			pmg_strv_add(notes, err.msg);
		else
			note(notes, files->v[i], &tally);
	}
	for (i = 0; i < dirs->n; i++) {
		struct tally tally = { 0 };

		if (add_dir(bundle, dirs->v[i], is_any, true, &tally, &err) < 0)
			pmg_strv_add(notes, err.msg);
		else
			note(notes, dirs->v[i], &tally);
	}
}

struct pmg_bundle *pmg_bundle_new_from(const struct pmg_bundle_system *system)
{
	struct pmg_bundle *bundle = pmg_xcalloc(1, sizeof *bundle);

	bundle->pem = (struct pmg_str)PMG_STR_INIT(PMG_BUNDLE_MAX);
	bundle->slots = pmg_xcalloc(SLOTS, sizeof *bundle->slots);
	bundle->left = READ_MAX;
	add_system(bundle, system);
	return bundle;
}

int pmg_bundle_complete(struct pmg_bundle *bundle, const struct pmg_strv *ca_files,
			const struct pmg_strv *ca_dirs, struct pmg_strv *notes, struct pmg_err *err)
{
	size_t i;

	add_users(bundle, ca_files, ca_dirs, notes);
	for (i = 0; i < bundle->asides.n; i++)
		pmg_log_debug("%s", bundle->asides.v[i]);
	if (bundle->n == 0) {
		(void)pmg_err_set(err, PMG_E_TLS, 0, "no root certificates were found");
		return pmg_err_hint(err, "install the package ca-certificates, or name a file "
					 "with SSL_CERT_FILE");
	}
	free(pmg_steal_ptr(&bundle->slots));
	return 0;
}

struct pmg_bundle *pmg_bundle_new(void)
{
	const char *const files[] = {
		"/etc/ssl/certs/ca-certificates.crt",                /* Debian, Alpine, Arch */
		"/etc/pki/tls/certs/ca-bundle.crt",                  /* Fedora */
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* Fedora, newer */
		"/etc/ssl/ca-bundle.pem",                            /* SUSE */
		"/etc/ssl/certs/ca-bundle.crt",                      /* NixOS */
		"/etc/ssl/cert.pem",                                 /* Alpine */
		X509_get_default_cert_file(),
		NULL,
	};
	const char *const dirs[] = {
		"/etc/ssl/certs",
		"/etc/pki/tls/certs",
		X509_get_default_cert_dir(),
		NULL,
	};
	const struct pmg_bundle_system system = { .files = files, .dirs = dirs };

	return pmg_bundle_new_from(&system);
}

const char *pmg_bundle_pem(const struct pmg_bundle *bundle, size_t *len)
{
	*len = bundle->pem.len;
	return bundle->pem.s;
}

struct x509_store_st *pmg_bundle_store(struct pmg_bundle *bundle, struct pmg_err *err)
{
	if (!bundle->store && bundle->certs &&
	    pmg_anchors_store(&bundle->certs, bundle->n, &bundle->store, err) < 0)
		return NULL;
	if (!bundle->store)
		(void)pmg_err_set(err, PMG_E_TLS, 0, "no store of certificates");
	return bundle->store;
}

int pmg_bundle_use(struct pmg_bundle *bundle, struct ssl_ctx_st *context, struct pmg_err *err)
{
	X509_STORE *store = pmg_bundle_store(bundle, err);

	if (!store)
		return -(int)err->code;
	SSL_CTX_set1_cert_store(context, store);
	return 0;
}

const char *pmg_verify_text(long result)
{
	return result == X509_V_OK || result == X509_V_ERR_UNSPECIFIED
		       ? NULL
		       : X509_verify_cert_error_string(result);
}
