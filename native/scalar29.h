/* Numbers modulo the order n in 9 limbs of 29 bits, for proofs: Montgomery's products (C. K. Koc et al., "Analyzing and comparing
 * Montgomery multiplication algorithms", 1996, product scanning) take 40 ns where those of libsecp256k1's 8 limbs take 160. Not constant
 * in time, and no secret comes here. */
#ifndef PHAROS_SCALAR29_H
#define PHAROS_SCALAR29_H

/* Factors are below 2^258, products below 2^256 + 2^254; R is 2^261. */
typedef struct { uint32_t n[9]; } sc29;

static const sc29 order29 = { { 0x10364141, 0x1e92f466, 0x12280eef, 0x1db9cd5e, 0x1fffebaa, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0xffffff } };
/* 2^256 - n. */
static const uint32_t order29_complement[9] = { 0x0fc9bebf, 0x016d0b99, 0x0dd7f110, 0x024632a1, 0x1455 };
#define ORDER29_INVERSE 0x1588b13fu /* -1 / n modulo 2^29 */

/* x y / R: adds the multiple m of n that makes the low limbs 0, as n = 2^256 - complement. A column is below 2^62, and has a sign. */
static __attribute__((noinline)) void sc29_mul(sc29 *r, const sc29 *x, const sc29 *y) {
    int64_t c = 0, m[9];
    UNROLLED for (int k = 0; k < 17; k++) {
        UNROLLED for (int i = k > 8 ? k - 8 : 0; i <= k && i < 9; i++) c += (int64_t)((uint64_t)x->n[i] * y->n[k - i]);
        UNROLLED for (int i = k > 4 ? k - 4 : 0; i < k && i < 9; i++) c -= m[i] * order29_complement[k - i];
        if (k >= 8) c += m[k - 8] << 24;
        if (k < 9) {
            m[k] = ((uint32_t)c * ORDER29_INVERSE) & LIMB;
            c -= m[k] * order29_complement[0];
        } else r->n[k - 9] = (uint32_t)(c & LIMB);
        c >>= 29;
    }
    r->n[8] = (uint32_t)c;
}

/* From 32 bytes, big-endian. */
static void sc29_of_bytes(sc29 *r, const unsigned char *bytes) {
    uint64_t bits = 0;
    int have = 0, at = 32;
    for (int i = 0; i < 9; i++) {
        for (; have < 29 && at > 0; have += 8) bits |= (uint64_t)bytes[--at] << have;
        r->n[i] = (uint32_t)(bits & LIMB);
        bits >>= 29;
        have -= 29;
    }
}

/* From sums of limbs of at most 2^11 products, to the only form below n. */
static void sc29_of_sums(sc29 *r, const uint64_t *sums) {
    uint64_t c = 0, over;
    uint32_t less[9];
    for (int i = 0; i < 8; i++) {
        c += sums[i];
        r->n[i] = (uint32_t)(c & LIMB);
        c >>= 29;
    }
    c += sums[8];
    /* What is above 2^256 = complement (mod n) goes down. Below 2^256 + 2^142 then; n or more when it reaches 2^256 with the complement
     * added, and what is above then is the difference. */
    over = c >> 24;
    r->n[8] = (uint32_t)(c & 0xffffff);
    c = 0;
    for (int i = 0; i < 9; i++) {
        c += r->n[i] + over * order29_complement[i];
        r->n[i] = (uint32_t)(i < 8 ? c & LIMB : c);
        c >>= 29;
    }
    for (int i = 0; i < 9; i++) {
        c += (uint64_t)r->n[i] + order29_complement[i];
        less[i] = (uint32_t)(i < 8 ? c & LIMB : c);
        c >>= 29;
    }
    if (less[8] <= 0xffffff) return;
    less[8] &= 0xffffff;
    memcpy(r->n, less, sizeof less);
}

/* The only form below n of a sum of limbs. */
static void sc29_reduce(sc29 *r) {
    uint64_t sums[9];
    for (int i = 0; i < 9; i++) sums[i] = r->n[i];
    sc29_of_sums(r, sums);
}

/* Whether a number of 32 bytes is in 1..n-1. */
static int sc29_is_in_range(const sc29 *x) {
    uint32_t bits = 0;
    int i = 8;
    for (int k = 0; k < 9; k++) bits |= x->n[k];
    while (i > 0 && x->n[i] == order29.n[i]) i--;
    return bits != 0 && x->n[i] < order29.n[i];
}

