/* libsecp256k1 prints only before it aborts; here it aborts without words. */
#ifndef PHAROS_STDIO_H
#define PHAROS_STDIO_H

#define stderr 0
#define fprintf(...) ((void)0)

#endif
