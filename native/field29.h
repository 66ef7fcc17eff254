/* The field in 9 limbs of 29 bits: 45 products for a square against the 55 of 10 limbs, at the price of little room for sums that were
 * not carried. A square takes 16 ns and a product 25 where those of 10 limbs take 23 and 34, which is one product of limbs a cycle: as
 * fast as scalar code can be. Karatsuba's rule over thirds (54 products for 81) gains nothing, as its sums cost as much. */
#ifndef PHAROS_FIELD29_H
#define PHAROS_FIELD29_H

/* Value: sum of n[i] 2^(29 i). A product's is below 2^256 + 2^88, with limbs below 2^29 + 2^14 and the last one below 2^24: magnitude 1.
 * Sums that were not carried have larger ones; in a product the magnitudes of the two factors multiply to 4 at the most, so that a
 * column stays below 2^63.5. A summand may have magnitude 4. */
typedef struct { uint32_t n[9]; } fe29;

#define LIMB 0x1fffffffu
/* 2^261 = 2^37 + 31264 (mod p): what a limb counts nine places further down. */
#define FOLD 31264u

/* Adds a carry out of 2^256 to the lowest limbs: 2^256 = 2^32 + 977 (mod p); `carry` is below 2^40. */
static inline void fe29_fold(fe29 *r, uint64_t carry) {
    uint64_t c = r->n[0] + (carry & LIMB) * 977;
    r->n[0] = (uint32_t)(c & LIMB);
    c = (c >> 29) + r->n[1] + (carry >> 29) * 977 + (carry << 3);
    r->n[1] = (uint32_t)(c & LIMB);
    r->n[2] += (uint32_t)(c >> 29);
}

/* x^2. Each column is a sum of at most nine products: the high ones are carried first, then folded into the low ones. */
static inline __attribute__((always_inline)) void fe29_sqr_inline(fe29 *r, const fe29 *x) {
    const uint64_t a0 = x->n[0], a1 = x->n[1], a2 = x->n[2], a3 = x->n[3], a4 = x->n[4], a5 = x->n[5], a6 = x->n[6], a7 = x->n[7], a8 = x->n[8];
    const uint64_t d0 = a0 * 2, d1 = a1 * 2, d2 = a2 * 2, d3 = a3 * 2, d4 = a4 * 2, d5 = a5 * 2, d6 = a6 * 2, d7 = a7 * 2;
    uint64_t c, h0, h1, h2, h3, h4, h5, h6, h7, h8;
    c = d1 * a8 + d2 * a7 + d3 * a6 + d4 * a5;              h0 = c & LIMB; c >>= 29;
    c += d2 * a8 + d3 * a7 + d4 * a6 + a5 * a5;             h1 = c & LIMB; c >>= 29;
    c += d3 * a8 + d4 * a7 + d5 * a6;                       h2 = c & LIMB; c >>= 29;
    c += d4 * a8 + d5 * a7 + a6 * a6;                       h3 = c & LIMB; c >>= 29;
    c += d5 * a8 + d6 * a7;                                 h4 = c & LIMB; c >>= 29;
    c += d6 * a8 + a7 * a7;                                 h5 = c & LIMB; c >>= 29;
    c += d7 * a8;                                           h6 = c & LIMB; c >>= 29;
    c += a8 * a8;                                           h7 = c & LIMB; h8 = c >> 29;
    c = a0 * a0 + h0 * FOLD;                                                             r->n[0] = (uint32_t)(c & LIMB); c >>= 29;
    c += d0 * a1 + h1 * FOLD + (h0 << 8);                                                r->n[1] = (uint32_t)(c & LIMB); c >>= 29;
    c += d0 * a2 + a1 * a1 + h2 * FOLD + (h1 << 8);                                      r->n[2] = (uint32_t)(c & LIMB); c >>= 29;
    c += d0 * a3 + d1 * a2 + h3 * FOLD + (h2 << 8);                                      r->n[3] = (uint32_t)(c & LIMB); c >>= 29;
    c += d0 * a4 + d1 * a3 + a2 * a2 + h4 * FOLD + (h3 << 8);                            r->n[4] = (uint32_t)(c & LIMB); c >>= 29;
    c += d0 * a5 + d1 * a4 + d2 * a3 + h5 * FOLD + (h4 << 8);                            r->n[5] = (uint32_t)(c & LIMB); c >>= 29;
    c += d0 * a6 + d1 * a5 + d2 * a4 + a3 * a3 + h6 * FOLD + (h5 << 8);                  r->n[6] = (uint32_t)(c & LIMB); c >>= 29;
    c += d0 * a7 + d1 * a6 + d2 * a5 + d3 * a4 + h7 * FOLD + (h6 << 8);                  r->n[7] = (uint32_t)(c & LIMB); c >>= 29;
    c += d0 * a8 + d1 * a7 + d2 * a6 + d3 * a5 + a4 * a4 + h8 * FOLD + (h7 << 8);        r->n[8] = (uint32_t)(c & 0xffffff); c >>= 24;
    fe29_fold(r, c + (h8 << 13));
}

