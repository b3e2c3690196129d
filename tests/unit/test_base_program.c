#include "base/program.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/helper/folder.h"

static const struct {
	const char *bytes;
	size_t len;
	enum pmg_program_kind kind;
	const char *runner;
} rows[] = {
	{ "#!/bin/sh\n", 10, PMG_PROGRAM_SCRIPT, "/bin/sh" },
	{ "#! \t/usr/bin/env node\n", 22, PMG_PROGRAM_SCRIPT, "/usr/bin/env" },
	{ "#!/bin/sh", 9, PMG_PROGRAM_SCRIPT, "/bin/sh" },
	{ "#!\n", 3, PMG_PROGRAM_SCRIPT, "" },
	{ "#!", 2, PMG_PROGRAM_NONE, NULL },
	{ "", 0, PMG_PROGRAM_NONE, NULL },
	{ "echo\n", 5, PMG_PROGRAM_NONE, NULL },
	{ "\x7f"
	  "ELF\x02",
	  5, PMG_PROGRAM_NONE, NULL }, /* nothing behind it */
};

static void scripts_name_who_runs_them(void **state)
{
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "x");
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		pmg_autofree char *runner = NULL;

		folder_write(dir, "x", rows[i].bytes, rows[i].len);
		if (pmg_program_look(path, &runner) != rows[i].kind ||
		    !pmg_streq(runner, rows[i].runner))
			fail_msg("row %zu: %s", i, runner ? runner : "(none)");
	}
}

static void programs_name_their_loader(void **state)
{
	pmg_autofree char *runner = NULL;

	(void)state;
	assert_int_equal(pmg_program_look("/bin/sh", &runner), PMG_PROGRAM_ELF);
	assert_non_null(runner);
	assert_non_null(strstr(runner, "ld"));
	assert_int_equal(access(runner, X_OK), 0);
}

/* The numbers of a file are anybody's. */
static void a_program_with_wrong_numbers_has_no_loader(void **state)
{
	static const struct {
		uint64_t phoff, offset, filesz;
	} wrong[] = { { UINT64_MAX, 0, 8 },
		      { sizeof(Elf64_Ehdr), UINT64_MAX, 8 },
		      { sizeof(Elf64_Ehdr), 0, UINT64_MAX },
		      { sizeof(Elf64_Ehdr), 0, 1 },
		      { sizeof(Elf64_Ehdr), 4000, 64 } };
	pmg_auto(folder) char *dir = folder_new();
	pmg_autofree char *path = pmg_path_join(dir, "x");
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(wrong); i++) {
		struct {
			Elf64_Ehdr head;
			Elf64_Phdr segment;
		} file = { .segment = { .p_type = PT_INTERP } };
		pmg_autofree char *runner = NULL;

		memcpy(file.head.e_ident, ELFMAG, SELFMAG);
		file.head.e_ident[EI_CLASS] = ELFCLASS64;
		file.head.e_phoff = wrong[i].phoff;
		file.head.e_phentsize = sizeof file.segment;
		file.head.e_phnum = UINT16_MAX;
		file.segment.p_offset = wrong[i].offset;
		file.segment.p_filesz = wrong[i].filesz;
		folder_write(dir, "x", &file, sizeof file);
		assert_int_equal(pmg_program_look(path, &runner), PMG_PROGRAM_ELF);
		assert_null(runner);
	}
}

static void what_is_not_there_is_no_program(void **state)
{
	pmg_autofree char *runner = NULL;

	(void)state;
	assert_int_equal(pmg_program_look("/nowhere/x", &runner), PMG_PROGRAM_NONE);
	assert_int_equal(pmg_program_look("/", &runner), PMG_PROGRAM_NONE);
	assert_null(runner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scripts_name_who_runs_them),
		cmocka_unit_test(programs_name_their_loader),
		cmocka_unit_test(a_program_with_wrong_numbers_has_no_loader),
		cmocka_unit_test(what_is_not_there_is_no_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
