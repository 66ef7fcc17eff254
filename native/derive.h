/* Which public keys do many texts make? For each text and each role, d = sha256(name || role || text) and then the end of the x of d G,
 * by which nearly all keys are told from those that somebody has. All sums share their inversions.
 *
 * The numbers d may be somebody's secrets. Unlike what signs (single.h) this looks up tables at places that depend on them, and is not
 * constant in time: see src/README.md. What it leaves in memory is wiped. */
#ifndef PHAROS_DERIVE_H
#define PHAROS_DERIVE_H

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

#define TEXT_BYTES 65536
#define MAX_DERIVED 3072
#define MAX_ROLES 4
#define ROLE_BYTES 16
/* One behind the other: length of the name, length of the text (two bytes, low first), name, text. */
static unsigned char texts[TEXT_BYTES];
/* Length and bytes of each role. */
static unsigned char roles[MAX_ROLES][1 + ROLE_BYTES];
/* The last four bytes of the x of each key, roles of a text one behind the other; 0 where there is no key. */
static uint32_t key_ends[MAX_DERIVED];

EXPORT(text_bytes) int text_bytes(void) { return TEXT_BYTES; }
EXPORT(max_derived) int max_derived(void) { return MAX_DERIVED; }
EXPORT(texts) unsigned char *texts_at(void) { return texts; }
EXPORT(roles) unsigned char *roles_at(void) { return roles[0]; }
EXPORT(key_ends) uint32_t *key_ends_at(void) { return key_ends; }

/* Numbers that wait to be multiplied, and where the end of the first one's key belongs. */
static int waiting_count, first_waiting;

static void multiply_waiting(void) {
    point_count = 0;
    for (int w = 0; w < COMB_WINDOWS; w++)
        for (int i = waiting_count; i < MULTIPLIED; i++) comb_terms[w][i] = comb_terms[w][MULTIPLIED + i] = NO_TERM;
    sum_rows();
    sum_halves();
    for (int i = 0; i < waiting_count; i++) {
        const term t = comb_terms[0][i];
        uint32_t *end = &key_ends[first_waiting + i];
        *end = 0;
        if (t == NO_TERM) continue;
        fe29 x;
        fe29_of_pairs(&x, points[t >> 1].x);
        *end = x.n[0] | x.n[1] << 29;
    }
    /* Whose places are those of digits. No call of memset to memory that lives on is left out. */
    memset(points, 0, point_count * sizeof *points);
    memset(comb_terms, 0, sizeof comb_terms);
    memset(additions, 0, MOST_TOGETHER * sizeof *additions);
    memset(denominators, 0, MOST_TOGETHER / 4 * sizeof *denominators);
    memset(&products_before[1], 0, MOST_TOGETHER / 4 * sizeof *products_before);
    first_waiting += waiting_count;
    waiting_count = 0;
}

static void derive(const unsigned char *name, int name_bytes, const unsigned char *role, const unsigned char *text, int length) {
    secp256k1_sha256 hash;
    unsigned char d[32], low[HALF_BYTES], high[HALF_BYTES];
    int low_is_negative, high_is_negative;
    sc29 number;
    secp256k1_sha256_initialize(&hash);
    secp256k1_sha256_write(&hash, name, (size_t)name_bytes);
    secp256k1_sha256_write(&hash, role + 1, role[0]);
    secp256k1_sha256_write(&hash, text, (size_t)length);
    secp256k1_sha256_finalize(&hash, d);
    sc29_of_bytes(&number, d);
    sc29_split_lambda(low, &low_is_negative, high, &high_is_negative, &number);
    set_comb_terms(waiting_count, low, low_is_negative);
    set_comb_terms(MULTIPLIED + waiting_count++, high, high_is_negative);
    if (waiting_count == MULTIPLIED) multiply_waiting();
}

/* (texts, roles)[0..count), [0..role_count) -> key_ends. What is left of the secrets on the stack goes with wipe_secrets. */
EXPORT(derive_keys) void derive_keys(int count, int role_count) {
    const unsigned char *at = texts;
    if (!comb_is_built) build_comb();
    waiting_count = first_waiting = 0;
    for (int i = 0; i < count; i++) {
        const int name_bytes = at[0], length = at[1] | at[2] << 8;
        const unsigned char *name = at + 3, *text = name + name_bytes;
        for (int k = 0; k < role_count; k++) derive(name, name_bytes, roles[k], text, length);
        at = text + length;
    }
    if (waiting_count > 0) multiply_waiting();
    memset(texts, 0, (size_t)(at - texts));
}

#endif
