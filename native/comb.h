/* Many numbers times G at once: sums of multiples that are looked up, all of which share their inversions.
 *
 * The places that are looked up depend on the numbers, and so does the time: see src/README.md. What is left of the numbers in memory is
 * wiped by wipe_multiplied. */
#ifndef PHAROS_COMB_H
#define PHAROS_COMB_H

/* Multiples of 2^(11 w) G for window w of half a number, 1 to 1024 of each, for signed digits: d G = low G + lambda (high G) with halves of
 * 128 bits, 24 points and 23 additions. Tables that leave the second-level cache cost more than they save: 12 bits take 2 additions less
 * and twice the memory, and two tables for a whole number took a third longer. */
#define COMB_BITS 11
#define COMB_WINDOWS 12
#define COMB_MULTIPLES 1024
#define COMB_POINT(window, multiple) (COMB_AT + (uint32_t)(window) * COMB_MULTIPLES + (uint32_t)(multiple) - 1)

static int comb_is_built;

/* All multiples by doubling their number: the next m are the first m, each with the m-th added. */
static void build_comb(void) {
    secp256k1_gej power;
    secp256k1_gej_set_ge(&power, &secp256k1_ge_const_g);
    for (int w = 0; w < COMB_WINDOWS; w++) {
        secp256k1_ge point;
        secp256k1_gej j = power;
        secp256k1_ge_set_gej(&point, &j);
        affine_of(&points[COMB_POINT(w, 1)], &point);
        for (int i = 0; i < COMB_BITS; i++) secp256k1_gej_double_var(&power, &power, NULL);
    }
    for (int m = 1; m < COMB_MULTIPLES; m *= 2) {
        for (int w = 0; w < COMB_WINDOWS; w++) {
            term sum;
            point_count = COMB_POINT(w, m + 1);
            for (int k = 1; k <= m; k++) start_addition(&sum, TERM(COMB_POINT(w, k), 0), TERM(COMB_POINT(w, m), 0));
        }
        finish_additions();
    }
    comb_is_built = 1;
}

/* Numbers that are multiplied together. */
#define MULTIPLIED 128
/* Additions of the first round, which are the most. */
#define MOST_TOGETHER (COMB_WINDOWS / 2 * 2 * MULTIPLIED)
#define NO_TERM 0xffffffffu
/* The low halves of all numbers, then the high ones. */
static term comb_terms[COMB_WINDOWS][2 * MULTIPLIED];

/* The summands of half a number times G, from its signed digits, lowest first. */
static void set_comb_terms(int index, const unsigned char *half, int negative) {
    uint64_t bits = 0;
    int have = 0, at = 0;
    uint32_t carry = 0;
    for (int w = 0; w < COMB_WINDOWS; w++) {
        for (; have < COMB_BITS && at < HALF_BYTES; have += 8) bits |= (uint64_t)half[at++] << have;
        uint32_t digit = (uint32_t)(bits & (2 * COMB_MULTIPLES - 1)) + carry;
        bits >>= COMB_BITS;
        have -= COMB_BITS;
        carry = digit > COMB_MULTIPLES;
        if (carry) digit = 2 * COMB_MULTIPLES - digit;
        comb_terms[w][index] = digit == 0 ? NO_TERM : TERM(COMB_POINT(w, digit), carry ^ (uint32_t)negative);
    }
}

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

/* lambda times the sums of high halves, to new points as those of the table stay what they are; then both halves' sums together. */
static void sum_halves(void) {
    static fe4 betas;
    fe4_splat(&betas, &beta);
    for (int i = 0; i < MULTIPLIED; i += 4) {
        term *terms = &comb_terms[0][MULTIPLIED + i];
        const affine *from[4];
        affine *to[4];
        fe4 x, y;
        for (int l = 0; l < 4; l++) {
            from[l] = &points[terms[l] == NO_TERM ? 0 : terms[l] >> 1];
            to[l] = &points[point_count + (uint32_t)l];
            if (terms[l] != NO_TERM) terms[l] = TERM(point_count + (uint32_t)l, terms[l] & 1);
        }
        point_count += 4;
        load_x(&x, from);
        load_y(&y, from);
        fe4_mul(&x, &x, &betas);
        store_points(to, &x, &y);
    }
    for (int i = 0; i < MULTIPLIED; i++) comb_terms[0][i] = started_sum(comb_terms[0][i], comb_terms[0][MULTIPLIED + i]);
    finish_additions();
}

/* Takes number `index` of those to be multiplied. */
static void set_multiplied(int index, const sc29 *number) {
    unsigned char low[HALF_BYTES], high[HALF_BYTES];
    int low_is_negative, high_is_negative;
    sc29_split_lambda(low, &low_is_negative, high, &high_is_negative, number);
    set_comb_terms(index, low, low_is_negative);
    set_comb_terms(MULTIPLIED + index, high, high_is_negative);
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