static __attribute__((noinline)) void fe29_sqr(fe29 *r, const fe29 *x) { fe29_sqr_inline(r, x); }

static __attribute__((noinline)) void fe29_mul(fe29 *r, const fe29 *x, const fe29 *y) {
    const uint64_t a0 = x->n[0], a1 = x->n[1], a2 = x->n[2], a3 = x->n[3], a4 = x->n[4], a5 = x->n[5], a6 = x->n[6], a7 = x->n[7], a8 = x->n[8];
    const uint64_t b0 = y->n[0], b1 = y->n[1], b2 = y->n[2], b3 = y->n[3], b4 = y->n[4], b5 = y->n[5], b6 = y->n[6], b7 = y->n[7], b8 = y->n[8];
    uint64_t c, h0, h1, h2, h3, h4, h5, h6, h7, h8;
    c = a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1;   h0 = c & LIMB; c >>= 29;
    c += a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2;            h1 = c & LIMB; c >>= 29;
    c += a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3;                      h2 = c & LIMB; c >>= 29;
    c += a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4;                                h3 = c & LIMB; c >>= 29;
    c += a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5;                                          h4 = c & LIMB; c >>= 29;
    c += a6 * b8 + a7 * b7 + a8 * b6;                                                    h5 = c & LIMB; c >>= 29;
    c += a7 * b8 + a8 * b7;                                                              h6 = c & LIMB; c >>= 29;
    c += a8 * b8;                                                                        h7 = c & LIMB; h8 = c >> 29;
    c = a0 * b0 + h0 * FOLD;
    r->n[0] = (uint32_t)(c & LIMB); c >>= 29;
    c += a0 * b1 + a1 * b0 + h1 * FOLD + (h0 << 8);
    r->n[1] = (uint32_t)(c & LIMB); c >>= 29;
    c += a0 * b2 + a1 * b1 + a2 * b0 + h2 * FOLD + (h1 << 8);
    r->n[2] = (uint32_t)(c & LIMB); c >>= 29;
    c += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + h3 * FOLD + (h2 << 8);
    r->n[3] = (uint32_t)(c & LIMB); c >>= 29;
    c += a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0 + h4 * FOLD + (h3 << 8);
    r->n[4] = (uint32_t)(c & LIMB); c >>= 29;
    c += a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0 + h5 * FOLD + (h4 << 8);
    r->n[5] = (uint32_t)(c & LIMB); c >>= 29;
    c += a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0 + h6 * FOLD + (h5 << 8);
    r->n[6] = (uint32_t)(c & LIMB); c >>= 29;
    c += a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0 + h7 * FOLD + (h6 << 8);
    r->n[7] = (uint32_t)(c & LIMB); c >>= 29;
    c += a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0 + h8 * FOLD + (h7 << 8);
    r->n[8] = (uint32_t)(c & 0xffffff); c >>= 24;
    fe29_fold(r, c + (h8 << 13));
}

/* From a normalized number of 10 limbs of 26 bits. */
static void fe29_of(fe29 *r, const secp256k1_fe *x) {
    uint64_t bits = 0;
    int have = 0, next = 0;
    for (int i = 0; i < 9; i++) {
        for (; have < 29 && next < 10; have += 26) bits |= (uint64_t)x->n[next++] << have;
        r->n[i] = (uint32_t)(bits & LIMB);
        bits >>= 29;
        have -= 29;
    }
}

