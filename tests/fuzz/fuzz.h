#ifndef PMG_TESTS_FUZZ_FUZZ_H
#define PMG_TESTS_FUZZ_FUZZ_H
/**
 * A fuzz target is one function; libFuzzer (--enable-fuzz, clang) or replay.c
 * (everywhere, `make check`) is its main. To add one for parser x of a layer:
 *
 *   tests/fuzz/fuzz_x.c, tests/fuzz/corpus/x/ (a few seeds, then every crash
 *   that was found, named after what it was), and in the layer's local.mk
 *
 *   check_PROGRAMS += tests/fuzz/fuzz_x
 *   tests_fuzz_fuzz_x_LDADD = $(FUZZ_MAIN) $(LINK_LAYER)
 *
 * The target calls abort() where a promise of the parser does not hold.
 */
#include <stddef.h>
#include <stdint.h>

/** @param data  not NUL-terminated. @return 0 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
