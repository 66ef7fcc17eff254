/* The field, four numbers side by side: 20 limbs of 13 bits each, for i32x4.dot_i16x8_s, which makes two products of limbs for each
 * of four numbers and adds them, in one machine instruction. A product takes 16 ns a number and a square 12, where those of field29.h
 * take 27 and 15. Both are bound by the number of vector instructions, so what matters is to have few of them, and that no column of
 * products waits for the carry of the one before (columns are summed first and get the carry last). */
#ifndef PHAROS_FIELD13_H
#define PHAROS_FIELD13_H

#include <wasm_simd128.h>

/* In lane l, the low half of pair[j] is limb 2 j of number l and the high half limb 2 j + 1. What products and squares give is between
 * -2^253 and 2^256 + 2^253, with limbs below 2^13 of which only the last one can be negative. Of two such numbers the difference, limb
 * by limb, is a factor too; a sum is not, because a column holds 20 products: 20 2^26 < 2^31. */
typedef struct { v128_t pair[10]; } fe4;

#define EACH_PAIR(low, high) wasm_i16x8_const(low, high, low, high, low, high, low, high)
#define LOW_OF(a) wasm_v128_and(a, wasm_i32x4_const_splat(0xffff))
/* The low halves of a, the high ones of b. */
#define LOW_HIGH(a, b) wasm_i16x8_shuffle(a, b, 0, 9, 2, 11, 4, 13, 6, 15)
#define SWAPPED(a) wasm_i16x8_shuffle(a, a, 1, 0, 3, 2, 5, 4, 7, 6)
#define DOT(a, b) wasm_i32x4_dot_i16x8(a, b)
#define LIMB13 wasm_i32x4_const_splat(0x1fff)
#define UNROLLED _Pragma("clang loop unroll(full)")
#define INLINE static inline __attribute__((always_inline))

/* The limbs in the order in which products need them: columns of even number pair (2 j, 2 j + 1) with (2 i, 2 i - 1), odd ones with
 * (2 i + 1, 2 i). */
typedef struct { v128_t even[11], odd[10]; } fe4_partners;

INLINE void fe4_partners_of(fe4_partners *r, const fe4 *y) {
    r->even[0] = LOW_OF(y->pair[0]);
    UNROLLED for (int j = 1; j < 10; j++) r->even[j] = LOW_HIGH(y->pair[j], y->pair[j - 1]);
    r->even[10] = wasm_v128_and(y->pair[9], wasm_i32x4_const_splat(0xffff0000));
    UNROLLED for (int j = 0; j < 10; j++) r->odd[j] = SWAPPED(y->pair[j]);
}

/* Column k of x y: the sum of x_i y_(k - i). */
INLINE v128_t fe4_product_column(const fe4 *x, const fe4_partners *y, int k) {
    const v128_t *partners = k % 2 ? y->odd : y->even;
    const int m = k / 2, last = k % 2 ? 9 : 10;
    v128_t sum = wasm_i32x4_const_splat(0);
    UNROLLED for (int j = m > last ? m - last : 0; j <= m && j < 10; j++) sum = wasm_i32x4_add(sum, DOT(x->pair[j], partners[m - j]));
    return sum;
}

/* The same of x x, where nearly all products occur twice; `twice` is 2 x, `twice_low` the low halves of that and the high ones of x. */
INLINE v128_t fe4_square_column(const fe4 *x, const fe4 *twice, const fe4 *twice_low, const fe4_partners *y, int k) {
    const v128_t *partners = k % 2 ? y->odd : y->even;
    const int m = k / 2, last = k % 2 ? 9 : 10, from = m > last ? m - last : 0;
    /* The pair in which the limbs of even number meet in the middle, those of odd number, or both. */
    const int even_middle = m / 2, odd_middle = (m - 1) / 2;
    v128_t sum = wasm_i32x4_const_splat(0);
    UNROLLED for (int j = from; j <= m / 2 && j < 10; j++) {
        v128_t factor = twice->pair[j];
        if (k % 2 == 0 && m > 0 && j == odd_middle) factor = twice_low->pair[j];
        if (m % 2 == 0 && j == even_middle) factor = x->pair[j];
        sum = wasm_i32x4_add(sum, DOT(factor, partners[m - j]));
    }
    return sum;
}

