#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"
#include "sandbox/who_priv.h"

#define CLIMB_MAX 32U /* folders looked at, from the process's own upwards */

void pmg_package_done(struct pmg_package *package)
{
	free(package->name);
	free(package->version);
	free(package->called);
	free(package->folder);
	*package = (struct pmg_package){ 0 };
}

char *pmg_package_text(const struct pmg_package *package)
{
	if (!package->name)
		return NULL;
	return package->version ? pmg_xasprintf("%s@%s", package->name, package->version)
				: pmg_xstrdup(package->name);
}

char *pmg_package_called(const struct pmg_package *package)
{
	struct pmg_package other = { .name = package->called, .version = package->version };

	return pmg_package_text(&other);
}

/* Printable, without blanks, and no longer than a name or version can be: it is shown to people and
 * is part of what makes two refusals the same. */
static bool is_word(const char *text, size_t len, size_t max)
{
	size_t i;

	if (len == 0 || len > max)
		return false;
	for (i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	return true;
}

static bool set(struct pmg_package *out, const char *name, size_t name_len, const char *version,
		size_t version_len)
{
	if (name && is_word(name, name_len, PMG_PACKAGE_NAME_MAX))
		out->name = pmg_xstrndup(name, name_len);
	if (version && is_word(version, version_len, PMG_PACKAGE_VER_MAX))
		out->version = pmg_xstrndup(version, version_len);
	return out->name != NULL;
}

/* One line of a text that need not end in a NUL. */
struct line {
	const char *at;
	size_t len;
};

static struct line line_of(const char *text)
{
	return (struct line){ text, text ? strlen(text) : 0 };
}

static void trim(struct line *line)
{
	while (line->len > 0 && strchr(" \t\r\n\v\f", line->at[line->len - 1]))
		line->len--;
	while (line->len > 0 && strchr(" \t\r\n\v\f", line->at[0])) {
		line->at++;
		line->len--;
	}
}

bool pmg_package_json(const char *text, size_t len, struct pmg_package *out)
{
	pmg_auto(json) struct json_t *json = NULL;
	struct pmg_err err = PMG_ERR_INIT;
	struct line name, version;

	if (pmg_json_parse_as_js("package.json", text, len, &json, &err) < 0)
		return false;
	name = line_of(pmg_json_str(json, "name"));
	version = line_of(pmg_json_str(json, "version"));
	/* As npm does: else a blank would make it another version than the one that is listed. */
	trim(&name);
	trim(&version);
	return set(out, name.at, name.len, version.at, version.len);
}

static bool next_line(const char **text, size_t *left, struct line *line)
{
	const char *end;

	if (*left == 0)
		return false;
	end = memchr(*text, '\n', *left);
	line->at = *text;
	line->len = end ? (size_t)(end - *text) : *left;
	*left -= line->len + (end ? 1 : 0);
	*text += line->len + (end ? 1 : 0);
	return true;
}

/* "key", blanks, separator, value: what stands behind the separator. */
static bool value_of(const struct line *line, const char *key, char separator, struct line *value)
{
	size_t len = strlen(key);
	struct line rest;

	if (line->len < len || memcmp(line->at, key, len) != 0)
		return false;
	rest = (struct line){ line->at + len, line->len - len };
	trim(&rest);
	if (rest.len == 0 || rest.at[0] != separator)
		return false;
	*value = (struct line){ rest.at + 1, rest.len - 1 };
	trim(value);
	return true;
}

bool pmg_package_pkginfo(const char *text, size_t len, struct pmg_package *out)
{
	struct line line, name = { NULL, 0 }, version = { NULL, 0 };

	while (next_line(&text, &len, &line)) {
		trim(&line);
		if (line.len == 0)
			break; /* the description follows */
		if (!name.at && value_of(&line, "Name", ':', &name))
			continue;
		if (!version.at)
			(void)value_of(&line, "Version", ':', &version);
	}
	return set(out, name.at, name.len, version.at, version.len);
}

/* A simple text of TOML: in one kind of quotes, nothing escaped. */
static void unquote(struct line *value)
{
	const char *end;

	if (value->len < 2 || (value->at[0] != '"' && value->at[0] != '\'')) {
		*value = (struct line){ NULL, 0 };
		return;
	}
	end = memchr(value->at + 1, value->at[0], value->len - 1);
	*value = end ? (struct line){ value->at + 1, (size_t)(end - value->at) - 1 }
		     : (struct line){ NULL, 0 };
}

bool pmg_package_pyproject(const char *text, size_t len, struct pmg_package *out)
{
	static const char table[] = "[project]";
	struct line line, name = { NULL, 0 }, version = { NULL, 0 };
	bool inside = false;

	while (next_line(&text, &len, &line)) {
		trim(&line);
		if (line.len > 0 && line.at[0] == '[')
			inside = line.len >= sizeof table - 1 &&
				 memcmp(line.at, table, sizeof table - 1) == 0;
		else if (inside && !name.at && value_of(&line, "name", '=', &name))
			unquote(&name);
		else if (inside && !version.at && value_of(&line, "version", '=', &version))
			unquote(&version);
	}
	return set(out, name.at, name.len, version.at, version.len);
}

static const struct {
	const char *name;
	bool (*read)(const char *text, size_t len, struct pmg_package *out);
} files[] = {
	{ "package.json", pmg_package_json },
	{ "PKG-INFO", pmg_package_pkginfo },
	{ "pyproject.toml", pmg_package_pyproject },
};

/* The folder is the package's: a link must not lead us elsewhere, a FIFO must not hold us up, and
 * what is large must not be read. */
static bool read_file(int dir, const char *name, char **text, size_t *len)
{
	pmg_autofd int fd =
		openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct pmg_err err = PMG_ERR_INIT;
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       pmg_io_slurp_fd(fd, name, PMG_PACKAGE_FILE_MAX, text, len, &err) == 0;
}

static bool is_there(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* any: one that says a version and no name will do; but the first that is there speaks, as the tool
 * reads that one: a package could make it unreadable for us and add another that says what it
 * likes. */
static bool ask_files(int dir, bool any, struct pmg_package *out)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(files); i++) {
		pmg_autofree char *text = NULL;
		size_t len = 0;

		if (!read_file(dir, files[i].name, &text, &len)) {
			if (any && is_there(dir, files[i].name))
				return false;
			continue;
		}
		if (files[i].read(text, len, out))
			return true;
		if (any && out->version)
			return true;
		pmg_package_done(out);
		if (any)
			return false;
	}
	return false;
}

