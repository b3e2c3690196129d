#include "base/path.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

char *pmg_path_join(const char *dir, const char *name)
{
	if (name[0] == '/' || dir[0] == '\0')
		return pmg_xstrdup(name);
	return pmg_xasprintf("%s%s%s", dir, pmg_str_has_suffix(dir, "/") ? "" : "/", name);
}

/* Takes the last component off out[0..len), which holds an absolute path without trailing slash. */
static size_t drop_last(const char *out, size_t len)
{
	while (len > 0 && out[len - 1] != '/')
		len--;
	return len > 0 ? len - 1 : 0;
}

char *pmg_path_clean(const char *path)
{
	bool absolute = path[0] == '/';
	char *out = pmg_xmalloc(strlen(path) + 2);
	size_t len = 0, n;

	for (; *path; path += n) {
		while (*path == '/')
			path++;
		n = strcspn(path, "/");
		if (n == 0 || (n == 1 && path[0] == '.'))
			continue;
		if (absolute && n == 2 && memcmp(path, "..", 2) == 0) {
			len = drop_last(out, len);
			continue;
		}
		if (len > 0 || absolute)
			out[len++] = '/';
		memcpy(out + len, path, n);
		len += n;
	}
	if (len == 0)
		out[len++] = absolute ? '/' : '.';
	out[len] = '\0';
	return out;
}

bool pmg_path_is_under(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (n == 1 && dir[0] == '/')
		return path[0] == '/';
	return strncmp(path, dir, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

const char *pmg_path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *pmg_path_dir(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return pmg_xstrdup(".");
	if (slash == path)
		return pmg_xstrdup("/");
	return pmg_xstrndup(path, (size_t)(slash - path));
}

char *pmg_path_real(const char *path)
{
	return realpath(path, NULL);
}
