/* Symbols that the compiler may call; with bulk memory they are seldom reached (memory.copy, memory.fill instead). */
#include <string.h>

__attribute__((no_builtin("memcpy"))) void *memcpy(void *to, const void *from, size_t size) {
    unsigned char *t = to;
    const unsigned char *f = from;
    while (size--) *t++ = *f++;
    return to;
}

__attribute__((no_builtin("memset"))) void *memset(void *to, int byte, size_t size) {
    unsigned char *t = to;
    while (size--) *t++ = (unsigned char)byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t size) {
    const unsigned char *x = a, *y = b;
    for (; size; size--, x++, y++) {
        if (*x != *y) return *x < *y ? -1 : 1;
    }
    return 0;
}
