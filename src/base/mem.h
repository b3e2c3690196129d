#ifndef PMG_BASE_MEM_H
#define PMG_BASE_MEM_H
/**
 * Memory and ownership. Allocation never fails: out of memory aborts, which
 * ends a run closed. Hence every size that comes from outside is checked
 * against a named maximum before it gets here.
 *
 * Owners are pmg_auto* variables, set to NULL or -1 where declared, and are
 * handed over with pmg_steal_ptr() and pmg_steal_fd().
 */
#include <stdarg.h>
#include <stddef.h>

#include "base/err.h"

#define PMG_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define PMG_MALLOC       __attribute__((malloc, returns_nonnull, warn_unused_result))

void *pmg_xmalloc(size_t size) PMG_MALLOC;           /* not zeroed */
void *pmg_xcalloc(size_t n, size_t size) PMG_MALLOC; /* zeroed; overflow aborts */
void *pmg_xrealloc(void *p, size_t n, size_t size)   /* n * size; overflow aborts */
	__attribute__((returns_nonnull, warn_unused_result));
char *pmg_xstrdup(const char *s) PMG_MALLOC;            /* s not NULL */
char *pmg_xstrndup(const char *s, size_t n) PMG_MALLOC; /* at most n bytes, NUL added */
char *pmg_xasprintf(const char *fmt, ...) PMG_MALLOC PMG_PRINTF(1, 2);
char *pmg_xvasprintf(const char *fmt, va_list ap) PMG_MALLOC PMG_PRINTF(1, 0);

/**
 * Make room for one more element in a growing array {ptr, n, cap}.
 * @param[in,out] cap  elements there is room for
 * @return the array, perhaps moved; element n is writable, not zeroed
 */
void *pmg_grow(void *ptr, size_t n, size_t *cap, size_t size)
	__attribute__((returns_nonnull, warn_unused_result));

void pmg_auto_freep(void *p);  /* p is the address of a pointer from malloc */
void pmg_auto_closep(int *fd); /* closes *fd unless negative; errno is kept */

#define pmg_autofree   __attribute__((cleanup(pmg_auto_freep)))
#define pmg_autofd     __attribute__((cleanup(pmg_auto_closep)))
#define pmg_auto(name) __attribute__((cleanup(pmg_auto_##name)))

/* Makes pmg_auto(name) for pointers of `type`, freed by fn(type), which accepts NULL. */
#define PMG_DEFINE_AUTO(name, type, fn)                                                            \
	static inline __attribute__((unused)) void pmg_auto_##name(type *p)                        \
	{                                                                                          \
		fn(*p);                                                                            \
	}                                                                                          \
	_Static_assert(sizeof(type) == sizeof(void *), "pointer type")

/* Makes pmg_auto(name) for a struct held by value, emptied by fn(type *). */
#define PMG_DEFINE_AUTO_DONE(name, type, fn)                                                       \
	static inline __attribute__((unused)) void pmg_auto_##name(type *p)                        \
	{                                                                                          \
		fn(p);                                                                             \
	}                                                                                          \
	_Static_assert(sizeof(type *) == sizeof(void *), "object type")

#define pmg_steal_ptr(pp)                                                                          \
	__extension__({                                                                            \
		__typeof__(*(pp)) pmg_stolen_ = *(pp);                                             \
		*(pp) = NULL;                                                                      \
		pmg_stolen_;                                                                       \
	})

static inline int pmg_steal_fd(int *fd)
{
	int stolen = *fd;

	*fd = -1;
	return stolen;
}

#endif
