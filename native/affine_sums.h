/* Many sums of points at once, in affine coordinates, four side by side. One addition costs 5 multiplications and a squaring when its
 * inversion is shared with hundreds of others (Montgomery's trick), against 8 and 3 for a mixed Jacobian addition. */
#ifndef PHAROS_AFFINE_SUMS_H
#define PHAROS_AFFINE_SUMS_H

/* The points of a proof: first its own (R, lambda R, keys), then sums. See msm.h for the counts behind the size. */
#define MAX_POINTS 14336
/* Behind them the multiples of G that derive.h looks up; nobody writes there who does not derive, so they take no memory. */
#define COMB_AT MAX_POINTS
#define COMB_POINTS (12 * 1024)
/* And the multiples of keys that sign often (signer_tables.h). */
#define TABLES_AT (COMB_AT + COMB_POINTS)
#define TABLES 2048
#define TABLE_BITS 4
#define TABLE_WINDOWS 33
#define TABLE_POINTS (TABLE_WINDOWS << (TABLE_BITS - 1))
/* Behind all other data: as an array of its own it would lie in the object file, zero by zero, and take the compiler minutes. */
extern affine points[] __asm__("__heap_base");
EXPORT(points_end) affine *points_end(void) { return &points[TABLES_AT + TABLES * TABLE_POINTS]; }
static uint32_t point_count;

/* A summand: index of a point, doubled, plus 1 when its negative is meant. */
typedef uint32_t term;
#define TERM(index, negative) (((term)(index) << 1) | (term)(negative))

/* A list of terms to be summed up; sums shrink it in place to one term, or none for infinity. */
typedef struct { uint32_t start, count; } term_list;

/* The left one is never negative: -P + Q is started as P - Q, and the result's term has the sign. */
typedef struct { term left, right; uint32_t result; } addition;

/* Additions that share an inversion. When more wait, an inversion is spent early. */
#define MAX_ADDITIONS 2304
static addition additions[MAX_ADDITIONS];
static uint32_t addition_count;
/* Of each four additions: what they divide by, the products of that of all earlier ones in the same lane, which of them double. */
static fe4 denominators[MAX_ADDITIONS / 4];
static fe4 products_before[MAX_ADDITIONS / 4 + 1] = { { { { 1, 1, 1, 1 } } } };
static unsigned char doubling_lanes[MAX_ADDITIONS / 4];

INLINE void points_of(const affine **left, const affine **right, const addition *four) {
    for (int l = 0; l < 4; l++) {
        left[l] = &points[four[l].left >> 1];
        right[l] = &points[four[l].right >> 1];
    }
}

static v128_t lanes_of(unsigned int bits) {
    return wasm_i32x4_make(-(int)(bits & 1), -(int)(bits >> 1 & 1), -(int)(bits >> 2 & 1), -(int)(bits >> 3 & 1));
}

/* x times a small number. */
static void multiply_small(fe4 *r, const fe4 *x, int small) {
    const fe4 factor = { { wasm_i32x4_splat(small) } };
    fe4_mul(r, x, &factor);
}

/* x2 - x1, and 2 y1 where a point is doubled: never 0, as the curve has no point of order 2. */
static void multiply_denominators(uint32_t group) {
    const affine *left[4], *right[4];
    fe4 x1, x2, *denominator = &denominators[group];
    points_of(left, right, &additions[4 * group]);
    load_x(&x1, left);
    load_x(&x2, right);
    fe4_sub(denominator, &x2, &x1);
    if (doubling_lanes[group]) {
        load_y(&x1, left);
        multiply_small(&x2, &x1, 2);
        fe4_select(denominator, denominator, &x2, lanes_of(doubling_lanes[group]));
    }
    fe4_mul(&products_before[group + 1], &products_before[group], denominator);
}

/* y2 - y1, and 3 x1^2 where a point is doubled. */
INLINE void numerators_of(fe4 *r, uint32_t group, const fe4 *x1, const fe4 *y1, const affine *const *right) {
    const addition *four = &additions[4 * group];
    fe4 y2, square;
    const v128_t negative = wasm_i32x4_make(-(int)(four[0].right & 1), -(int)(four[1].right & 1), -(int)(four[2].right & 1), -(int)(four[3].right & 1));
    load_y(&y2, right);
    fe4_negate_where(&y2, &y2, negative);
    fe4_sub(r, &y2, y1);
    if (!doubling_lanes[group]) return;
    fe4_sqr(&square, x1);
    multiply_small(&square, &square, 3);
    fe4_select(r, r, &square, lanes_of(doubling_lanes[group]));
}

/* slope = (y2 - y1) / (x2 - x1), or 3 x1^2 / 2 y1 for equal points; x3 = slope^2 - x1 - x2; y3 = slope (x1 - x3) - y1. */
static void finish_four(uint32_t group, const fe4 *inverse) {
    const affine *left[4], *right[4];
    affine *results[4];
    fe4 x1, y1, x2, x3, y3, slope, t;
    points_of(left, right, &additions[4 * group]);
    load_x(&x1, left);
    load_y(&y1, left);
    load_x(&x2, right);
    numerators_of(&t, group, &x1, &y1, right);
    fe4_mul(&slope, &t, inverse);
    UNROLLED for (int j = 0; j < 10; j++) x2.pair[j] = wasm_i16x8_add(x2.pair[j], x1.pair[j]);
    fe4_sqr_sub(&x3, &slope, &x2);
    fe4_sub(&t, &x1, &x3);
    fe4_mul_sub(&y3, &slope, &t, &y1);
    for (int l = 0; l < 4; l++) results[l] = &points[additions[4 * group + (uint32_t)l].result];
    store_points(results, &x3, &y3);
}

