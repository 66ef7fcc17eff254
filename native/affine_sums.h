/* Many sums of points at once, in affine coordinates. One addition costs 5 multiplications and a squaring when its inversion is
 * shared with hundreds of others (Montgomery's trick), against 8 and 3 for a mixed Jacobian addition. */
#ifndef PHAROS_AFFINE_SUMS_H
#define PHAROS_AFFINE_SUMS_H

/* The points of a proof: first its own (R, lambda R, keys), then sums. See msm.h for the counts behind the size. */
#define MAX_POINTS 14336
/* Behind them the multiples of G that derive.h looks up; nobody writes there who does not derive, so they take no memory. */
#define COMB_AT MAX_POINTS
#define COMB_POINTS (22 * 2048)
static affine points[MAX_POINTS + COMB_POINTS];
static uint32_t point_count;

/* A summand: index of a point, doubled, plus 1 when its negative is meant. */
typedef uint32_t term;
#define TERM(index, negative) (((term)(index) << 1) | (term)(negative))

/* A list of terms to be summed up; sums shrink it in place to one term, or none for infinity. */
typedef struct { uint32_t start, count; } term_list;

typedef struct { term left, right; uint32_t result; int doubles; } addition;

/* Additions that share an inversion. When more wait, an inversion is spent early. */
#define MAX_ADDITIONS 2304
static addition additions[MAX_ADDITIONS];
static fe29 denominators[MAX_ADDITIONS];
static fe29 products_before[MAX_ADDITIONS + 1] = { { { 1 } } }; /* products of the denominators of all earlier additions */
static uint32_t addition_count;

static void affine_of(affine *to, const secp256k1_ge *from) {
    secp256k1_fe x = from->x, y = from->y;
    secp256k1_fe_normalize_var(&x);
    secp256k1_fe_normalize_var(&y);
    fe29_of(&to->x, &x);
    fe29_of(&to->y, &y);
}

/* Of magnitude 2. */
static inline void term_y(fe29 *y, term t) {
    if (t & 1) fe29_negate(y, &points[t >> 1].y);
    else *y = points[t >> 1].y;
}

static inline void minus_term_y(fe29 *y, term t) { term_y(y, t ^ 1); }

/* slope = (y2 - y1) / (x2 - x1), or 3 x^2 / 2 y for equal points; x3 = slope^2 - x1 - x2; y3 = slope (x1 - x3) - y1. */
static void finish_addition(const addition *a, const fe29 *inverse) {
    const affine *left = &points[a->left >> 1], *right = &points[a->right >> 1];
    affine *result = &points[a->result];
    fe29 slope, minus_y1, t;
    minus_term_y(&minus_y1, a->left);
    if (a->doubles) {
        fe29_sqr(&t, &left->x);
        slope = t;
        fe29_add(&slope, &t);
        fe29_add(&slope, &t); /* magnitude 3 */
    } else {
        term_y(&slope, a->right);
        fe29_add(&slope, &minus_y1); /* magnitude 4 */
    }
    fe29_mul(&slope, &slope, inverse);
    for (int i = 0; i < 9; i++) t.n[i] = 2 * fe29_twice_p.n[i] - left->x.n[i] - right->x.n[i]; /* magnitude 4 */
    fe29_sqr_add(&result->x, &slope, &t);
    fe29_negate(&t, &result->x);
    fe29_add(&t, &left->x); /* magnitude 3 */
    fe29_mul_add(&result->y, &slope, &t, &minus_y1);
}

static void finish_additions(void) {
    fe29 inverse_so_far, inverse;
    if (addition_count == 0) return;
    fe29_inverse(&inverse_so_far, &products_before[addition_count]);
    while (addition_count > 0) {
        addition_count--;
        fe29_mul(&inverse, &inverse_so_far, &products_before[addition_count]);
        fe29_mul(&inverse_so_far, &inverse_so_far, &denominators[addition_count]);
        finish_addition(&additions[addition_count], &inverse);
    }
}

/* Whether x2 - x1 + 2 p, of limbs that were not carried, is p, 2 p or 3 p. Its lowest 29 bits tell nearly all others apart. */
static inline int is_no_difference(const fe29 *difference) {
    return (-difference->n[0] & LIMB) <= 3 * 977 && fe29_is_zero(difference);
}

/* For terms of equal x: whether their y differ. */
static int are_opposite(term left, term right) {
    fe29 sum, y;
    term_y(&sum, left);
    term_y(&y, right);
    fe29_add(&sum, &y);
    return fe29_is_zero(&sum);
}

/* Starts left + right. Answers 0 when they cancel; else `result` is the term of a sum that exists after finish_additions. */
static int start_addition(term *result, term left, term right) {
    fe29 *denominator;
    int doubles;
    if (addition_count == MAX_ADDITIONS) finish_additions();
    denominator = &denominators[addition_count];
    fe29_negate(denominator, &points[left >> 1].x);
    fe29_add(denominator, &points[right >> 1].x); /* magnitude 3 */
    /* Equal x is as good as impossible for honest signers, but a signer who knows his nonces can bring it about. */
    doubles = is_no_difference(denominator);
    if (doubles) {
        if (are_opposite(left, right)) return 0;
        term_y(denominator, left); /* never 0: the curve has no point of order 2 */
        fe29_add(denominator, denominator); /* magnitude 4 */
    }
    fe29_mul(&products_before[addition_count + 1], &products_before[addition_count], denominator);
    additions[addition_count++] = (addition){ left, right, point_count, doubles };
    *result = TERM(point_count++, 0);
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
