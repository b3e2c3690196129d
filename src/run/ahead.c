#include "run/ahead.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

void pmg_ahead_done(struct pmg_ahead *ahead)
{
	while (ahead->made.n > 0) {
		(void)rmdir(ahead->made.v[ahead->made.n - 1]); /* fails when it is used */
		pmg_strv_remove(&ahead->made, ahead->made.n - 1);
	}
	pmg_strv_done(&ahead->made);
}

void pmg_ahead_make(struct pmg_ahead *ahead, const char *path)
{
	pmg_autofree char *partial = pmg_path_clean(path);
	char *slash = partial;

	while (slash) {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		if (mkdir(partial, 0777) == 0)
			pmg_strv_add(&ahead->made, partial);
		else if (errno != EEXIST)
			return;
		if (slash)
			*slash = '/';
	}
}
