#include "verdict/signed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "tls/hasher.h"
#include "verdict/gates.h"
#include "verdict/index.h"
#include "verdict/lock.h"
#include "verdict/publish.h"

#define STATE_MAX 4096U
#define STEP      262144U

static char *state_file(const char *index_path)
{
	pmg_autofree char *dir = pmg_path_dir(index_path);

	return pmg_path_join(dir, "signed.json");
}

bool pmg_signed_last(const char *index_path, uint64_t *sequence, char sha256[PMG_SHA256_HEX])
{
	pmg_autofree char *path = state_file(index_path);
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err scratch = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	const char *last;
	size_t len = 0;

	if (pmg_io_slurp(path, STATE_MAX, &text, &len, &scratch) < 0 ||
	    pmg_json_parse(path, text, len, &json, &scratch) < 0)
		return false;
	last = pmg_json_str(json, "sha256");
	if (!last || strlen(last) != PMG_SHA256_HEX - 1 || pmg_json_int(json, "sequence") < 0)
		return false;
	*sequence = (uint64_t)pmg_json_int(json, "sequence");
	memcpy(sha256, last, PMG_SHA256_HEX);
	return true;
}

/* Not a file that is not there, but one that cannot be read: an attacker of the past could hope for
 * it. */
static int check_state(const char *index_path, struct pmg_err *err)
{
	pmg_autofree char *path = state_file(index_path);
	char sha256[PMG_SHA256_HEX];
	uint64_t sequence;

	if (access(path, F_OK) < 0 || pmg_signed_last(index_path, &sequence, sha256))
		return 0;
	(void)pmg_err_set(err, PMG_E_PARSE, 0, "%s: cannot be read", path);
	(void)pmg_err_hint(err, "it says which signed index was the last; without it any that has "
				"not expired is taken");
	return pmg_err_diag(err, PMG_DIAG_FEED);
}

int pmg_signed_check_sequence(const char *index_path, const struct pmg_manifest *m,
			      struct pmg_err *err)
{
	char sha256[PMG_SHA256_HEX] = "";
	uint64_t last = 0;
	int r = check_state(index_path, err);

	if (r < 0)
		return r;
	if (!pmg_signed_last(index_path, &last, sha256) || m->sequence > last ||
	    (m->sequence == last && strcmp(sha256, m->sha256) == 0))
		return 0;
	if (m->sequence == last)
		(void)pmg_err_set(err, PMG_E_PARSE, 0,
				  "another index with the sequence %llu was taken before",
				  (unsigned long long)last);
	else
		(void)pmg_err_set(err, PMG_E_PARSE, 0,
				  "its sequence is %llu, and one with %llu was taken before",
				  (unsigned long long)m->sequence, (unsigned long long)last);
	(void)pmg_err_hint(err,
			   "an old index does not know what was found since; to go back all the "
			   "same remove signed.json beside the index");
	return pmg_err_diag(err, PMG_DIAG_FEED);
}

static int remember(const char *index_path, const struct pmg_manifest *m, struct pmg_err *err)
{
	pmg_autofree char *path = state_file(index_path);
	pmg_auto(json) struct json_t *json = pmg_json_object();
	pmg_autofree char *text = NULL;

	pmg_json_set_count(json, "sequence", m->sequence);
	pmg_json_set_str(json, "sha256", m->sha256);
	text = pmg_json_dump(json);
	return pmg_io_replace(path, text, strlen(text), 0600, err);
}

/* Copies a file, synced, and says what was copied. */
static int copy_steps(int from, int to, const char *name, uint64_t *size,
		      char sha256[PMG_SHA256_HEX], struct pmg_err *err)
{
	pmg_auto(hasher) struct pmg_hasher *hasher = NULL;
	pmg_autofree char *buf = pmg_xmalloc(STEP);
	unsigned char digest[PMG_HASHER_MAX];
	pmg_autofree char *hex = NULL;
	ssize_t n = 1;
	int r = pmg_hasher_new(256, &hasher, err);

	*size = 0;
	while (r == 0 && n > 0) {
		n = read(from, buf, STEP);
		if (n < 0)
			return pmg_err_set(err, PMG_E_SYS, errno, "read %s", name);
		*size += (uint64_t)n;
		r = pmg_hasher_add(hasher, buf, (size_t)n, err);
		if (r == 0)
			r = pmg_io_write_all(to, buf, (size_t)n, err);
	}
	if (r == 0)
		r = pmg_hasher_end(hasher, digest, err);
	if (r == 0 && fsync(to) < 0)
		r = pmg_err_set(err, PMG_E_SYS, errno, "sync the copy of %s", name);
	if (r < 0)
		return r;
	hex = pmg_hex(digest, 32);
	memcpy(sha256, hex, PMG_SHA256_HEX);
	return 0;
}

static int copy(const char *from, const char *to, uint64_t *size, char sha256[PMG_SHA256_HEX],
		struct pmg_err *err)
{
	struct stat st;
	pmg_autofd int in = -1;
	pmg_autofd int out = -1;
	int r = pmg_io_open(from, &in, &st, err);

	if (r < 0)
		return r;
	if (!S_ISREG(st.st_mode))
		return pmg_err_set(err, PMG_E_PARSE, 0, "%s: not a file", from);
	(void)unlink(to);
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "%s", to);
	return copy_steps(in, out, from, size, sha256, err);
}