/* To 10 limbs, magnitude 1 and not normalized. */
static void fe29_to(secp256k1_fe *r, const fe29 *x) {
    uint64_t bits = 0;
    int have = 0, next = 0;
    for (int i = 0; i < 9; i++) {
        bits += (uint64_t)x->n[i] << have;
        for (have += 29; next < 9 && have >= 26; have -= 26) {
            r->n[next++] = (uint32_t)(bits & 0x3ffffff);
            bits >>= 26;
        }
    }
    r->n[9] = (uint32_t)bits;
}

/* 2 p with limbs that are larger than those of magnitude 1, so that a difference of limbs is never negative. */
static const fe29 fe29_twice_p = { { 0x3ffff85e, 0x3fffffee, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x1fffffe } };

/* -x of magnitude 2, where that of x is 1. */
static inline void fe29_negate(fe29 *r, const fe29 *x) {
    for (int i = 0; i < 9; i++) r->n[i] = fe29_twice_p.n[i] - x->n[i];
}

/* Magnitudes add up. */
static inline void fe29_add(fe29 *r, const fe29 *x) {
    for (int i = 0; i < 9; i++) r->n[i] += x->n[i];
}

/* To the only form below p; of any magnitude up to 4. */
static void fe29_normalize(fe29 *r) {
    uint32_t over = 0;
    /* The first round leaves a carry of a few units, the second one of 0 or 1 with next to nothing below it, the third none. */
    for (int round = 0; round < 3; round++) {
        uint64_t c = (uint64_t)over * 977;
        for (int i = 0; i < 8; i++) {
            c += r->n[i] + (i == 1 ? (uint64_t)over << 3 : 0);
            r->n[i] = (uint32_t)(c & LIMB);
            c >>= 29;
        }
        c += r->n[8];
        r->n[8] = (uint32_t)(c & 0xffffff);
        over = (uint32_t)(c >> 24);
    }
    /* p <= x < 2^256 when all is ones down to the bits of p that are not; then x - p is what is above p there. */
    if (r->n[8] != 0xffffff || (r->n[2] & r->n[3] & r->n[4] & r->n[5] & r->n[6] & r->n[7]) != LIMB) return;
    uint64_t low = (uint64_t)r->n[1] << 29 | r->n[0], low_p = ((uint64_t)(LIMB - 8) << 29) | (LIMB - 976);
    if (low < low_p) return;
    low -= low_p;
    *r = (fe29){ { (uint32_t)(low & LIMB), (uint32_t)(low >> 29) } };
}

/* Whether a number of magnitude 4 at most is 0 modulo p. */
static int fe29_is_zero(const fe29 *x) {
    fe29 t = *x;
    uint32_t bits = 0;
    fe29_normalize(&t);
    for (int i = 0; i < 9; i++) bits |= t.n[i];
    return bits == 0;
}

static __attribute__((noinline)) void fe29_sqr_times(fe29 *r, const fe29 *x, int times) {
    fe29 t = *x;
    for (int i = 0; i < times; i++) fe29_sqr_inline(&t, &t);
    *r = t;
}

/* A step of an exponentiation: r = x^(2^times) y. */
static void fe29_step(fe29 *r, const fe29 *x, int times, const fe29 *y) {
    fe29 t;
    fe29_sqr_times(&t, x, times);
    fe29_mul(r, &t, y);
}

/* The candidate for a square root, a^((p + 1) / 4), by the chain of secp256k1_fe_sqrt: its exponent has blocks of 223, 22 and 2 ones. */
static void fe29_root(fe29 *r, const fe29 *a) {
    fe29 x2, x3, x6, x9, x11, x22, x44, x88, t;
    fe29_step(&x2, a, 1, a);
    fe29_step(&x3, &x2, 1, a);
    fe29_step(&x6, &x3, 3, &x3);
    fe29_step(&x9, &x6, 3, &x3);
    fe29_step(&x11, &x9, 2, &x2);
    fe29_step(&x22, &x11, 11, &x11);
    fe29_step(&x44, &x22, 22, &x22);
    fe29_step(&x88, &x44, 44, &x44);
    fe29_step(&t, &x88, 88, &x88); /* 176 ones */
    fe29_step(&t, &t, 44, &x44);   /* 220 */
    fe29_step(&t, &t, 3, &x3);
    fe29_step(&t, &t, 23, &x22);
    fe29_step(&t, &t, 6, &x2);
    fe29_sqr_times(r, &t, 2);
}

#endif
