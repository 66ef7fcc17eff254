/* The part of <stdlib.h> that libsecp256k1 names. Nothing here allocates: all our memory is static. */
#ifndef PHAROS_STDLIB_H
#define PHAROS_STDLIB_H

#include <stddef.h>

static inline _Noreturn void abort(void) { __builtin_trap(); }
static inline void *malloc(size_t size) { (void)size; return NULL; }
static inline void *realloc(void *block, size_t size) { (void)block; (void)size; return NULL; }
static inline void free(void *block) { (void)block; }

#endif
