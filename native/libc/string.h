/* The part of <string.h> that libsecp256k1 and we use. */
#ifndef PHAROS_STRING_H
#define PHAROS_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);

#endif
