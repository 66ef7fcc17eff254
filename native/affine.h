/* Points in memory, in the pairs of limbs of field13.h, and between there and four lanes; and the lifts of points of which only x is known. */
#ifndef PHAROS_AFFINE_H
#define PHAROS_AFFINE_H

/* A point other than infinity. */
typedef struct { uint32_t x[10], y[10]; } affine;

/* A number of any magnitude to pairs of limbs. */
static void pairs_of(uint32_t *pairs, const fe29 *from) {
    fe29 x = *from;
    uint64_t bits = 0;
    int have = 0, next = 0;
    fe29_normalize(&x);
    for (int j = 0; j < 10; j++) {
        for (; have < 26 && next < 9; have += 29) bits |= (uint64_t)x.n[next++] << have;
        pairs[j] = (uint32_t)(bits & 0x1fff) | (uint32_t)(bits >> 13 & 0x1fff) << 16;
        bits >>= 26;
        have -= 26;
    }
}

/* Back, normalized. */
static void fe29_of_pairs(fe29 *r, const uint32_t *pairs) {
    uint64_t bits = 0;
    int64_t carry = 0;
    int have = 0, next = 0;
    /* 2 p more, so that it is not negative; p has 26 ones in nearly all pairs. */
    for (int i = 0; i < 9; i++) {
        for (; have < 29 && next < 10; have += 26, next++) {
            const int64_t p = next == 0 ? 0x3fffc2f : next == 1 ? 0x3ffffbf : next == 9 ? 0x3fffff : 0x3ffffff;
            carry += (int16_t)pairs[next] + (int64_t)(int16_t)(pairs[next] >> 16) * 8192 + 2 * p;
            bits |= (uint64_t)(next < 9 ? carry & 0x3ffffff : carry) << have;
            carry >>= 26;
        }
        r->n[i] = (uint32_t)(i < 8 ? bits & LIMB : bits);
        bits >>= 29;
        have -= 29;
    }
    fe29_normalize(r);
}

static void affine_of(affine *to, const secp256k1_ge *from) {
    secp256k1_fe x = from->x, y = from->y;
    fe29 t;
    secp256k1_fe_normalize_var(&x);
    secp256k1_fe_normalize_var(&y);
    fe29_of(&t, &x);
    pairs_of(to->x, &t);
    fe29_of(&t, &y);
    pairs_of(to->y, &t);
}

static void fe_of_pairs(secp256k1_fe *r, const uint32_t *pairs) {
    fe29 t;
    fe29_of_pairs(&t, pairs);
    fe29_to(r, &t);
}

static void ge_of(secp256k1_ge *to, const affine *from) {
    fe_of_pairs(&to->x, from->x);
    fe_of_pairs(&to->y, from->y);
    to->infinity = 0;
}

/* Turns four rows of four words into columns, and back. */
INLINE void transpose(v128_t *out, v128_t a, v128_t b, v128_t c, v128_t d) {
    const v128_t ab = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), cd = wasm_i32x4_shuffle(c, d, 0, 4, 1, 5);
    const v128_t ab2 = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7), cd2 = wasm_i32x4_shuffle(c, d, 2, 6, 3, 7);
    out[0] = wasm_i64x2_shuffle(ab, cd, 0, 2);
    out[1] = wasm_i64x2_shuffle(ab, cd, 1, 3);
    out[2] = wasm_i64x2_shuffle(ab2, cd2, 0, 2);
    out[3] = wasm_i64x2_shuffle(ab2, cd2, 1, 3);
}

/* Words `from` to `from` + 3 of four points. */
INLINE void load_words(v128_t *out, const affine *const *from, int word) {
    transpose(out, wasm_v128_load(from[0]->x + word), wasm_v128_load(from[1]->x + word), wasm_v128_load(from[2]->x + word),
              wasm_v128_load(from[3]->x + word));
}

INLINE void load_x(fe4 *x, const affine *const *from) {
    v128_t words[4];
    load_words(&x->pair[0], from, 0);
    load_words(&x->pair[4], from, 4);
    load_words(words, from, 8);
    x->pair[8] = words[0];
    x->pair[9] = words[1];
}

INLINE void load_y(fe4 *y, const affine *const *from) {
    v128_t words[4];
    load_words(words, from, 8);
    y->pair[0] = words[2];
    y->pair[1] = words[3];
    load_words(&y->pair[2], from, 12);
    load_words(&y->pair[6], from, 16);
}

INLINE void store_words(affine *const *to, int word, const v128_t *words) {
    v128_t rows[4];
    transpose(rows, words[0], words[1], words[2], words[3]);
    for (int l = 0; l < 4; l++) wasm_v128_store(to[l]->x + word, rows[l]);
}

INLINE void store_points(affine *const *to, const fe4 *x, const fe4 *y) {
    const v128_t middle[4] = { x->pair[8], x->pair[9], y->pair[0], y->pair[1] };
    store_words(to, 0, &x->pair[0]);
    store_words(to, 4, &x->pair[4]);
    store_words(to, 8, middle);
    store_words(to, 12, &y->pair[2]);
    store_words(to, 16, &y->pair[6]);
}

static const fe29 beta = { { 0x119501ee, 0x09cb6143, 0x1d626570, 0x0092ea25, 0x034e99cf, 0x03cf561a, 0x1c41b991, 0x056caf80, 0x007ae96a } };

