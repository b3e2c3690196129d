#ifndef PMG_BASE_PROGRAM_H
#define PMG_BASE_PROGRAM_H
/** Files that can be started, as execve(2) takes them. */
#include <stdbool.h>

#include "base/mem.h"

enum pmg_program_kind {
	PMG_PROGRAM_NONE,   /* not there, not to be read, or nothing the kernel starts by itself */
	PMG_PROGRAM_SCRIPT, /* begins with "#!" */
	PMG_PROGRAM_ELF
};

/**
 * What is it, and who runs it?
 * @param[out] runner  path as the file has it: what "#!" names, or the loader of an ELF program
 *                     (PT_INTERP of elf(5)); NULL: none. Caller frees
 */
enum pmg_program_kind pmg_program_look(const char *path, char **runner) PMG_MUST_CHECK;

#endif
