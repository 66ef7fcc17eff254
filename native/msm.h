/* Multi-scalar multiplication for proofs: the sum of many points, each times a number of signed digits in base 256.
 *
 * Pippenger's buckets, all in affine sums (affine_sums.h). For window w, bucket b (1..128) is the sum of the points whose digit is
 * +-b. Then, instead of running sums, which are sequential, the bits of b: with b = 16 h + l, first the sums over equal l and over
 * equal h, then over those whose l or h has bit t. That gives one point for each bit of the scalars, and
 * total = sum of 2^k bit_points[k], by doubling. */
#ifndef PHAROS_MSM_H
#define PHAROS_MSM_H

#define MAX_KEYS MAX_ITEMS /* distinct expected keys of a batch */
/* R and lambda R of every item; key and lambda key of every key and of G. */
#define MAX_TERMS (2 * MAX_ITEMS + 2 * (MAX_KEYS + 1))
#define WINDOWS 17 /* 128 bits and the carry of signed digits */
#define BUCKETS 128
#define BITS (8 * WINDOWS)

#define SHORT_WINDOWS 8 /* halves of multipliers */
/* The digits of one summand, lowest first, each in -128..127; those of R end after the short windows. */
typedef struct { term point; int8_t digits[WINDOWS]; } summand;
static summand summands[MAX_TERMS];
static uint32_t summand_count;
/* Those of R come first; only the others have digits in the upper windows. */
static uint32_t first_long_summand;

static term_list bucket_lists[WINDOWS * BUCKETS];
static term bucket_terms[WINDOWS * MAX_TERMS];

/* Sorts the summands of one window into its buckets; answers where the next window's terms start. */
static uint32_t fill_buckets(int window, uint32_t start) {
    term_list *lists = &bucket_lists[window * BUCKETS];
    const uint32_t first = window < SHORT_WINDOWS ? 0 : first_long_summand;
    memset(lists, 0, BUCKETS * sizeof *lists);
    for (uint32_t i = first; i < summand_count; i++) {
        int digit = summands[i].digits[window];
        if (digit != 0) lists[(digit < 0 ? -digit : digit) - 1].count++;
    }
    for (int b = 0; b < BUCKETS; b++) {
        lists[b].start = start;
        start += lists[b].count;
        lists[b].count = 0;
    }
    for (uint32_t i = first; i < summand_count; i++) {
        int digit = summands[i].digits[window];
        if (digit == 0) continue;
        term_list *list = &lists[(digit < 0 ? -digit : digit) - 1];
        bucket_terms[list->start + list->count++] = summands[i].point ^ (term)(digit < 0);
    }
    return start;
}

/* Copies the sums of finished windows to places of their own, so that the room of their intermediate sums is used again. */
static void keep_buckets(int from, int to, uint32_t kept, uint32_t sums) {
    for (int i = from * BUCKETS; i < to * BUCKETS; i++) {
        term *only = &bucket_terms[bucket_lists[i].start];
        if (bucket_lists[i].count == 0 || (*only >> 1) < sums) continue;
        points[kept + (uint32_t)i] = points[*only >> 1];
        *only = TERM(kept + (uint32_t)i, *only & 1);
    }
    point_count = sums;
}

/* Windows are summed in groups: fewer inversions than one by one, less memory traffic than all at once. */
#define GROUP_TERMS 4096

static void sum_buckets(void) {
    const uint32_t kept = point_count, sums = point_count + WINDOWS * BUCKETS;
    uint32_t start = 0;
    point_count = sums;
    for (int from = 0; from < WINDOWS;) {
        uint32_t group_start = start;
        int to = from;
        do start = fill_buckets(to++, start);
        while (to < WINDOWS && start - group_start + summand_count <= GROUP_TERMS);
        sum_lists(&bucket_lists[from * BUCKETS], (uint32_t)(to - from) * BUCKETS, bucket_terms);
        keep_buckets(from, to, kept, sums);
        from = to;
    }
}

#define DIGIT_LISTS 23 /* sums over equal l = 1..15, then over equal h = 1..8 */
static term_list digit_lists[WINDOWS * DIGIT_LISTS];
static term digit_terms[WINDOWS * DIGIT_LISTS * 16];

static void append(term_list *list, term *terms, const term_list *summed, const term *from) {
    if (summed->count > 0) terms[list->start + list->count++] = from[summed->start];
}

static void sum_digits(void) {
    for (int i = 0; i < WINDOWS * DIGIT_LISTS; i++) digit_lists[i] = (term_list){ (uint32_t)i * 16, 0 };
    for (int w = 0; w < WINDOWS; w++) {
        term_list *lists = &digit_lists[w * DIGIT_LISTS];
        for (int b = 1; b <= BUCKETS; b++) {
            const term_list *bucket = &bucket_lists[w * BUCKETS + b - 1];
            if (b & 15) append(&lists[(b & 15) - 1], digit_terms, bucket, bucket_terms);
            if (b >> 4) append(&lists[14 + (b >> 4)], digit_terms, bucket, bucket_terms);
        }
    }
    sum_lists(digit_lists, WINDOWS * DIGIT_LISTS, digit_terms);
}

static term_list bit_lists[BITS];
static term bit_terms[BITS * 8];

static void sum_bits(void) {
    for (int k = 0; k < BITS; k++) {
        const term_list *lists = &digit_lists[k / 8 * DIGIT_LISTS];
        int t = k % 8;
        bit_lists[k] = (term_list){ (uint32_t)k * 8, 0 };
        if (t < 4) {
            for (int l = 1; l < 16; l++) if (l >> t & 1) append(&bit_lists[k], bit_terms, &lists[l - 1], digit_terms);
        } else {
            for (int h = 1; h <= 8; h++) if (h >> (t - 4) & 1) append(&bit_lists[k], bit_terms, &lists[14 + h], digit_terms);
        }
    }
    sum_lists(bit_lists, BITS, bit_terms);
}

static void double_and_add(secp256k1_gej *total) {
    secp256k1_gej_set_infinity(total);
    for (int k = BITS - 1; k >= 0; k--) {
        secp256k1_ge point;
        secp256k1_gej_double_var(total, total, NULL);
        if (bit_lists[k].count == 0) continue;
        term t = bit_terms[bit_lists[k].start];
        ge_of(&point, &points[t >> 1]);
        if (t & 1) secp256k1_ge_neg(&point, &point);
        secp256k1_gej_add_ge_var(total, total, &point, NULL);
    }
}

/* The sum of all summands. Points from `point_count` on are overwritten. */
static void multiply_summands(secp256k1_gej *total) {
    const uint32_t own = point_count;
    sum_buckets();
    sum_digits();
    sum_bits();
    double_and_add(total);
    point_count = own;
}

#endif