/* A signed index comes in place of all: what else the present one knows would be forgotten. */
static int check_feeds(const char *index_path, struct pmg_index *fresh, struct pmg_err *err)
{
	pmg_auto(index) struct pmg_index *present = NULL;
	pmg_auto(index_feeds) struct pmg_index_feeds ours = { 0 }, theirs = { 0 };
	struct pmg_err scratch = PMG_ERR_INIT;
	size_t i, k;
	int r = pmg_index_feeds(fresh, &theirs, err);

	if (r < 0)
		return r;
	if (pmg_index_open(index_path, &present, &scratch) < 0 ||
	    pmg_index_feeds(present, &ours, &scratch) < 0)
		return 0; /* nothing that could be lost */
	for (i = 0; i < ours.n; i++) {
		for (k = 0; k < theirs.n && strcmp(ours.v[i].name, theirs.v[k].name) != 0; k++)
			;
		if (k < theirs.n || ours.v[i].records == 0)
			continue;
		(void)pmg_err_set(err, PMG_E_PARSE, 0,
				  "the feed \"%s\" of the present index is not in the signed one",
				  ours.v[i].name);
		(void)pmg_err_hint(err,
				   "a signed index comes in place of the whole index; --accept "
				   "takes it all the same");
		return pmg_err_diag(err, PMG_DIAG_FEED);
	}
	return 0;
}

static int open_checked(const char *path, struct pmg_index **out, struct pmg_err *err)
{
	pmg_auto(index) struct pmg_index *index = NULL;
	int r = pmg_index_open(path, &index, err);

	if (r == 0)
		r = pmg_index_check(index, err);
	if (r == 0)
		*out = pmg_steal_ptr(&index);
	return r;
}

static int check_copy(const char *index_path, const char *temp, bool accept, struct pmg_err *err)
{
	pmg_auto(index) struct pmg_index *index = NULL;
	int r = open_checked(temp, &index, err);

	return r < 0 || accept ? r : check_feeds(index_path, index, err);
}

static int take_copy(const char *index_path, const char *path, const char *temp,
		     const struct pmg_manifest *m, bool accept, struct pmg_err *err)
{
	char sha256[PMG_SHA256_HEX];
	uint64_t size = 0;
	int r = copy(path, temp, &size, sha256, err);

	if (r < 0)
		return r;
	if (size != m->size || strcmp(sha256, m->sha256) != 0) {
		(void)pmg_err_set(err, PMG_E_PARSE, 0, "%s: not the file that was signed", path);
		(void)pmg_err_hint(err,
				   "it was changed on its way, or file and manifest are not of "
				   "one export");
		return pmg_err_diag(err, PMG_DIAG_FEED);
	}
	r = check_copy(index_path, temp, accept, err);
	/* In this order: killed in between, the same one is taken again, and no older one. */
	if (r == 0)
		r = remember(index_path, m, err);
	return r < 0 ? r : pmg_publish(temp, index_path, err);
}

int pmg_signed_take(const char *index_path, const char *path, const struct pmg_manifest *m,
		    bool accept, struct pmg_err *err)
{
	pmg_autofree char *temp = pmg_xasprintf("%s.new", index_path);
	pmg_autofd int lock = -1;
	int r = pmg_lock_take(index_path, PMG_LOCK_MS, &lock, err);

	if (r < 0)
		return r;
	r = pmg_signed_check_sequence(index_path, m, err);
	if (r == 0)
		r = take_copy(index_path, path, temp, m, accept, err);
	if (r < 0)
		(void)unlink(temp);
	return r;
}

bool pmg_signed_is_index(const char *path)
{
	/* https://www.sqlite.org/fileformat.html, "The Database Header" */
	static const char magic[16] = "SQLite format 3";
	pmg_autofd int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char head[sizeof magic];

	return fd >= 0 && read(fd, head, sizeof head) == (ssize_t)sizeof head &&
	       memcmp(head, magic, sizeof head) == 0;
}

int pmg_signed_copy(const char *path, const char *to, struct pmg_index **copied,
		    struct pmg_err *err)
{
	char sha256[PMG_SHA256_HEX];
	uint64_t size = 0;
	int r = copy(path, to, &size, sha256, err);

	return r < 0 ? r : open_checked(to, copied, err);
}

/* What cannot be imported is not written. */
static int set_file(const char *path, struct pmg_manifest *m, struct pmg_err *err)
{
	const char *name = pmg_path_name(path);

	if (!pmg_manifest_file_is_valid(name)) {
		(void)pmg_err_set(err, PMG_E_USAGE, 0, "%s: a manifest cannot name such a file",
				  path);
		return pmg_err_hint(err,
				    "letters, digits and -_. , no dot in front, at most %u in all",
				    PMG_MANIFEST_FILE_MAX);
	}
	memcpy(m->file, name, strlen(name) + 1);
	return 0;
}

int pmg_signed_export(const char *index_path, const char *path, struct pmg_manifest *m,
		      const struct pmg_sign_key *key, struct pmg_err *err)
{
	pmg_autofree char *temp = pmg_xasprintf("%s.new", path);
	pmg_autofree char *json = pmg_xasprintf("%s.json", path);
	pmg_autofree char *text = NULL;
	pmg_auto(index) struct pmg_index *index = NULL;
	pmg_autofd int lock = -1;
	int r = key ? set_file(path, m, err) : 0;

	if (r == 0)
		r = pmg_lock_take(index_path, PMG_LOCK_MS, &lock, err);
	if (r < 0)
		return r;
	/* Not the copy: it may lie where others can write, and then it would not be opened. */
	r = open_checked(index_path, &index, err);
	if (r == 0)
		r = copy(index_path, temp, &m->size, m->sha256, err);
	if (r == 0 && key)
		r = pmg_manifest_sign(m, key, err);
	if (r == 0 && rename(temp, path) < 0)
		r = pmg_err_set(err, PMG_E_SYS, errno, "%s", path);
	if (r < 0) {
		(void)unlink(temp);
		return r;
	}
	if (!key)
		return 0;
	text = pmg_manifest_format(m);
	return pmg_io_replace(json, text, strlen(text), 0644, err);
}
