#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/str.h"
#include "verdict/inspect_priv.h"

#define MODE_SETID 06000U

void pmg_inspection_done(struct pmg_inspection *in)
{
	pmg_str_done(&in->paths);
	free(in->v);
	free(in->top);
	free(in->first_beside);
	free(in->info);
	pmg_strv_done(&in->others);
	*in = (struct pmg_inspection){ 0 };
}

/* A drive is an absolute place where Windows' rules count. */
static bool is_absolute(const char *path)
{
	bool has_drive =
		((path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z')) &&
		path[1] == ':' && (path[2] == '/' || path[2] == '\\');

	return path[0] == '/' || path[0] == '\\' || has_drive;
}

/* Some readers take a backslash for a slash. */
static bool climbs(const char *path)
{
	size_t n;

	for (; *path; path += n + (path[n] != '\0')) {
		n = strcspn(path, "/\\");
		if (n == 2 && path[0] == '.' && path[1] == '.')
			return true;
	}
	return false;
}

static bool has_control(const char *path)
{
	for (; *path; path++)
		if ((unsigned char)*path < 0x20 || *path == 0x7f)
			return true;
	return false;
}

/* Without empty parts and dots. @return how many parts there are */
static size_t plain(const char *path, char *out)
{
	size_t n, parts = 0, at = 0;

	for (; *path; path += n + (path[n] != '\0')) {
		n = strcspn(path, "/");
		if (n == 0 || (n == 1 && *path == '.'))
			continue;
		if (parts++ > 0)
			out[at++] = '/';
		memcpy(out + at, path, n);
		at += n;
	}
	out[at] = '\0';
	return parts;
}

/*
 * Where does it lead to, from `depth` folders within what may be written? Only by its words: so a
 * target that climbs behind a name, which may be a link itself, counts as one that leaves.
 */
static bool leaves(const char *target, size_t depth)
{
	bool has_gone_down = false;
	size_t n;

	if (is_absolute(target))
		return true;
	for (; *target; target += n + (target[n] != '\0')) {
		n = strcspn(target, "/\\");
		if (n == 0 || (n == 1 && *target == '.'))
			continue;
		if (n != 2 || target[0] != '.' || target[1] != '.') {
			has_gone_down = true;
			continue;
		}
		if (has_gone_down || depth == 0)
			return true;
		depth--;
	}
	return false;
}

/* @param parts  of its path: the last is its name, the first the top folder of a tar */
static void check_link(struct pmg_inspection *in, const struct pmg_inspect_entry *entry,
		       size_t parts)
{
	size_t around = in->is_tar ? 2 : 1;
	size_t depth = parts > around ? parts - around : 0;

	/* The target of a hard link is a path of the archive, from its root. */
	if (leaves(entry->link, entry->is_hard ? 0 : depth))
		pmg_traits_add(in->out, PMG_TRAIT_LINK_OUTSIDE, "%s -> %s", entry->path,
			       entry->link);
	else
		pmg_traits_add(in->out, PMG_TRAIT_LINK, "%s -> %s", entry->path, entry->link);
}

static void check_type(struct pmg_inspection *in, const struct pmg_inspect_entry *entry,
		       size_t parts)
{
	mode_t type = entry->mode & S_IFMT;

	if (entry->link)
		check_link(in, entry, parts);
	else if (type != S_IFREG && type != S_IFDIR)
		pmg_traits_add(in->out, PMG_TRAIT_DEVICE, "%s", entry->path);
	/* On folders git and umask leave such bits behind. */
	if (type == S_IFREG && (entry->mode & MODE_SETID))
		pmg_traits_add(in->out, PMG_TRAIT_SETUID, "%s", entry->path);
}

static void check_path(struct pmg_inspection *in, const char *path)
{
	if (is_absolute(path) || climbs(path))
		pmg_traits_add(in->out, PMG_TRAIT_TRAVERSAL, "%s", path);
	if (has_control(path))
		pmg_traits_add(in->out, PMG_TRAIT_CONTROL, "%s", path);
}

/* Is it in the one folder that npm's packages and source distributions have? */
static void check_top(struct pmg_inspection *in, const char *path, size_t parts, bool is_folder)
{
	size_t n = strcspn(path, "/");

	if (!in->top && (parts > 1 || is_folder))
		in->top = pmg_xstrndup(path, n);
	if (is_folder || (parts > 1 && strlen(in->top) == n && memcmp(path, in->top, n) == 0))
		return;
	if (in->beside++ == 0)
		in->first_beside = pmg_xstrdup(path);
}

static bool is_below(const char *path, const char *suffix, const char *const *folders)
{
	size_t n = strcspn(path, "/"), len = strlen(suffix);
	const char *rest = path + n + 1;

	if (path[n] == '\0' || n <= len || memcmp(path + n - len, suffix, len) != 0)
		return false;
	for (; *folders; folders++)
		if (pmg_str_has_prefix(rest, *folders))
			return true;
	return false;
}

/* Parts of a wheel that land elsewhere than the rest (PEP 427, "The .data directory"). */
static void check_wheel(struct pmg_inspection *in, const char *path, size_t parts)
{
	static const char *const elsewhere[] = { "scripts/", "data/", "headers/", NULL };
	static const char *const library[] = { "purelib/", "platlib/", NULL };
	bool is_library = parts == 1 || (parts == 3 && is_below(path, ".data", library));

	if (is_below(path, ".data", elsewhere))
		pmg_traits_add(in->out, PMG_TRAIT_OUTSIDE, "%s", path);
	if (is_library && pmg_str_has_suffix(path, ".pth"))
		pmg_traits_add(in->out, PMG_TRAIT_STARTUP, "%s", path);
}

static enum pmg_inspect_wants look_at_pypi(struct pmg_inspection *in, const char *path,
					   size_t parts)
{
	static const char *const metadata[] = { "METADATA", NULL };
	size_t n = strcspn(path, "/");
	const char *name = path[n] ? path + n + 1 : "";
	pmg_autofree char *top = pmg_xstrndup(path, n);

	check_wheel(in, path, parts);
	if (parts > 1 && pmg_str_has_suffix(top, ".dist-info") && !in->is_tar)
		pmg_inspection_info(in, top);
	if (parts != 2)
		return PMG_WANTS_NOTHING;
	in->has_setup |= strcmp(name, "setup.py") == 0;
	in->has_project |= strcmp(name, "pyproject.toml") == 0;
	in->is_egg |= strcmp(path, "EGG-INFO/PKG-INFO") == 0;
	if (strcmp(name, "PKG-INFO") == 0 ||
	    (is_below(path, ".dist-info", metadata) && strcmp(name, "METADATA") == 0))
		return PMG_WANTS_METADATA;
	return PMG_WANTS_NOTHING;
}

static enum pmg_inspect_wants look_at_npm(struct pmg_inspection *in, const char *key)
{
	if (strcmp(key, "binding.gyp") == 0)
		pmg_traits_add(in->out, PMG_TRAIT_BUILD, "binding.gyp: built by node-gyp");
	return strcmp(key, "package.json") == 0 ? PMG_WANTS_PACKAGE_JSON : PMG_WANTS_NOTHING;
}

/* What npm's tools strip: the first part, whatever it is. */
static const char *key_of(const struct pmg_inspection *in, const char *path)
{
	size_t n = strcspn(path, "/");

	return in->what->eco == PMG_ECO_NPM && path[n] ? path + n + 1 : path;
}

static bool keep(struct pmg_inspection *in, const struct pmg_inspect_entry *entry, const char *key)
{
	struct pmg_inspect_path path = { .raw = in->paths.len,
					 .offset = entry->offset,
					 .size = UINT64_MAX,
					 .is_folder = S_ISDIR(entry->mode),
					 .is_link = entry->link != NULL };

	in->paths.max = in->what->limits.paths;
	if (pmg_str_add(&in->paths, entry->path, strlen(entry->path) + 1) < 0)
		return false;
	path.key = in->paths.len;
	if (pmg_str_add(&in->paths, key, strlen(key) + 1) < 0)
		return false;
	in->v = pmg_grow(in->v, in->n, &in->cap, sizeof *in->v);
	in->v[in->n++] = path;
	return true;
}

/*
 * One that is not kept is compared with no other, which is told; but it is looked at, and so is
 * what stands behind it: else an absurd path would hide all the rest.
 */
static void keep_or_tell(struct pmg_inspection *in, const struct pmg_inspect_entry *entry,
			 const char *key, size_t parts)
{
	const struct pmg_inspect_limits *limits = &in->what->limits;
	bool is_long = strlen(entry->path) > limits->path || parts > limits->depth;

	if (is_long && !in->has_long)
		pmg_traits_add(in->out, PMG_TRAIT_OVERSIZED, "it has too long a path");
	in->has_long |= is_long;
	if (is_long || in->is_full)
		return;
	in->is_full = !keep(in, entry, key);
	if (in->is_full)
		pmg_traits_add(in->out, PMG_TRAIT_OVERSIZED, "it has too many long paths");
}

bool pmg_inspection_entry(struct pmg_inspection *in, const struct pmg_inspect_entry *entry,
			  enum pmg_inspect_wants *wants)
{
	pmg_autofree char *path = NULL;
	const char *key;
	size_t parts;

	*wants = PMG_WANTS_NOTHING;
	if (++in->n_entries > in->what->limits.entries) {
		pmg_traits_add(in->out, PMG_TRAIT_OVERSIZED, "it has too many entries");
		return false;
	}
	check_path(in, entry->path);
	path = pmg_xmalloc(strlen(entry->path) + 1);
	parts = plain(entry->path, path);
	check_type(in, entry, parts);
	if (parts == 0)
		return true; /* "./" */
	key = key_of(in, path);
	check_top(in, path, parts, S_ISDIR(entry->mode));
	keep_or_tell(in, entry, key, parts);
	if (S_ISREG(entry->mode))
		*wants = in->what->eco == PMG_ECO_NPM ? look_at_npm(in, key)
						      : look_at_pypi(in, path, parts);
	return true;
}

static bool is_pe(const unsigned char *head, size_t len)
{
	size_t at;

	if (len < 64 || head[0] != 'M' || head[1] != 'Z')
		return false;
	at = (size_t)head[0x3c] | (size_t)head[0x3d] << 8;
	return head[0x3e] == 0 && head[0x3f] == 0 && at + 4 <= len &&
	       memcmp(head + at, "PE\0\0", 4) == 0;
}

/* The magic of several architectures in one file is that of Java's classes too, where a version of
 * at least 45 stands in place of how many there are. */
static bool is_macho(const unsigned char *head, size_t len)
{
	static const unsigned char magics[][4] = { { 0xfe, 0xed, 0xfa, 0xce },
						   { 0xfe, 0xed, 0xfa, 0xcf },
						   { 0xce, 0xfa, 0xed, 0xfe },
						   { 0xcf, 0xfa, 0xed, 0xfe } };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(magics); i++)
		if (len >= 8 && memcmp(head, magics[i], 4) == 0)
			return true;
	return len >= 8 && memcmp(head, "\xca\xfe\xba\xbe\0\0\0", 7) == 0 && head[7] < 40;
}

static bool is_machine_code(const unsigned char *head, size_t len)
{
	return (len >= 4 && memcmp(head, "\177ELF", 4) == 0) || is_pe(head, len) ||
	       is_macho(head, len);
}

/* "libx.so", "libx.so.1.2", "x.node". An object that is linked is as much a library here. */
static bool is_library(const char *path)
{
	static const char *const ends[] = { ".node", ".so",   ".dll", ".dylib",
					    ".pyd",  ".bare", ".o",   NULL };
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t i;

	for (i = 0; ends[i]; i++)
		if (pmg_str_has_suffix(name, ends[i]))
			return true;
	return strstr(name, ".so.") != NULL;
}

void pmg_inspection_data(struct pmg_inspection *in, const struct pmg_inspect_entry *entry,
			 const unsigned char *head, size_t len, uint64_t size)
{
	if (in->n > 0 && strcmp(in->paths.s + in->v[in->n - 1].raw, entry->path) == 0)
		in->v[in->n - 1].size = size;
	if (!is_machine_code(head, len))
		return;
	pmg_traits_add(in->out, is_library(entry->path) ? PMG_TRAIT_NATIVE : PMG_TRAIT_BINARY, "%s",
		       entry->path);
}
