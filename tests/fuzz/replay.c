#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"

#define CORPUS_FILE_MAX (16U * 1024U * 1024U)

/* Runs one file, or every file of a folder. @return how many were run, -1 on trouble */
static long run(const char *path);

static long run_folder(const char *path)
{
	long n, sum = 0;
	struct dirent *entry;
	DIR *dir = opendir(path);

	if (!dir) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	while ((entry = readdir(dir))) {
		pmg_autofree char *file = NULL;

		if (entry->d_name[0] == '.')
			continue;
		file = pmg_path_join(path, entry->d_name);
		n = run(file);
		if (n < 0) {
			sum = -1;
			break;
		}
		sum += n;
	}
	(void)closedir(dir);
	return sum;
}

static long run(const char *path)
{
	struct pmg_err err = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	pmg_autofree uint8_t *exact = NULL;
	struct stat st;
	size_t len = 0;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return run_folder(path);
	if (pmg_io_slurp(path, CORPUS_FILE_MAX, &text, &len, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return -1;
	}
	printf("%s\n", path);
	(void)fflush(stdout); /* so that a crash shows which file it was */
	/* Without the NUL that slurp adds: a target that reads past its bytes must be seen. */
	exact = pmg_xmalloc(len);
	memcpy(exact, text, len);
	(void)LLVMFuzzerTestOneInput(exact, len);
	return 1;
}

/* $srcdir/tests/fuzz/corpus/x for a program fuzz_x; automake sets srcdir for tests. */
static char *own_corpus(const char *argv0)
{
	const char *name = pmg_path_name(argv0), *top = getenv("srcdir");

	if (pmg_str_has_prefix(name, "fuzz_"))
		name += strlen("fuzz_");
	return pmg_xasprintf("%s/tests/fuzz/corpus/%s", top ? top : ".", name);
}

/* fuzz_x [FILE|FOLDER...]: without any, its own corpus. */
int main(int argc, char **argv)
{
	pmg_autofree char *corpus = own_corpus(argv[0]);
	long n, sum = 0;
	int i;

	for (i = 1; i < argc || i == 1; i++) {
		n = run(i < argc ? argv[i] : corpus);
		if (n < 0)
			return 1;
		sum += n;
	}
	if (sum == 0) {
		fprintf(stderr, "no corpus in %s\n", corpus);
		return 1;
	}
	printf("%ld inputs\n", sum);
	return 0;
}
