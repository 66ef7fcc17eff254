/* Many signatures at once, byte for byte those of single.h: the nonces are made four side by side, their multiples of G share inversions,
 * and so do the nonces modulo n.
 *
 * For keys that are worth nothing: the multiples that are looked up and the inversions make time depend on the nonces, and who learns some
 * bits of many nonces has the key. What signs for an account is in single.h. */
#ifndef PHAROS_SIGN_MANY_H
#define PHAROS_SIGN_MANY_H

/* The private key of each item; they stay until wipe_item_secrets. */
static unsigned char item_secrets[MAX_ITEMS][32];

EXPORT(item_secrets) unsigned char *item_secrets_at(void) { return item_secrets[0]; }
EXPORT(wipe_item_secrets) void wipe_item_secrets(void) { memset(item_secrets, 0, sizeof item_secrets); }

/* R^2 modulo n. */
static const sc29 montgomery_square = { { 0x09f6ab4b, 0x1f300d1e, 0x1c0bd5d8, 0x0c8ada8c, 0x11cefa2b, 0x08b79a0f, 0x1e697f5e, 0x00e34de2, 0x9c7356 } };

/* Nonces, and their products with all before. */
static sc29 nonces[MULTIPLIED], nonce_products[MULTIPLIED];

static uint32_t word_of(const unsigned char *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void words4_of(words4 *r, const unsigned char *const *bytes) {
    for (int i = 0; i < 8; i++)
        r->word[i] = wasm_i32x4_make((int32_t)word_of(bytes[0] + 4 * i), (int32_t)word_of(bytes[1] + 4 * i), (int32_t)word_of(bytes[2] + 4 * i), (int32_t)word_of(bytes[3] + 4 * i));
}

static void bytes_of_sc29(unsigned char *bytes, const sc29 *x) {
    uint64_t bits = 0;
    int have = 0, next = 0;
    for (int at = 31; at >= 0; at--) {
        for (; have < 8 && next < 9; have += 29) bits |= (uint64_t)x->n[next++] << have;
        bytes[at] = (unsigned char)bits;
        bits >>= 8;
        have -= 8;
    }
}

/* The nonces of items `first` and following; those that are out of range, as one of 2^128 is, become 1 and their items have no signature. */
static void make_nonces(int first, int count, unsigned int attempt) {
    static unsigned char bytes[32];
    for (int i = 0; i < count; i += 4) {
        const unsigned char *lane_secrets[4], *lane_digests[4];
        words4 lane_secret, lane_digest, nonce;
        for (int l = 0; l < 4; l++) {
            const int item = first + (i + l < count ? i + l : i);
            lane_secrets[l] = item_secrets[item];
            lane_digests[l] = digests[item];
        }
        words4_of(&lane_secret, lane_secrets);
        words4_of(&lane_digest, lane_digests);
        nonces4_of_attempt(&nonce, &lane_secret, &lane_digest, attempt);
        for (int l = 0; l < 4 && i + l < count; l++) {
            for (int w = 0; w < 8; w++) {
                const uint32_t word = ((const uint32_t *)&nonce.word[w])[l];
                for (int b = 0; b < 4; b++) bytes[4 * w + b] = (unsigned char)(word >> (24 - 8 * b));
            }
            sc29_of_bytes(&nonces[i + l], bytes);
            verdicts[first + i + l] = (unsigned char)sc29_is_in_range(&nonces[i + l]);
            if (!verdicts[first + i + l]) nonces[i + l] = (sc29){ { 1 } };
        }
    }
    memset(bytes, 0, sizeof bytes);
}

/* 1 / nonce for each of them, in place, with one inversion. */
static void invert_nonces(int count) {
    sc29 inverse;
    nonce_products[0] = nonces[0];
    for (int i = 1; i < count; i++) sc29_mul(&nonce_products[i], &nonce_products[i - 1], &nonces[i]);
    sc29_inverse(&inverse, &nonce_products[count - 1]);
    for (int i = count - 1; i > 0; i--) {
        sc29 one;
        sc29_mul(&one, &inverse, &nonce_products[i - 1]);
        sc29_mul(&inverse, &inverse, &nonces[i]);
        nonces[i] = one;
    }
    nonces[0] = inverse;
}

static int sc29_is_zero(const sc29 *x) {
    uint32_t bits = 0;
    for (int i = 0; i < 9; i++) bits |= x->n[i];
    return bits == 0;
}

/* To n - s where s is above n / 2; whether it was. */
static int make_low(sc29 *s) {
    static const sc29 half = { { 0x081b20a0, 0x1f497a33, 0x09140777, 0x0edce6af, 0x1ffff5d5, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0x7fffff } };
    int64_t c = 0;
    int i = 8;
    while (i > 0 && s->n[i] == half.n[i]) i--;
    if (s->n[i] <= half.n[i]) return 0;
    for (i = 0; i < 9; i++) {
        c += (int64_t)order29.n[i] - s->n[i];
        s->n[i] = (uint32_t)(c & LIMB);
        c >>= 29;
    }
    return 1;
}

/* s = (m + r d) / k. */
static void sign_with(int item, term point, const sc29 *inverse) {
    sc29 r, s, m;
    fe29 x, y;
    unsigned char *to = signatures[item];
    fe29_of_pairs(&x, points[point >> 1].x);
    fe29_of_pairs(&y, points[point >> 1].y);
    memcpy(r.n, x.n, sizeof r.n);
    sc29_reduce(&r);
    int recovery_id = (memcmp(r.n, x.n, sizeof r.n) == 0 ? 0 : 2) | (int)((y.n[0] & 1) ^ (point & 1));
    sc29_of_bytes(&m, item_secrets[item]);
    sc29_mul(&s, &m, &montgomery_square);
    sc29_mul(&s, &s, &r);
    sc29_of_bytes(&m, digests[item]);
    for (int i = 0; i < 9; i++) s.n[i] += m.n[i];
    sc29_reduce(&s);
    sc29_mul(&m, inverse, &montgomery_square);
    sc29_mul(&s, &s, &m);
    sc29_reduce(&s);
    verdicts[item] &= (unsigned char)(!sc29_is_zero(&r) && !sc29_is_zero(&s));
    recovery_id ^= make_low(&s);
    to[0] = (unsigned char)(31 + recovery_id);
    bytes_of_sc29(to + 1, &r);
    bytes_of_sc29(to + 33, &s);
}

static void sign_some(int first, int count, unsigned int attempt) {
    make_nonces(first, count, attempt);
    for (int i = 0; i < count; i++) set_multiplied(i, &nonces[i]);
    multiply_all(count);
    invert_nonces(count);
    for (int i = 0; i < count; i++) sign_with(first + i, comb_terms[0][i], &nonces[i]);
    wipe_multiplied();
    memset(nonces, 0, sizeof nonces);
    memset(nonce_products, 0, sizeof nonce_products);
}

/* Whether all of them are private keys. */
static int are_secrets(int count) {
    int are = 1;
    for (int i = 0; i < count; i++) {
        sc29 d;
        sc29_of_bytes(&d, item_secrets[i]);
        are &= sc29_is_in_range(&d);
    }
    return are;
}

/* (item_secrets, digests)[0..count) -> signatures with low s, verdicts: 0 where this attempt has none. 0 when a secret is out of range. */
EXPORT(sign_many) int sign_many(int count, unsigned int attempt) {
    if (!are_secrets(count)) return 0;
    build_comb_of_g();
    for (int first = 0; first < count; first += MULTIPLIED)
        sign_some(first, count - first < MULTIPLIED ? count - first : MULTIPLIED, attempt);
    return 1;
}

#endif
