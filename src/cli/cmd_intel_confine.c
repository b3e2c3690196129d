#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"
#include "cli/cmd_intel.h"
#include "kernel/confine.h"
#include "verdict/import.h"

/* Neither the terminal, to which a feed could speak, nor what else this process has open. */
static int keep_one(int keep, struct pmg_err *err)
{
	int null = open("/dev/null", O_RDWR), fd, r = null;

	if (r >= 0) /* it may itself be one of the first, where those were closed */
		r = keep = fcntl(keep, F_DUPFD, PMG_INTEL_ANSWER_FD + 1);
	for (fd = 0; r >= 0 && fd < PMG_INTEL_ANSWER_FD; fd++)
		r = dup2(null, fd);
	if (r >= 0)
		r = dup2(keep, PMG_INTEL_ANSWER_FD);
	if (r < 0)
		return pmg_err_set(err, PMG_E_SYS, errno, "close what an import does not need");
	pmg_io_close_from(PMG_INTEL_ANSWER_FD + 1);
	return 0;
}

int pmg_intel_confine(const struct pmg_import_want *want, int keep, struct pmg_err *err)
{
	struct pmg_confine what = { 0 };
	int r = keep_one(keep, err);

	if (r < 0)
		return r;
	pmg_strv_add(&what.write_folders, want->folder);
	pmg_strv_add(&what.read_files, want->index);
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
