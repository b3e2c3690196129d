#include "run/self.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"

#define SEGMENTS_MAX 64U
#define NOTES_MAX    4096U /* bytes of one segment of notes that are looked at */

static bool read_at(int fd, void *buf, size_t len, uint64_t where)
{
	return where <= INT64_MAX && pread(fd, buf, len, (off_t)where) == (ssize_t)len;
}

static size_t padded(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* Notes are {namesz, descsz, type, name, desc}, name and desc padded to 4 (elf(5)). */
static bool has_our_note(const unsigned char *bytes, size_t len)
{
	ElfW(Nhdr) head;
	size_t size;

	while (len >= sizeof head) {
		memcpy(&head, bytes, sizeof head);
		if (head.n_namesz > NOTES_MAX || head.n_descsz > NOTES_MAX)
			return false;
		size = sizeof head + padded(head.n_namesz) + padded(head.n_descsz);
		if (size > len)
			return false;
		if (head.n_namesz == 4 && memcmp(bytes + sizeof head, "pmg", 4) == 0)
			return true;
		bytes += size;
		len -= size;
	}
	return false;
}

static bool segment_has_note(int fd, const ElfW(Phdr) * segment)
{
	unsigned char bytes[NOTES_MAX];
	size_t len = segment->p_filesz < NOTES_MAX ? (size_t)segment->p_filesz : NOTES_MAX;

	return segment->p_type == PT_NOTE && read_at(fd, bytes, len, segment->p_offset) &&
	       has_our_note(bytes, len);
}

static bool is_marked(int fd)
{
	ElfW(Ehdr) head;
	ElfW(Phdr) segment;
	size_t i;

	if (!read_at(fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	if (head.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    head.e_phentsize != sizeof segment || head.e_phnum > SEGMENTS_MAX)
		return false;
	for (i = 0; i < head.e_phnum; i++)
		if (read_at(fd, &segment, sizeof segment, head.e_phoff + i * sizeof segment) &&
		    segment_has_note(fd, &segment))
			return true;
	return false;
}

bool pmg_self_is(const char *path, const struct stat *st)
{
	pmg_autofd int fd = -1;
	struct stat self;

	if (stat("/proc/self/exe", &self) == 0 && self.st_dev == st->st_dev &&
	    self.st_ino == st->st_ino)
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd >= 0 && is_marked(fd);
}

/* The folder of the running program. */
static char *own_dir(void)
{
	pmg_autofree char *exe = pmg_path_real("/proc/self/exe");

	return exe ? pmg_path_dir(exe) : NULL;
}

/* "../libexec/pmg" of "/usr/bin" and "/usr/libexec/pmg", seen from dir. */
static char *moved(const char *dir)
{
	const char *bin = PMG_BINDIR, *libexec = PMG_LIBEXECDIR;
	pmg_auto(str) struct pmg_str path = PMG_STR_INIT(8192);
	size_t common = 0, i;
	int r;

	for (i = 0; bin[i] && bin[i] == libexec[i]; i++)
		if (bin[i] == '/')
			common = i + 1;
	r = pmg_str_addf(&path, "%s/..", dir);
	for (i = common; r == 0 && bin[i]; i++)
		if (bin[i] == '/')
			r = pmg_str_adds(&path, "/..");
	if (r == 0)
		r = pmg_str_addf(&path, "/%s", libexec + common);
	return r == 0 ? pmg_path_clean(path.s) : pmg_xstrdup(libexec);
}

/* What runs with the user's rights and holds the key of the run's CA must not be replaceable. */
static int check_owner(const char *path, const struct stat *st, struct pmg_err *err)
{
	struct stat self;
	bool ok = st->st_uid == 0 || st->st_uid == geteuid();

	if (stat("/proc/self/exe", &self) == 0 && self.st_uid == st->st_uid)
		ok = true;
	if (!ok)
		return pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "%s belongs to somebody else", path);
	if (!S_ISREG(st->st_mode))
		return pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "%s is no program", path);
	if (st->st_mode & S_IWOTH) {
		(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "%s is writable by everybody", path);
		return pmg_err_hint(err, "chmod o-w %s", path);
	}
	return 0;
}

int pmg_self_helper(const char *name, char **path, struct pmg_err *err)
{
	pmg_autofree char *dir = own_dir();
	pmg_autofree char *tree = dir ? pmg_path_join(dir, name) : NULL;
	pmg_autofree char *libexec = dir ? moved(dir) : NULL;
	pmg_autofree char *relative = libexec ? pmg_path_join(libexec, name) : NULL;
	pmg_autofree char *fixed = pmg_path_join(PMG_LIBEXECDIR, name);
	char *const candidates[] = { tree, relative, fixed };
	struct stat st;
	size_t i;
	int r;

	for (i = 0; i < PMG_ARRAY_LEN(candidates); i++) {
		if (!candidates[i] || stat(candidates[i], &st) < 0)
			continue;
		r = check_owner(candidates[i], &st, err);
		if (r < 0)
			return r;
		*path = pmg_xstrdup(candidates[i]);
		return 0;
	}
	(void)pmg_err_set(err, PMG_E_NOTFOUND, 0, "%s is not there", name);
	return pmg_err_hint(err, "looked beside pmg and in %s: install pmg anew", PMG_LIBEXECDIR);
}