/* Carries 39 columns to limbs, modulo p. */
INLINE void fe4_reduce(fe4 *r, const v128_t *columns) {
    /* 2^260 = 2^36 + 15632 (mod p): what a limb counts twenty places further down is 15632 there and 1024 two places up. */
    const v128_t fold = EACH_PAIR(15632, 1024);
    v128_t high[20], carry = wasm_i32x4_const_splat(0), low, top, over, over0, over1;
    UNROLLED for (int k = 20; k < 39; k++) {
        carry = wasm_i32x4_add(carry, columns[k]);
        high[k - 20] = wasm_v128_and(carry, LIMB13);
        carry = wasm_i32x4_shr(carry, 13);
    }
    high[19] = carry;
#define FOLDED(k) wasm_i32x4_add(columns[k], (k) < 2 ? DOT(high[k], fold) : DOT(LOW_HIGH(high[k], wasm_i32x4_shl(high[((k) + 18) % 20], 16)), fold))
    /* Limb 19 ends at 2^256 = 2^32 + 977 (mod p); what is above goes down before the others are carried, so that little will be above. */
    low = FOLDED(18);
    top = wasm_i32x4_add(FOLDED(19), wasm_i32x4_shr(low, 13));
    low = wasm_v128_and(low, LIMB13);
    over = wasm_i32x4_shr(top, 9);
    over0 = wasm_v128_and(over, LIMB13);
    /* The last two high limbs fold to 2^270 and 2^283 as well: 2^14 and 2^27 times 2^256. */
    over1 = wasm_i32x4_add(wasm_i32x4_shr(over, 13), wasm_i32x4_shl(high[18], 1));
    const v128_t last[2] = { low, wasm_v128_and(top, wasm_i32x4_const_splat(511)) };
    carry = wasm_i32x4_const_splat(0);
    UNROLLED for (int k = 0; k < 20; k++) {
        v128_t sum = k < 18 ? FOLDED(k) : last[k % 2];
        if (k == 0) sum = wasm_i32x4_add(sum, DOT(over0, EACH_PAIR(977, 0)));
        if (k == 1) sum = wasm_i32x4_add(sum, DOT(over1, EACH_PAIR(977, 0)));
        if (k == 2) sum = wasm_i32x4_add(sum, wasm_i32x4_add(wasm_i32x4_shl(over0, 6), DOT(high[19], EACH_PAIR(1954, 0))));
        if (k == 3) sum = wasm_i32x4_add(sum, wasm_i32x4_shl(over1, 6));
        if (k == 4) sum = wasm_i32x4_add(sum, wasm_i32x4_shl(high[19], 7));
        sum = wasm_i32x4_add(sum, carry);
        if (k % 2 == 0) low = sum;
        else r->pair[k / 2] = wasm_v128_and(LOW_HIGH(low, wasm_i32x4_shl(sum, 16)), k < 19 ? wasm_i16x8_const_splat(0x1fff) : EACH_PAIR(0x1fff, -1));
        carry = wasm_i32x4_shr(sum, 13);
    }
}

/* Subtracts a number whose limbs are below 2^15; it may be a sum. */
INLINE void fe4_subtract_from(v128_t *columns, const fe4 *minus) {
    UNROLLED for (int j = 0; j < 10; j++) {
        columns[2 * j] = wasm_i32x4_add(columns[2 * j], DOT(minus->pair[j], EACH_PAIR(-1, 0)));
        columns[2 * j + 1] = wasm_i32x4_add(columns[2 * j + 1], DOT(minus->pair[j], EACH_PAIR(0, -1)));
    }
}

