#include "run/learned.h"

#include <string.h>

#include "base/io.h"
#include "base/path.h"
#include "base/str.h"

static int read_lines(const char *path, struct pmg_strv *out, struct pmg_err *err)
{
	pmg_autofree char *text = NULL;
	size_t len;
	int r = pmg_io_slurp(path, PMG_LEARNED_FILE_MAX, &text, &len, err);

	if (r == -PMG_E_NOTFOUND)
		return 0;
	if (r < 0)
		return r;
	pmg_strv_split(out, text, "\n");
	return 0;
}

int pmg_learned_add(const char *path, const struct pmg_strv *lines, size_t max, struct pmg_err *err)
{
	pmg_auto(str) struct pmg_str text = PMG_STR_INIT(PMG_LEARNED_FILE_MAX);
	pmg_auto(strv) struct pmg_strv all = { 0 };
	pmg_autofree char *dir = pmg_path_dir(path);
	size_t added = 0, i;
	int r = lines->n > 0 ? read_lines(path, &all, err) : 0;

	for (i = 0; r == 0 && i < lines->n; i++)
		if (!strchr(lines->v[i], '\n'))
			added += pmg_strv_add_once(&all, lines->v[i]);
	if (r < 0 || added == 0)
		return r;
	for (i = all.n > max ? all.n - max : 0; i < all.n; i++)
		if (pmg_str_addf(&text, "%s\n", all.v[i]) < 0)
			return pmg_err_set(err, PMG_E_LIMIT, 0, "%s: too large", path);
	r = pmg_io_mkdirs(dir, 0700, err);
	return r < 0 ? r : pmg_io_replace(path, text.s, text.len, 0600, err);
}