/* 1 / x, of a product that is not 0. */
static void sc29_inverse(sc29 *r, const sc29 *x) {
    uint64_t sums[9];
    signed30 t;
    for (int i = 0; i < 9; i++) sums[i] = x->n[i];
    sc29_of_sums(r, sums);
    signed30_of(&t, r->n);
    inverse30(&t, &modulus30_n);
    signed30_to(r->n, &t);
}

/* The closest number to k g / 2^272, by which k is divided by lambda's lattice. */
static void sc29_quotient(uint32_t *r, const sc29 *k, const uint32_t *g) {
    uint64_t c = 0;
    uint32_t high[5];
    UNROLLED for (int i = 0; i < 14; i++) {
        UNROLLED for (int j = i > 8 ? i - 8 : 0; j <= i && j < 5; j++) c += (uint64_t)k->n[i - j] * g[j];
        /* Half of 2^272 = 2^(29 9 + 11). */
        if (i == 9) c += 1 << 10;
        if (i >= 9) high[i - 9] = (uint32_t)(c & LIMB);
        c >>= 29;
    }
    for (int i = 0; i < 5; i++) r[i] = (high[i] >> 11 | (i < 4 ? high[i + 1] << 18 : (uint32_t)c << 18)) & LIMB;
}

/* Adds or subtracts the lowest five limbs of a product. */
INLINE void add_low_product(int64_t *sums, const uint32_t *x, const uint32_t *y, int sign) {
    UNROLLED for (int i = 0; i < 5; i++) {
        uint64_t c = 0;
        UNROLLED for (int j = 0; j <= i; j++) c += (uint64_t)x[j] * y[i - j];
        /* Split, as two products and their carries would not fit beside a sign. */
        sums[i] += sign * (int64_t)(c & LIMB);
        sums[i + 1] += sign * (int64_t)(c >> 29);
    }
}

/* Of a number between -2^144 and 2^144, modulo 2^145: its bytes, lowest first, and whether it is negative. */
static int magnitude_of(unsigned char *bytes, const int64_t *sums) {
    uint32_t limbs[5];
    int64_t c = 0;
    uint64_t bits = 0;
    int have = 0, next = 0, negative;
    for (int i = 0; i < 5; i++) {
        c += sums[i];
        limbs[i] = (uint32_t)(c & LIMB);
        c >>= 29;
    }
    negative = (int)(limbs[4] >> 28);
    c = negative;
    for (int i = 0; negative && i < 5; i++) {
        c += limbs[i] ^ LIMB;
        limbs[i] = (uint32_t)(c & LIMB);
        c >>= 29;
    }
    for (int i = 0; i < 17; i++) {
        for (; have < 8 && next < 5; have += 29) bits |= (uint64_t)limbs[next++] << have;
        bytes[i] = (unsigned char)bits;
        bits >>= 8;
        have -= 8;
    }
    return negative;
}

#define HALF_BYTES 17
/* k = low + high lambda (mod n) with halves of up to 128 bits and a sign; by the constants of secp256k1_scalar_split_lambda, but as
 * whole numbers: low = k - c1 a1 - c2 a2, high = -c1 b1 - c2 b2. */
static void sc29_split_lambda(unsigned char low[HALF_BYTES], int *low_is_negative, unsigned char high[HALF_BYTES], int *high_is_negative, const sc29 *k) {
    static const uint32_t g1[5] = { 0x0b153dab, 0x07249427, 0x137a1b24, 0x034fa8d7, 0x3086d22 }, g2[5] = { 0x04c42212, 0x1d4855ff, 0x0a1bd51f, 0x0c021d10, 0xe4437ed };
    static const uint32_t a1[5] = { 0x1284eb15, 0x03648724, 0x151af37a, 0x0da4434f, 0x308 }, minus_b1[5] = { 0x0abfe4c3, 0x1aa3fd48, 0x03a20a1b, 0x06fdac02, 0xe44 };
    static const uint32_t a2[5] = { 0x1d44cfd8, 0x1e08846c, 0x18bcfd95, 0x14a1ef51, 0x114c };
    const uint32_t *b2 = a1;
    int64_t sums[6] = { 0 };
    uint32_t c1[5], c2[5];
    sc29_quotient(c1, k, g1);
    sc29_quotient(c2, k, g2);
    add_low_product(sums, c1, minus_b1, 1);
    add_low_product(sums, c2, b2, -1);
    *high_is_negative = magnitude_of(high, sums);
    for (int i = 0; i < 6; i++) sums[i] = i < 5 ? k->n[i] : 0;
    add_low_product(sums, c1, a1, -1);
    add_low_product(sums, c2, a2, -1);
    *low_is_negative = magnitude_of(low, sums);
}

#endif
