/* SHA-256, HMAC and the nonces of RFC 6979, four side by side: 24 compressions a nonce cost 2 us where one by one they take 15. Constant
 * in time. */
#ifndef PHAROS_SHA256X4_H
#define PHAROS_SHA256X4_H

/* Word k of four states, or of four values of 32 bytes, big-endian numbers. */
typedef struct { v128_t word[8]; } words4;

#define EACH(number) wasm_i32x4_const_splat((int32_t)(number))
#define ADD4(a, b) wasm_i32x4_add(a, b)
#define XOR4(a, b) wasm_v128_xor(a, b)
#define ROTATED4(x, by) wasm_v128_or(wasm_u32x4_shr(x, by), wasm_i32x4_shl(x, 32 - (by)))

static const uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
static const uint32_t sha256_start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

/* One block of 16 words, which are overwritten. */
static __attribute__((noinline)) void sha256x4_block(words4 *state, v128_t *w) {
    v128_t a = state->word[0], b = state->word[1], c = state->word[2], d = state->word[3];
    v128_t e = state->word[4], f = state->word[5], g = state->word[6], h = state->word[7];
    for (int from = 0; from < 64; from += 16) {
        UNROLLED for (int i = 0; i < 16; i++) {
            if (from > 0) {
                const v128_t early = w[(i + 1) % 16], late = w[(i + 14) % 16];
                const v128_t s0 = XOR4(XOR4(ROTATED4(early, 7), ROTATED4(early, 18)), wasm_u32x4_shr(early, 3));
                const v128_t s1 = XOR4(XOR4(ROTATED4(late, 17), ROTATED4(late, 19)), wasm_u32x4_shr(late, 10));
                w[i] = ADD4(ADD4(w[i], s0), ADD4(w[(i + 9) % 16], s1));
            }
            const v128_t s1 = XOR4(XOR4(ROTATED4(e, 6), ROTATED4(e, 11)), ROTATED4(e, 25));
            const v128_t s0 = XOR4(XOR4(ROTATED4(a, 2), ROTATED4(a, 13)), ROTATED4(a, 22));
            const v128_t choice = wasm_v128_bitselect(f, g, e), majority = wasm_v128_bitselect(wasm_v128_or(b, c), wasm_v128_and(b, c), a);
            const v128_t constant = wasm_i32x4_splat((int32_t)sha256_constants[from + i]);
            const v128_t t1 = ADD4(ADD4(ADD4(h, s1), ADD4(choice, constant)), w[i]), t2 = ADD4(s0, majority);
            h = g, g = f, f = e, e = ADD4(d, t1), d = c, c = b, b = a, a = ADD4(t1, t2);
        }
    }
    const v128_t added[8] = { a, b, c, d, e, f, g, h };
    UNROLLED for (int i = 0; i < 8; i++) state->word[i] = ADD4(state->word[i], added[i]);
}

/* What is left of a key once it has been mixed in. */
typedef struct { words4 inner, outer; } hmac4;

static void hmac4_start(hmac4 *mac, const words4 *key) {
    words4 *states[2] = { &mac->inner, &mac->outer };
    for (int s = 0; s < 2; s++) {
        const v128_t pad = s == 0 ? EACH(0x36363636) : EACH(0x5c5c5c5c);
        v128_t block[16];
        for (int i = 0; i < 16; i++) block[i] = i < 8 ? XOR4(key->word[i], pad) : pad;
        for (int i = 0; i < 8; i++) states[s]->word[i] = wasm_i32x4_splat((int32_t)sha256_start[i]);
        sha256x4_block(states[s], block);
    }
}

/* The end of a message: from word `at` on, so many bytes in all with the key's block. */
static void end_block(v128_t *block, int at, v128_t first, int bytes) {
    block[at++] = first;
    while (at < 15) block[at++] = EACH(0);
    block[15] = wasm_i32x4_splat(bytes * 8);
}

static void hmac4_outer(words4 *r, const hmac4 *mac, const words4 *inner) {
    v128_t block[16];
    memcpy(block, inner, sizeof *inner);
    end_block(block, 8, EACH(0x80000000), 96);
    *r = mac->outer;
    sha256x4_block(r, block);
}

/* The code of 32 bytes and what the end begins with, so many bytes in all with the key's block; r may be the value. */
static void hmac4_of_ended(words4 *r, const hmac4 *mac, const words4 *value, v128_t first, int bytes) {
    words4 inner = mac->inner;
    v128_t block[16];
    memcpy(block, value, sizeof *value);
    end_block(block, 8, first, bytes);
    sha256x4_block(&inner, block);
    hmac4_outer(r, mac, &inner);
}

/* Of 32 bytes. */
static void hmac4_of(words4 *r, const hmac4 *mac, const words4 *value) { hmac4_of_ended(r, mac, value, EACH(0x80000000), 96); }

/* Of 32 bytes and a zero byte. */
static void hmac4_of_next(words4 *r, const hmac4 *mac, const words4 *value) { hmac4_of_ended(r, mac, value, EACH(0x00800000), 97); }

/* Of 32 bytes, a tag, a secret and a digest. */
static void hmac4_of_seed(words4 *r, const hmac4 *mac, const words4 *value, v128_t tag, const words4 *secret, const words4 *digest) {
    words4 inner = mac->inner;
    v128_t block[16], before = tag;
    memcpy(block, value, sizeof *value);
    for (int i = 0; i < 8; i++) {
        block[8 + i] = wasm_v128_or(wasm_i32x4_shl(before, 24), wasm_u32x4_shr(secret->word[i], 8));
        before = secret->word[i];
    }
    sha256x4_block(&inner, block);
    for (int i = 0; i < 8; i++) {
        block[i] = wasm_v128_or(wasm_i32x4_shl(before, 24), wasm_u32x4_shr(digest->word[i], 8));
        before = digest->word[i];
    }
    end_block(block, 8, wasm_v128_or(wasm_i32x4_shl(before, 24), EACH(0x800000)), 161);
    sha256x4_block(&inner, block);
    hmac4_outer(r, mac, &inner);
}

/* The (attempt + 1)-th outputs, as nonce_of_attempt (single.h). */
static void nonces4_of_attempt(words4 *nonce, const words4 *secret, const words4 *digest, unsigned int attempt) {
    words4 key = { { EACH(0), EACH(0), EACH(0), EACH(0), EACH(0), EACH(0), EACH(0), EACH(0) } };
    words4 value;
    hmac4 mac;
    for (int i = 0; i < 8; i++) value.word[i] = EACH(0x01010101);
    for (int tag = 0; tag < 2; tag++) {
        hmac4_start(&mac, &key);
        hmac4_of_seed(&key, &mac, &value, wasm_i32x4_splat(tag), secret, digest);
        hmac4_start(&mac, &key);
        hmac4_of(&value, &mac, &value);
    }
    hmac4_of(&value, &mac, &value);
    for (unsigned int i = 0; i < attempt; i++) {
        hmac4_of_next(&key, &mac, &value);
        hmac4_start(&mac, &key);
        hmac4_of(&value, &mac, &value);
        hmac4_of(&value, &mac, &value);
    }
    *nonce = value;
}

#endif
