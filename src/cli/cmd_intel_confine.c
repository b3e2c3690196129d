#include "base/path.h"
#include "cli/cmd_intel.h"
#include "kernel/confine.h"
#include "verdict/import.h"

int pmg_intel_confine(const struct pmg_import_want *want, struct pmg_err *err)
{
	pmg_autofree char *dir = pmg_path_dir(want->index);
	struct pmg_confine what = { 0 };
	int r;

	pmg_strv_add(&what.write_folders, dir);
	pmg_strv_add(&what.read_files, want->path);
	if (want->also)
		pmg_strv_add(&what.read_files, want->also);
	/* What hash tables are seeded with, so that a feed cannot be made to collide in them. */
	pmg_strv_add(&what.read_files, "/dev/urandom");
	r = pmg_confine_self(&what, err);
	pmg_strv_done(&what.write_folders);
	pmg_strv_done(&what.read_files);
	return r;
}
