/* Many numbers times G at once: sums of multiples that are looked up, all of which share their inversions.
 *
 * The places that are looked up depend on the numbers, and so does the time: see src/README.md. What is left of the numbers in memory is
 * wiped by wipe_multiplied. */
#ifndef PHAROS_COMB_H
#define PHAROS_COMB_H

/* Multiples of 2^(bits w) P for each window w of half a number, 1 to 2^(bits - 1) of each, for signed digits; at `at` among the points. */
typedef struct { uint32_t at, bits, windows; } comb;

static inline uint32_t multiples_of(const comb *c) { return 1u << (c->bits - 1); }

static inline uint32_t comb_point(const comb *c, uint32_t window, uint32_t multiple) { return c->at + window * multiples_of(c) + multiple - 1; }

/* d G = low G + lambda (high G) with halves of 128 bits: 24 points and 23 additions. Tables that leave the second-level cache cost more
 * than they save: 12 bits take 2 additions less and twice the memory, and two tables for a whole number took a third longer. */
#define COMB_WINDOWS 12
static const comb comb_of_g = { COMB_AT, 11, COMB_WINDOWS };
static int comb_is_built;

#define MOST_WINDOWS 33

static void place_powers(const comb *c, const secp256k1_ge *point) {
    static secp256k1_gej powers[MOST_WINDOWS];
    static secp256k1_ge affine_powers[MOST_WINDOWS];
    secp256k1_gej power;
    secp256k1_gej_set_ge(&power, point);
    for (uint32_t w = 0; w < c->windows; w++) {
        powers[w] = power;
        for (uint32_t i = 0; i < c->bits; i++) secp256k1_gej_double_var(&power, &power, NULL);
    }
    secp256k1_ge_set_all_gej_var(affine_powers, powers, c->windows);
    for (uint32_t w = 0; w < c->windows; w++) affine_of(&points[comb_point(c, w, 1)], &affine_powers[w]);
}

/* All multiples by doubling their number: the next m are the first m, each with the m-th added. */
static void build_comb(const comb *c, const secp256k1_ge *point) {
    place_powers(c, point);
    for (uint32_t m = 1; m < multiples_of(c); m *= 2) {
        for (uint32_t w = 0; w < c->windows; w++) {
            term sum;
            point_count = comb_point(c, w, m + 1);
            for (uint32_t k = 1; k <= m; k++) start_addition(&sum, TERM(comb_point(c, w, k), 0), TERM(comb_point(c, w, m), 0));
        }
        finish_additions();
    }
}

static void build_comb_of_g(void) {
    if (!comb_is_built) build_comb(&comb_of_g, &secp256k1_ge_const_g);
    comb_is_built = 1;
}

#define NO_TERM 0xffffffffu

/* The summands of half a number times the point, one for each signed digit, lowest first, each so many places behind the one before. */
INLINE void set_comb_terms(const comb *c, term *terms, uint32_t apart, const unsigned char *half, int negative) {
    const uint32_t multiples = multiples_of(c);
    uint64_t bits = 0;
    uint32_t have = 0, carry = 0;
    int at = 0;
    for (uint32_t w = 0; w < c->windows; w++) {
        for (; have < c->bits && at < HALF_BYTES; have += 8) bits |= (uint64_t)half[at++] << have;
        uint32_t digit = (uint32_t)(bits & (2 * multiples - 1)) + carry;
        bits >>= c->bits;
        have -= c->bits;
        carry = digit > multiples;
        if (carry) digit = 2 * multiples - digit;
        terms[w * apart] = digit == 0 ? NO_TERM : TERM(comb_point(c, w, digit), carry ^ (uint32_t)negative);
    }
}

/* Numbers that are multiplied together. */
#define MULTIPLIED 128
/* Additions of the first round, which are the most. */
#define MOST_TOGETHER (COMB_WINDOWS / 2 * 2 * MULTIPLIED)
/* The low halves of all numbers, then the high ones. */
static term comb_terms[COMB_WINDOWS][2 * MULTIPLIED];

static term started_sum(term left, term right) {
    term sum = NO_TERM;
    if (left == NO_TERM) return right;
    if (right == NO_TERM) return left;
    return start_addition(&sum, left, right) ? sum : NO_TERM;
}

/* Adds the rows of terms up by halving; the sums are in the first. */
static void sum_rows(void) {
    for (int rows = COMB_WINDOWS; rows > 1; rows = (rows + 1) / 2) {
        for (int r = 0; r + 1 < rows; r += 2)
            for (int i = 0; i < 2 * MULTIPLIED; i++) comb_terms[r / 2][i] = started_sum(comb_terms[r][i], comb_terms[r + 1][i]);
        if (rows % 2) memcpy(comb_terms[rows / 2], comb_terms[rows - 1], sizeof comb_terms[0]);
        finish_additions();
    }
}

/* lambda times the points of four terms, to new points as those of a table stay what they are. */
static void multiply_by_lambda(term *const *terms) {
    const affine *from[4];
    affine *to[4];
    fe4 x, y;
    for (int l = 0; l < 4; l++) {
        from[l] = &points[*terms[l] == NO_TERM ? 0 : *terms[l] >> 1];
        to[l] = &points[point_count + (uint32_t)l];
        if (*terms[l] != NO_TERM) *terms[l] = TERM(point_count + (uint32_t)l, *terms[l] & 1);
    }
    point_count += 4;
    load_x(&x, from);
    load_y(&y, from);
    fe4_mul(&x, &x, betas());
    store_points(to, &x, &y);
}

/* Both halves' sums together. */
static void sum_halves(void) {
    for (int i = 0; i < MULTIPLIED; i += 4) {
        term *high = &comb_terms[0][MULTIPLIED + i];
        term *const four[4] = { high, high + 1, high + 2, high + 3 };
        multiply_by_lambda(four);
    }
    for (int i = 0; i < MULTIPLIED; i++) comb_terms[0][i] = started_sum(comb_terms[0][i], comb_terms[0][MULTIPLIED + i]);
    finish_additions();
}

/* Takes number `index` of those to be multiplied. */
static void set_multiplied(int index, const sc29 *number) {
    unsigned char low[HALF_BYTES], high[HALF_BYTES];
    int low_is_negative, high_is_negative;
    sc29_split_lambda(low, &low_is_negative, high, &high_is_negative, number);
    set_comb_terms(&comb_of_g, &comb_terms[0][index], 2 * MULTIPLIED, low, low_is_negative);
    set_comb_terms(&comb_of_g, &comb_terms[0][MULTIPLIED + index], 2 * MULTIPLIED, high, high_is_negative);
}

/* Multiplies the first so many; the products are the terms in comb_terms[0]. */
static void multiply_all(int count) {
    point_count = 0;
    for (int w = 0; w < COMB_WINDOWS; w++)
        for (int i = count; i < MULTIPLIED; i++) comb_terms[w][i] = comb_terms[w][MULTIPLIED + i] = NO_TERM;
    sum_rows();
    sum_halves();
}

/* Forgets places, which are those of digits. No call of memset to memory that lives on is left out. */
static void wipe_multiplied(void) {
    memset(points, 0, point_count * sizeof *points);
    memset(comb_terms, 0, sizeof comb_terms);
    memset(additions, 0, MOST_TOGETHER * sizeof *additions);
    memset(denominators, 0, MOST_TOGETHER / 4 * sizeof *denominators);
    memset(&products_before[1], 0, MOST_TOGETHER / 4 * sizeof *products_before);
}

#endif