/* The same number in each lane. */
static void fe4_splat(fe4 *r, const fe29 *x) {
    uint32_t pairs[10];
    pairs_of(pairs, x);
    for (int j = 0; j < 10; j++) r->pair[j] = wasm_i32x4_splat((int32_t)pairs[j]);
}

/* beta in each lane. */
static const fe4 *betas(void) {
    static fe4 splat;
    static int is_known;
    if (!is_known) fe4_splat(&splat, &beta);
    is_known = 1;
    return &splat;
}

/* A point whose x is known and whose y is to be that of this parity; `exists` says what came of it. Behind it goes lambda times the
 * point, (beta x, y). */
typedef struct { affine *point; int odd; unsigned char *exists; } lift;

/* Lifts that wait for company. */
#define LIFTED 8
static lift waiting_lifts[LIFTED];
static int waiting_lift_count;

/* As secp256k1_ge_set_xo_var, for four points; `roots` are the candidates for y and `squares` what y^2 has to be. */
static void finish_lifts(const lift *lifts, const fe4 *x, fe4 *root, const fe4 *square) {
    affine *to[4], *multiples[4];
    fe4 difference, negative, beta_x;
    v128_t odd, exists;
    fe4_sqr_sub(&difference, root, square);
    fe4_normalize(&difference);
    exists = fe4_is_zero(&difference);
    fe4_normalize(root);
    odd = wasm_i32x4_make(lifts[0].odd, lifts[1].odd, lifts[2].odd, lifts[3].odd);
    odd = wasm_i32x4_ne(wasm_v128_and(root->pair[0], wasm_i32x4_const_splat(1)), odd);
    fe4_negate_where(&negative, root, odd);
    fe4_mul(&beta_x, x, betas());
    for (int l = 0; l < 4; l++) {
        to[l] = lifts[l].point;
        multiples[l] = lifts[l].point + 1;
        *lifts[l].exists = (unsigned char)(wasm_i32x4_bitmask(exists) >> l & 1);
    }
    store_points(to, x, &negative);
    store_points(multiples, &beta_x, &negative);
}

/* The same for one point, in 29-bit limbs. */
static void finish_lift(const lift *one) {
    fe29 x, y, square, t;
    fe29_of_pairs(&x, one->point->x);
    fe29_sqr(&t, &x);
    fe29_mul(&square, &t, &x);
    square.n[0] += 7;
    fe29_root(&y, &square);
    fe29_sqr(&t, &y);
    fe29_negate(&square, &square);
    fe29_add(&t, &square);
    *one->exists = (unsigned char)fe29_is_zero(&t);
    fe29_normalize(&y);
    if ((int)(y.n[0] & 1) != one->odd) fe29_negate(&y, &y);
    fe29_mul(&x, &x, &beta);
    pairs_of(one->point->y, &y);
    pairs_of(one->point[1].x, &x);
    memcpy(one->point[1].y, one->point->y, sizeof one->point->y);
}

/* Eight together take as long as six one by one. */
#define FEWEST_LIFTED 6

/* All lifts that were begun are finished; lanes without one do the first again. */
static void end_lifts(void) {
    fe4 x[2], squares[2], roots[2];
    const fe4 minus_seven = { { EACH_PAIR(-7, 0) } };
    while (waiting_lift_count > 0 && waiting_lift_count < FEWEST_LIFTED) finish_lift(&waiting_lifts[--waiting_lift_count]);
    if (waiting_lift_count == 0) return;
    for (int i = waiting_lift_count; i < LIFTED; i++) waiting_lifts[i] = waiting_lifts[0];
    for (int i = 0; i < 2; i++) {
        const affine *from[4];
        fe4 t;
        for (int l = 0; l < 4; l++) from[l] = waiting_lifts[4 * i + l].point;
        load_x(&x[i], from);
        fe4_sqr(&t, &x[i]);
        fe4_mul_sub(&squares[i], &t, &x[i], &minus_seven);
    }
    fe4_roots(roots, squares);
    for (int i = 0; i < 2; i++) finish_lifts(&waiting_lifts[4 * i], &x[i], &roots[i], &squares[i]);
    waiting_lift_count = 0;
}

static void begin_lift(affine *point, int odd, unsigned char *exists) {
    waiting_lifts[waiting_lift_count++] = (lift){ point, odd, exists };
    if (waiting_lift_count == LIFTED) end_lifts();
}

/* From 32 bytes, big-endian; 0 when they are not below p. */
static int pairs_of_bytes(uint32_t *pairs, const unsigned char *bytes) {
    uint64_t bits = 0, ones = ~(uint64_t)0;
    int have = 0, at = 32;
    for (int i = 0; i < 24; i++) ones &= bytes[i] | ~(uint64_t)0xff;
    for (int j = 0; j < 10; j++) {
        for (; have < 26 && at > 0; have += 8) bits |= (uint64_t)bytes[--at] << have;
        pairs[j] = (uint32_t)(bits & 0x1fff) | (uint32_t)(bits >> 13 & 0x1fff) << 16;
        bits >>= 26;
        have -= 26;
    }
    if (ones != ~(uint64_t)0) return 1;
    /* 2^64 - 2^32 - 977 is what p ends in. */
    for (int i = 24; i < 32; i++) bits = bits << 8 | bytes[i];
    return bits < 0xfffffffefffffc2full;
}

#endif