/* Do packages lie in the folder that the first len bytes of path name? */
static bool holds_packages(const struct pmg_policy *policy, const char *path, size_t len)
{
	pmg_autofree char *folder = pmg_xstrndup(path, len);

	return pmg_strv_has(&policy->dependency_names, pmg_path_name(folder)) ||
	       pmg_strv_has(&policy->package_folders, folder);
}

/* Where an installed package lies. */
struct spot {
	const char *name; /* within the path */
	size_t name_len;
	size_t len; /* of the package's own folder, from the path's beginning */
};

/* FOLDER/NAME, FOLDER/@SCOPE/NAME. What begins with a dot is no package. */
static bool in_folder(const char *path, const char *first, struct spot *out)
{
	size_t len = strcspn(first, "/");

	if (*first == '@' && first[len] == '/')
		len += 1 + strcspn(first + len + 1, "/");
	else if (*first == '@')
		len = 0; /* the scope's folder: of no one package */
	if (len == 0 || *first == '.')
		return false;
	*out = (struct spot){ first, len, (size_t)(first - path) + len };
	return true;
}

/* FOLDER/.store/NAME-npm-VERSION-HASH/package of berry. Where a scope ends there nobody can tell.
 */
static bool in_store(const char *path, const char *first, struct spot *out)
{
	static const char store[] = ".store/", package[] = "/package", mark[] = "-npm-";
	const char *key = first + sizeof store - 1, *at, *found = NULL;
	size_t len;

	if (strncmp(first, store, sizeof store - 1) != 0 || *key == '@')
		return false;
	len = strcspn(key, "/");
	if (strncmp(key + len, package, sizeof package - 1) != 0 ||
	    (key[len + sizeof package - 1] && key[len + sizeof package - 1] != '/'))
		return false;
	for (at = key; (at = memmem(at, (size_t)(key + len - at), mark, sizeof mark - 1)); at++)
		found = at;
	if (!found || found == key)
		return false;
	*out = (struct spot){ key, (size_t)(found - key),
			      (size_t)(key - path) + len + sizeof package - 1 };
	return true;
}

