#include "base/program.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_SIZE    256U /* as far as the kernel looks for an interpreter (BINPRM_BUF_SIZE) */
#define SEGMENTS_MAX 256U

/* The two widths of elf(5) differ in where the numbers lie. */
struct layout {
	size_t phoff, phentsize, phnum; /* in the file's header, and how wide phoff is */
	size_t wide;
	size_t offset, filesz; /* in that of a segment */
};
static const struct layout layouts[] = {
	[ELFCLASS32] = { offsetof(Elf32_Ehdr, e_phoff), offsetof(Elf32_Ehdr, e_phentsize),
			 offsetof(Elf32_Ehdr, e_phnum), 4, offsetof(Elf32_Phdr, p_offset),
			 offsetof(Elf32_Phdr, p_filesz) },
	[ELFCLASS64] = { offsetof(Elf64_Ehdr, e_phoff), offsetof(Elf64_Ehdr, e_phentsize),
			 offsetof(Elf64_Ehdr, e_phnum), 8, offsetof(Elf64_Phdr, p_offset),
			 offsetof(Elf64_Phdr, p_filesz) },
};

/* Of the machine's own byte order: it starts no others. */
static uint64_t number(const char *at, size_t wide)
{
	uint64_t eight = 0;
	uint32_t four = 0;
	uint16_t two = 0;

	if (wide == 8)
		memcpy(&eight, at, wide);
	else if (wide == 4)
		memcpy(&four, at, wide);
	else
		memcpy(&two, at, wide);
	return eight + four + two;
}

/* @return 0: there is no such part */
static size_t read_at(int fd, uint64_t offset, char *out, size_t size)
{
	ssize_t n = offset > INT64_MAX ? -1 : pread(fd, out, size, (off_t)offset);

	return n < 0 ? 0 : (size_t)n;
}

static char *loader_of(int fd, const char *head, const struct layout *layout)
{
	uint64_t at = number(head + layout->phoff, layout->wide), size, i;
	uint64_t step = number(head + layout->phentsize, 2);
	uint64_t n = number(head + layout->phnum, 2);
	char segment[sizeof(Elf64_Phdr)];

	for (i = 0; i < n && i < SEGMENTS_MAX; i++) {
		pmg_autofree char *path = NULL;

		if (at > INT64_MAX / 2 || read_at(fd, at + i * step, segment, sizeof segment) <
						  layout->filesz + layout->wide)
			return NULL;
		if (number(segment, 4) != PT_INTERP)
			continue;
		size = number(segment + layout->filesz, layout->wide);
		if (size < 2 || size > PATH_MAX)
			return NULL;
		path = pmg_xcalloc(1, size + 1);
		return read_at(fd, number(segment + layout->offset, layout->wide), path, size) ==
				       size
			       ? pmg_steal_ptr(&path)
			       : NULL;
	}
	return NULL;
}

static char *named_by(const char *line)
{
	line += strspn(line, " \t");
	return pmg_xstrndup(line, strcspn(line, " \t\n"));
}

enum pmg_program_kind pmg_program_look(const char *path, char **runner)
{
	pmg_autofd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char head[HEAD_SIZE] = "";
	unsigned char class;
	struct stat st;
	size_t n;

	*runner = NULL;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return PMG_PROGRAM_NONE;
	n = read_at(fd, 0, head, sizeof head - 1);
	if (n > 2 && head[0] == '#' && head[1] == '!') {
		*runner = named_by(head + 2);
		return PMG_PROGRAM_SCRIPT;
	}
	class = (unsigned char)head[EI_CLASS];
	if (n < sizeof(Elf64_Ehdr) || memcmp(head, ELFMAG, SELFMAG) != 0 ||
	    (class != ELFCLASS32 && class != ELFCLASS64))
		return PMG_PROGRAM_NONE;
	*runner = loader_of(fd, head, &layouts[class]);
	return PMG_PROGRAM_ELF;
}