/* x y - minus, of which there may be none. */
INLINE void fe4_mul_inline(fe4 *r, const fe4 *x, const fe4 *y, const fe4 *minus) {
    v128_t columns[39];
    fe4_partners partners;
    fe4_partners_of(&partners, y);
    UNROLLED for (int k = 0; k < 39; k++) columns[k] = fe4_product_column(x, &partners, k);
    if (minus) fe4_subtract_from(columns, minus);
    fe4_reduce(r, columns);
}

INLINE void fe4_sqr_inline(fe4 *r, const fe4 *x, const fe4 *minus) {
    v128_t columns[39];
    fe4 twice, twice_low;
    fe4_partners partners;
    fe4_partners_of(&partners, x);
    UNROLLED for (int j = 0; j < 10; j++) {
        twice.pair[j] = wasm_i16x8_add(x->pair[j], x->pair[j]);
        twice_low.pair[j] = LOW_HIGH(twice.pair[j], x->pair[j]);
    }
    UNROLLED for (int k = 0; k < 39; k++) columns[k] = fe4_square_column(x, &twice, &twice_low, &partners, k);
    if (minus) fe4_subtract_from(columns, minus);
    fe4_reduce(r, columns);
}

static __attribute__((noinline)) void fe4_mul(fe4 *r, const fe4 *x, const fe4 *y) { fe4_mul_inline(r, x, y, NULL); }
static __attribute__((noinline)) void fe4_mul_sub(fe4 *r, const fe4 *x, const fe4 *y, const fe4 *minus) { fe4_mul_inline(r, x, y, minus); }
static __attribute__((noinline)) void fe4_sqr(fe4 *r, const fe4 *x) { fe4_sqr_inline(r, x, NULL); }
static __attribute__((noinline)) void fe4_sqr_sub(fe4 *r, const fe4 *x, const fe4 *minus) { fe4_sqr_inline(r, x, minus); }

/* A factor: see fe4. */
INLINE void fe4_sub(fe4 *r, const fe4 *x, const fe4 *y) {
    UNROLLED for (int j = 0; j < 10; j++) r->pair[j] = wasm_i16x8_sub(x->pair[j], y->pair[j]);
}

/* Where a lane of `mask` is all ones that of y, else that of x. */
INLINE void fe4_select(fe4 *r, const fe4 *x, const fe4 *y, v128_t mask) {
    UNROLLED for (int j = 0; j < 10; j++) r->pair[j] = wasm_v128_bitselect(y->pair[j], x->pair[j], mask);
}

/* The limbs of p. */
#define P_LIMB(i) ((i) == 0 ? 0x1fff - 976 : (i) == 2 ? 0x1fff - 64 : (i) == 19 ? 511 : 0x1fff)
#define P_PAIR(j) wasm_i32x4_splat(P_LIMB(2 * (j)) | P_LIMB(2 * (j) + 1) << 16)

/* x, or p - x where a lane of `mask` is all ones. Its limbs are between -976 and 2^13, and so are those of its negative. */
INLINE void fe4_negate_where(fe4 *r, const fe4 *x, v128_t mask) {
    UNROLLED for (int j = 0; j < 10; j++)
        r->pair[j] = wasm_i16x8_add(wasm_v128_xor(x->pair[j], mask), wasm_v128_and(mask, wasm_i16x8_add(P_PAIR(j), wasm_i16x8_const_splat(1))));
}

/* Adds up to limbs below 2^13, but the last one. */
INLINE v128_t fe4_carried(v128_t *limbs) {
    v128_t carry = wasm_i32x4_const_splat(0);
    UNROLLED for (int i = 0; i < 19; i++) {
        carry = wasm_i32x4_add(carry, limbs[i]);
        limbs[i] = wasm_v128_and(carry, LIMB13);
        carry = wasm_i32x4_shr(carry, 13);
    }
    return wasm_i32x4_add(carry, limbs[19]);
}

