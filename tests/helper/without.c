/*
 * without CALL[,CALL...] -- PROGRAM [ARG...]
 *
 * Runs a program on a kernel that seems not to have some system calls: they
 * answer ENOSYS. For "seccomp" the older way in, prctl(PR_SET_SECCOMP), is gone
 * as well (EINVAL, as a kernel without it says). Exit status 125: the filter
 * could not be made; 127: no such program.
 */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int hide(scmp_filter_ctx filter, const char *name)
{
	const struct scmp_arg_cmp sets_filter = {
		.arg = 0, .op = SCMP_CMP_MASKED_EQ, .datum_a = UINT32_MAX, .datum_b = PR_SET_SECCOMP
	};
	int number = seccomp_syscall_resolve_name(name), r;

	if (number == __NR_SCMP_ERROR)
		return -ENOENT;
	r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), number, 0);
	if (r == 0 && strcmp(name, "seccomp") == 0)
		r = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl), 1,
					   &sets_filter);
	return r;
}

static int hide_all(const char *list)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int r = filter ? 0 : -ENOMEM;
	char name[64];
	size_t len;

	while (r == 0 && *list) {
		len = strcspn(list, ",");
		if (len == 0 || len >= sizeof name)
			r = -EINVAL;
		if (r < 0)
			break;
		memcpy(name, list, len);
		name[len] = '\0';
		r = hide(filter, name);
		list += len;
		list += *list == ',';
	}
	if (r == 0)
		r = seccomp_load(filter);
	seccomp_release(filter);
	return r;
}

int main(int argc, char **argv)
{
	int r;

	if (argc < 4 || strcmp(argv[2], "--") != 0) {
		fprintf(stderr, "usage: without CALL[,CALL...] -- PROGRAM [ARG...]\n");
		return 125;
	}
	r = hide_all(argv[1]);
	if (r < 0) {
		fprintf(stderr, "without %s: %s\n", argv[1], strerror(-r));
		return 125;
	}
	(void)execvp(argv[3], argv + 3);
	fprintf(stderr, "without: %s: %s\n", argv[3], strerror(errno));
	return 127;
}