/* By the last dependency folder in the path. */
static bool installed_at(const struct pmg_policy *policy, const char *path, struct spot *out)
{
	const char *at = path;
	bool found = false;

	while (*at == '/') {
		at++;
		at += strcspn(at, "/");
		if (*at == '/' && holds_packages(policy, path, (size_t)(at - path)))
			found |= in_folder(path, at + 1, out) || in_store(path, at + 1, out);
	}
	return found;
}

bool pmg_package_is_installed(const struct pmg_policy *policy, const char *path)
{
	struct spot spot;

	return installed_at(policy, path, &spot);
}

static size_t depth_below(const char *path, size_t len)
{
	size_t n = 0;

	for (; path[len]; len++)
		n += path[len] == '/';
	return n;
}

/* By descriptor: a path read a moment ago may name another folder now. */
static int climb(int dir, size_t levels)
{
	int fd = openat(dir, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	while (fd >= 0 && levels-- > 0) {
		int up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

		(void)close(fd);
		fd = up;
	}
	return fd;
}

static bool installed(const struct pmg_policy *policy, int dir, const char *path,
		      struct pmg_package *out)
{
	pmg_auto(package) struct pmg_package told = { 0 };
	struct spot spot;
	size_t levels;
	pmg_autofd int root = -1;

	if (!installed_at(policy, path, &spot) ||
	    !is_word(spot.name, spot.name_len, PMG_PACKAGE_NAME_MAX))
		return false;
	levels = depth_below(path, spot.len);
	if (levels > CLIMB_MAX)
		return false;
	root = climb(dir, levels);
	if (root >= 0)
		(void)ask_files(root, true, &told);
	/* The folder's name is what was asked for; what its file calls itself may be a lie, or
	 * what was installed under another name. */
	out->name = pmg_xstrndup(spot.name, spot.name_len);
	if (told.name && strcmp(told.name, out->name) != 0)
		out->called = pmg_steal_ptr(&told.name);
	out->version = pmg_steal_ptr(&told.version);
	out->folder = pmg_xstrndup(path, spot.len);
	return true;
}

bool pmg_package_of(const struct pmg_policy *policy, int dir, const char *path,
		    struct pmg_package *out)
{
	const char *project = policy->project ? policy->project : "/";
	const char *home = policy->home ? policy->home : "/";
	pmg_autofree char *at = pmg_xstrdup(path);
	pmg_autofd int fd = -1;
	size_t i;

	if (installed(policy, dir, path, out))
		return true;
	fd = climb(dir, 0);
	for (i = 0; i < CLIMB_MAX && fd >= 0; i++) {
		bool top = strcmp(at, project) == 0;
		pmg_autofree char *up = pmg_path_dir(at);
		int above;

		if (!top && (strcmp(at, "/") == 0 || strcmp(at, home) == 0))
			return false;
		if (ask_files(fd, false, out)) {
			out->own = top;
			out->folder = pmg_steal_ptr(&at);
			return true;
		}
		if (top)
			return false;
		above = climb(fd, 1);
		(void)close(fd);
		fd = above;
		free(at);
		at = pmg_steal_ptr(&up);
	}
	return false;
}
