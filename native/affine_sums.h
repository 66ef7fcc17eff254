/* Many sums of points at once, in affine coordinates. One addition costs 5 multiplications and a squaring when its inversion is
 * shared with hundreds of others (Montgomery's trick), against 8 and 3 for a mixed Jacobian addition. */
#ifndef PHAROS_AFFINE_SUMS_H
#define PHAROS_AFFINE_SUMS_H

/* A point other than infinity; x and y have magnitude 1. */
typedef struct { secp256k1_fe x, y; } affine;

/* The points of a proof: first its own (R, lambda R, keys), then sums. See msm.h for the counts behind the size. */
#define MAX_POINTS 14336
static affine points[MAX_POINTS];
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
static secp256k1_fe denominators[MAX_ADDITIONS];
static secp256k1_fe products_before[MAX_ADDITIONS]; /* product of the denominators of all earlier additions */
static secp256k1_fe product_so_far;
static uint32_t addition_count;

static void term_y(secp256k1_fe *y, term t) {
    *y = points[t >> 1].y;
    if (t & 1) secp256k1_fe_negate(y, y, 1); /* magnitude 2 */
}

static int same_y(term left, term right) {
    secp256k1_fe a, b;
    term_y(&a, left);
    term_y(&b, right);
    secp256k1_fe_negate(&a, &a, 2);
    secp256k1_fe_add(&a, &b);
    return secp256k1_fe_normalizes_to_zero_var(&a);
}

/* slope = (y2 - y1) / (x2 - x1), or 3 x^2 / 2 y for equal points; x3 = slope^2 - x1 - x2; y3 = slope (x1 - x3) - y1. */
static void finish_addition(const addition *a, const secp256k1_fe *inverse) {
    const affine *left = &points[a->left >> 1], *right = &points[a->right >> 1];
    secp256k1_fe slope, y1, x3, y3, t;
    term_y(&y1, a->left);
    if (a->doubles) {
        secp256k1_fe_sqr(&slope, &left->x);
        secp256k1_fe_mul_int(&slope, 3);
    } else {
        secp256k1_fe_negate(&t, &y1, 2);
        term_y(&slope, a->right);
        secp256k1_fe_add(&slope, &t); /* magnitude 5 */
    }
    secp256k1_fe_mul(&slope, &slope, inverse);
    secp256k1_fe_sqr(&x3, &slope);
    secp256k1_fe_negate(&t, &left->x, 1);
    secp256k1_fe_add(&x3, &t);
    secp256k1_fe_negate(&t, &right->x, 1);
    secp256k1_fe_add(&x3, &t); /* magnitude 5 */
    secp256k1_fe_normalize_weak(&x3);
    secp256k1_fe_negate(&t, &x3, 1);
    secp256k1_fe_add(&t, &left->x);
    secp256k1_fe_mul(&y3, &t, &slope);
    secp256k1_fe_negate(&t, &y1, 2);
    secp256k1_fe_add(&y3, &t); /* magnitude 4 */
    secp256k1_fe_normalize_weak(&y3);
    points[a->result].x = x3;
    points[a->result].y = y3;
}

static void finish_additions(void) {
    secp256k1_fe inverse_so_far, inverse;
    if (addition_count == 0) return;
    secp256k1_fe_inv_var(&inverse_so_far, &product_so_far);
    while (addition_count > 0) {
        addition_count--;
        secp256k1_fe_mul(&inverse, &inverse_so_far, &products_before[addition_count]);
        secp256k1_fe_mul(&inverse_so_far, &inverse_so_far, &denominators[addition_count]);
        finish_addition(&additions[addition_count], &inverse);
    }
}

/* Starts left + right. Answers 0 when they cancel; else `result` is the term of a sum that exists after finish_additions. */
static int start_addition(term *result, term left, term right) {
    secp256k1_fe *denominator;
    int doubles;
    if (addition_count == MAX_ADDITIONS) finish_additions();
    denominator = &denominators[addition_count];
    secp256k1_fe_negate(denominator, &points[left >> 1].x, 1);
    secp256k1_fe_add(denominator, &points[right >> 1].x);
    /* Equal x is as good as impossible for honest signers, but a signer who knows his nonces can bring it about. */
    doubles = secp256k1_fe_normalizes_to_zero_var(denominator);
    if (doubles) {
        if (!same_y(left, right)) return 0;
        term_y(denominator, left); /* never 0: the curve has no point of order 2 */
        secp256k1_fe_mul_int(denominator, 2);
    }
    if (addition_count == 0) secp256k1_fe_set_int(&product_so_far, 1);
    products_before[addition_count] = product_so_far;
    secp256k1_fe_mul(&product_so_far, &product_so_far, denominator);
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
