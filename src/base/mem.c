#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *pmg_xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		abort();
	return p;
}

void *pmg_xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		abort();
	return p;
}

void *pmg_xrealloc(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		abort();
	p = realloc(p, bytes ? bytes : 1);
	if (!p)
		abort();
	return p;
}

char *pmg_xstrdup(const char *s)
{
	return pmg_xstrndup(s, SIZE_MAX / 2 - 1);
}

char *pmg_xstrndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = pmg_xmalloc(len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *pmg_xvasprintf(const char *fmt, va_list ap)
{
	char *s;

	if (vasprintf(&s, fmt, ap) < 0)
		abort();
	return s;
}

char *pmg_xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = pmg_xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

void *pmg_grow(void *ptr, size_t n, size_t *cap, size_t size)
{
	if (ptr && n < *cap)
		return ptr;
	*cap = *cap ? *cap * 2 : 8;
	return pmg_xrealloc(ptr, *cap, size);
}

void pmg_auto_freep(void *p)
{
	void *ptr;

	memcpy(&ptr, p, sizeof ptr);
	free(ptr);
}

void pmg_auto_closep(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		(void)close(*fd);
	errno = saved;
}