/* The inverses of four numbers, with one inversion. */
static void invert_four(fe4 *r, const fe4 *x) {
    fe29 lanes[4], before[4], inverse;
    uint32_t pairs[10];
    for (int l = 0; l < 4; l++) {
        for (int j = 0; j < 10; j++) pairs[j] = ((const uint32_t *)&x->pair[j])[l];
        fe29_of_pairs(&lanes[l], pairs);
        if (l == 0) before[1] = lanes[0];
        else if (l < 3) fe29_mul(&before[l + 1], &before[l], &lanes[l]);
    }
    fe29_mul(&inverse, &before[3], &lanes[3]);
    fe29_inverse(&inverse, &inverse);
    for (int l = 3; l >= 0; l--) {
        fe29 t = inverse;
        if (l > 0) fe29_mul(&t, &inverse, &before[l]);
        pairs_of(pairs, &t);
        for (int j = 0; j < 10; j++) ((uint32_t *)&r->pair[j])[l] = pairs[j];
        fe29_mul(&inverse, &inverse, &lanes[l]);
    }
}

static void finish_additions(void) {
    fe4 inverse_so_far, inverse;
    uint32_t group;
    if (addition_count == 0) return;
    /* Lanes without an addition do the last one again. */
    if (addition_count % 4 != 0) {
        group = addition_count / 4;
        for (; addition_count % 4 != 0; addition_count++) {
            additions[addition_count] = additions[addition_count - 1];
            doubling_lanes[group] |= (unsigned char)((doubling_lanes[group] >> (addition_count - 1) % 4 & 1) << addition_count % 4);
        }
        multiply_denominators(group);
    }
    invert_four(&inverse_so_far, &products_before[addition_count / 4]);
    for (group = addition_count / 4; group-- > 0;) {
        fe4_mul(&inverse, &inverse_so_far, &products_before[group]);
        if (group > 0) fe4_mul(&inverse_so_far, &inverse_so_far, &denominators[group]);
        finish_four(group, &inverse);
    }
    addition_count = 0;
}

static int are_equal(const uint32_t *pairs, const uint32_t *others, int negative) {
    fe29 x, y;
    fe29_of_pairs(&x, pairs);
    fe29_of_pairs(&y, others);
    if (negative) fe29_negate(&y, &y);
    fe29_normalize(&y);
    return memcmp(&x, &y, sizeof x) == 0;
}

/* The last 26 bits of a product of field13.h. */
static inline uint32_t end_of(uint32_t pair) { return (pair & 0x1fff) | pair >> 16 << 13; }

/* Whether two x can be equal modulo p: the numbers then differ by 0, p or -p, and p ends in 2^26 - 977. */
static inline int may_be_equal(const affine *left, const affine *right) {
    return ((end_of(left->x[0]) - end_of(right->x[0]) + 977) & 0x3ffffff) <= 2 * 977;
}

/* Starts left + right. Answers 0 when they cancel; else `result` is the term of a sum that exists after finish_additions. */
static int start_addition(term *result, term left, term right) {
    const term sign = left & 1;
    const affine *l = &points[left >> 1], *r = &points[right >> 1];
    unsigned char doubles = 0;
    if (addition_count == MAX_ADDITIONS) finish_additions();
    left ^= sign;
    right ^= sign;
    /* Equal x is as good as impossible for honest signers, but a signer who knows his nonces can bring it about. */
    if (may_be_equal(l, r) && are_equal(l->x, r->x, 0)) {
        if (!are_equal(l->y, r->y, (int)(right & 1))) return 0;
        doubles = 1;
    }
    if (addition_count % 4 == 0) doubling_lanes[addition_count / 4] = 0;
    doubling_lanes[addition_count / 4] |= (unsigned char)(doubles << addition_count % 4);
    additions[addition_count++] = (addition){ left, right, point_count };
    if (addition_count % 4 == 0) multiply_denominators(addition_count / 4 - 1);
    *result = TERM(point_count++, sign);
    return 1;
}

/* Adds the terms of every list up by halving: all lists take part in each round and share its inversion. */
static void sum_lists(term_list *lists, uint32_t list_count, term *terms) {
    int busy = 1;
    while (busy) {
        busy = 0;
        for (uint32_t i = 0; i < list_count; i++) {
            term *list = terms + lists[i].start;
            uint32_t count = lists[i].count, kept = 0, at = 0;
            for (; at + 1 < count; at += 2) kept += (uint32_t)start_addition(&list[kept], list[at], list[at + 1]);
            if (at < count) list[kept++] = list[at];
            lists[i].count = kept;
            busy |= kept > 1;
        }
        finish_additions();
    }
}

#endif
