#include "pm/cached.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "pm/managers.h"

#define SHA512_BYTES 64U

void pmg_cached_done(struct pmg_cached *cached)
{
	pmg_strv_done(&cached->contents);
}

/* One that cannot be looked into may hold anything. */
static bool is_empty(const char *path)
{
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	if (access(path, F_OK) < 0)
		return true;
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir)))
		found = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	if (!dir)
		return false;
	(void)closedir(dir);
	return !found;
}

void pmg_cached_find(const struct pmg_pm *pm, const struct pmg_places *places,
		     struct pmg_cached *out)
{
	const struct pmg_strv *const lists[] = { &places->caches, &places->stores };
	size_t i, k;

	out->by_digest = pm == &pmg_pm_npm;
	out->is_empty = true;
	for (i = 0; i < PMG_ARRAY_LEN(lists); i++)
		for (k = 0; k < lists[i]->n; k++) {
			out->is_empty = out->is_empty && is_empty(lists[i]->v[k]);
			if (out->by_digest)
				pmg_strv_take(&out->contents,
					      pmg_path_join(lists[i]->v[k],
							    "_cacache/content-v2/sha512"));
		}
}

/* cacache's: the digest in hexadecimal, two bytes of it as folders. */
static bool has_content(const struct pmg_cached *cached, const unsigned char *digest)
{
	pmg_autofree char *hex = pmg_hex(digest, SHA512_BYTES);
	size_t i;

	for (i = 0; i < cached->contents.n; i++) {
		pmg_autofree char *path = pmg_xasprintf("%s/%.2s/%.2s/%s", cached->contents.v[i],
							hex, hex + 2, hex + 4);

		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

bool pmg_cached_may_have(const struct pmg_cached *cached, const char *integrity)
{
	static const char prefix[] = "sha512-";
	unsigned char digest[SHA512_BYTES];
	const char *text;

	if (cached->is_empty)
		return false;
	if (!cached->by_digest || !integrity || !pmg_str_has_prefix(integrity, prefix))
		return true;
	text = integrity + sizeof prefix - 1;
	/* One of several: any of them may be there. */
	if (!pmg_base64_read(text, strlen(text), digest, sizeof digest))
		return true;
	return has_content(cached, digest);
}
