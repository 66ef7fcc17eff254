/* SHA-256 of many short messages, four side by side. For public data: what it leaves in memory is not wiped. */
#ifndef PHAROS_HASH_MANY_H
#define PHAROS_HASH_MANY_H

#define HASHED_BYTES 65536
/* What is hashed, in the form that the functions below name. Results: digests[0..count). */
static unsigned char hashed[HASHED_BYTES];

EXPORT(hashed_bytes) int hashed_bytes(void) { return HASHED_BYTES; }
EXPORT(hashed) unsigned char *hashed_at(void) { return hashed; }

/* A message: a first byte of its own where `kind` is not negative, then the bytes. */
typedef struct { const unsigned char *at; int length, kind; } message;

static int whole_length(const message *m) { return m->length + (m->kind >= 0); }

static int blocks_of(const message *m) { return (whole_length(m) + 9 + 63) / 64; }

/* Block number `index` of a message with its padding. Zero behind its end. */
static void load_block(unsigned char *block, const message *m, int index) {
    const int has_kind = m->kind >= 0, whole = whole_length(m), from = 64 * index;
    memset(block, 0, 64);
    if (index >= blocks_of(m)) return;
    if (from < whole) {
        const int start = from == 0 ? has_kind : 0, rest = whole - from, end = rest < 64 ? rest : 64;
        if (start == 1) block[0] = (unsigned char)m->kind;
        memcpy(block + start, m->at + from + start - has_kind, (size_t)(end - start));
    }
    if (from <= whole && whole < from + 64) block[whole - from] = 0x80;
    if (index == blocks_of(m) - 1)
        for (int i = 0; i < 4; i++) block[60 + i] = (unsigned char)((uint32_t)(8 * whole) >> (24 - 8 * i));
}

static uint32_t big_endian(const unsigned char *b) {
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | (uint32_t)b[3];
}

static void store_digest(unsigned char *digest, const words4 *state, int lane) {
    for (int i = 0; i < 8; i++) {
        uint32_t words[4];
        wasm_v128_store(words, state->word[i]);
        for (int k = 0; k < 4; k++) digest[4 * i + k] = (unsigned char)(words[lane] >> (24 - 8 * k));
    }
}

/* Up to four messages; fewer leave lanes idle. */
static void hash_four(const message *messages, int count, unsigned char (*results)[32]) {
    words4 state;
    int most = 0;
    for (int i = 0; i < 8; i++) state.word[i] = wasm_i32x4_splat((int32_t)sha256_start[i]);
    for (int lane = 0; lane < count; lane++)
        if (blocks_of(&messages[lane]) > most) most = blocks_of(&messages[lane]);
    for (int index = 0; index < most; index++) {
        unsigned char bytes[4][64];
        v128_t block[16];
        for (int lane = 0; lane < 4; lane++) {
            if (lane < count) load_block(bytes[lane], &messages[lane], index);
            else memset(bytes[lane], 0, 64);
        }
        for (int i = 0; i < 16; i++)
            block[i] = wasm_u32x4_make(big_endian(bytes[0] + 4 * i), big_endian(bytes[1] + 4 * i), big_endian(bytes[2] + 4 * i),
                                       big_endian(bytes[3] + 4 * i));
        sha256x4_block(&state, block);
        for (int lane = 0; lane < count; lane++)
            if (index == blocks_of(&messages[lane]) - 1) store_digest(results[lane], &state, lane);
    }
}

/* Messages one behind the other, each behind its length (two bytes, low first). */
EXPORT(hash_texts) void hash_texts(int count) {
    const unsigned char *at = hashed;
    for (int from = 0; from < count; from += 4) {
        const int lanes = count - from < 4 ? count - from : 4;
        message four[4];
        for (int lane = 0; lane < lanes; lane++) {
            four[lane] = (message){ at + 2, at[0] | at[1] << 8, -1 };
            at = four[lane].at + four[lane].length;
        }
        hash_four(four, lanes, digests + from);
    }
}

/* Pieces of `length` bytes one behind the other, each hashed behind the byte `kind`. */
EXPORT(hash_pieces) void hash_pieces(int count, int length, int kind) {
    for (int from = 0; from < count; from += 4) {
        const int lanes = count - from < 4 ? count - from : 4;
        message four[4];
        for (int lane = 0; lane < lanes; lane++) four[lane] = (message){ hashed + (from + lane) * length, length, kind };
        hash_four(four, lanes, digests + from);
    }
}

#endif