/* To the only form below p; of a product, or of the difference of two. */
static __attribute__((noinline)) void fe4_normalize(fe4 *r) {
    v128_t limbs[20], less[20], top, is_less;
    /* 2 p more, so that it is not negative. */
    UNROLLED for (int j = 0; j < 10; j++) {
        limbs[2 * j] = wasm_i32x4_add(DOT(r->pair[j], EACH_PAIR(1, 0)), wasm_i32x4_splat(2 * P_LIMB(2 * j)));
        limbs[2 * j + 1] = wasm_i32x4_add(DOT(r->pair[j], EACH_PAIR(0, 1)), wasm_i32x4_splat(2 * P_LIMB(2 * j + 1)));
    }
    top = fe4_carried(limbs);
    limbs[19] = wasm_v128_and(top, wasm_i32x4_const_splat(511));
    top = wasm_i32x4_shr(top, 9);
    limbs[0] = wasm_i32x4_add(limbs[0], wasm_i32x4_mul(top, wasm_i32x4_const_splat(977)));
    limbs[2] = wasm_i32x4_add(limbs[2], wasm_i32x4_shl(top, 6));
    limbs[19] = fe4_carried(limbs);
    /* Below 2^256 + 2^35 now. It is p or more when it reaches 2^256 with 2^256 - p added, and what is above then is the difference. */
    UNROLLED for (int i = 0; i < 20; i++) less[i] = limbs[i];
    less[0] = wasm_i32x4_add(less[0], wasm_i32x4_const_splat(977));
    less[2] = wasm_i32x4_add(less[2], wasm_i32x4_const_splat(64));
    less[19] = fe4_carried(less);
    is_less = wasm_i32x4_gt(less[19], wasm_i32x4_const_splat(511));
    less[19] = wasm_v128_and(less[19], wasm_i32x4_const_splat(511));
    UNROLLED for (int i = 0; i < 20; i++) limbs[i] = wasm_v128_bitselect(less[i], limbs[i], is_less);
    UNROLLED for (int j = 0; j < 10; j++) r->pair[j] = wasm_v128_or(limbs[2 * j], wasm_i32x4_shl(limbs[2 * j + 1], 16));
}

/* Lanes that are 0, of a normalized number, as all ones. */
static v128_t fe4_is_zero(const fe4 *x) {
    v128_t bits = x->pair[0];
    for (int j = 1; j < 10; j++) bits = wasm_v128_or(bits, x->pair[j]);
    return wasm_i32x4_eq(bits, wasm_i32x4_const_splat(0));
}

/* The squares of eight numbers, `times` times over: two at once hide each other's latency, 12 ns each for 14. */
static __attribute__((noinline)) void fe4_sqr_times(fe4 *r, const fe4 *x, int times) {
    fe4 t = x[0], u = x[1];
    for (int i = 0; i < times; i++) {
        fe4_sqr_inline(&t, &t, NULL);
        fe4_sqr_inline(&u, &u, NULL);
    }
    r[0] = t;
    r[1] = u;
}

/* A step of an exponentiation of eight numbers: r = x^(2^times) y. */
static void fe4_step(fe4 *r, const fe4 *x, int times, const fe4 *y) {
    fe4 t[2];
    fe4_sqr_times(t, x, times);
    for (int i = 0; i < 2; i++) fe4_mul(&r[i], &t[i], &y[i]);
}

/* The candidates for square roots of eight numbers, a^((p + 1) / 4), by the chain of secp256k1_fe_sqrt; see fe29_root. */
static void fe4_roots(fe4 *r, const fe4 *a) {
    fe4 x2[2], x3[2], x6[2], x9[2], x11[2], x22[2], x44[2], x88[2], t[2];
    fe4_step(x2, a, 1, a);
    fe4_step(x3, x2, 1, a);
    fe4_step(x6, x3, 3, x3);
    fe4_step(x9, x6, 3, x3);
    fe4_step(x11, x9, 2, x2);
    fe4_step(x22, x11, 11, x11);
    fe4_step(x44, x22, 22, x22);
    fe4_step(x88, x44, 44, x44);
    fe4_step(t, x88, 88, x88);
    fe4_step(t, t, 44, x44);
    fe4_step(t, t, 3, x3);
    fe4_step(t, t, 23, x22);
    fe4_step(t, t, 6, x2);
    fe4_sqr_times(r, t, 2);
}

#endif
