/* Proof that expected keys signed, many signatures at a time. With unpredictable z_i, the sum over all items of
 *     z_i R_i - (z_i m_i / s_i) G - (z_i r_i / s_i) Q_i
 * is infinity exactly when recovery would give Q_i for every item, up to a chance of 2^-128 (Naccache, M'Raihi, Vaudenay, Raphaeli,
 * "Can D.S.A. be improved?", Eurocrypt '94; here with the recovery id, so that R is known and not only its x).
 *
 * z_i = a_i + b_i lambda with a_i and b_i of 8 random signed digits each: 2^128 different multipliers, and z_i R_i is a sum of
 * R_i and lambda R_i (one multiplication of a coordinate) with half as many windows as 128-bit numbers would take. */
#ifndef PHAROS_PROVE_H
#define PHAROS_PROVE_H

static uint16_t expected[MAX_ITEMS];               /* index of the expected key of each item */
static unsigned char expected_keys[MAX_KEYS][33];  /* compressed */
static unsigned char multipliers[MAX_ITEMS][16];   /* fresh random bytes for every call */

EXPORT(expected) uint16_t *expected_at(void) { return expected; }
EXPORT(expected_keys) unsigned char *expected_keys_at(void) { return expected_keys[0]; }
EXPORT(multipliers) unsigned char *multipliers_at(void) { return multipliers[0]; }

/* Items that can stand in a batch. `g` and `q` are the scalars of G and of the key. */
typedef struct { secp256k1_scalar z, s, before, g, q; uint16_t index, key; unsigned char has_point; } proof_item;
static proof_item proof_items[MAX_ITEMS];
static int proof_count;

/* Points of the batch: G, lambda G, then key and lambda key, then R and lambda R; fixed for the whole proof. */
#define KEY_POINT(key) (2 * ((key) + 1))
#define ITEM_POINT(keys_, item) (2 * ((keys_) + 1 + (item)))

static const secp256k1_scalar lambda = SECP256K1_SCALAR_CONST(
    0x5363ad4cul, 0xc05c30e0ul, 0xa5261c02ul, 0x8812645aul, 0x122e22eaul, 0x20816678ul, 0xdf02967cul, 0x1b23bd72ul);

/* Keys seen before, so that the square root of a hot key is taken once. Direct-mapped by bits of x: a stranger can at most evict. */
#define KNOWN_KEYS 4096
static struct { unsigned char bytes[33]; affine points[2]; } known_keys[KNOWN_KEYS];

static unsigned int known_key_slot(const unsigned char *bytes) { return ((unsigned int)bytes[1] << 8 | bytes[2]) % KNOWN_KEYS; }

static unsigned char key_is_point[MAX_KEYS];

/* The point of a key and lambda times that, where they are known or when their lift is ended. */
static void begin_key(int key) {
    const unsigned char *bytes = expected_keys[key];
    const unsigned int slot = known_key_slot(bytes);
    affine *point = &points[KEY_POINT(key)];
    key_is_point[key] = 0;
    /* Before the comparison: an empty slot holds 33 zero bytes, which would pass for a known key, and its point is not on the curve. */
    if (bytes[0] != SECP256K1_TAG_PUBKEY_EVEN && bytes[0] != SECP256K1_TAG_PUBKEY_ODD) return;
    if (memcmp(known_keys[slot].bytes, bytes, 33) == 0) {
        memcpy(point, known_keys[slot].points, sizeof known_keys[slot].points);
        key_is_point[key] = 1;
    } else if (pairs_of_bytes(point->x, bytes + 1)) begin_lift(point, bytes[0] == SECP256K1_TAG_PUBKEY_ODD, &key_is_point[key]);
}

static void remember_key(int key) {
    const unsigned int slot = known_key_slot(expected_keys[key]);
    memcpy(known_keys[slot].bytes, expected_keys[key], 33);
    memcpy(known_keys[slot].points, &points[KEY_POINT(key)], sizeof known_keys[slot].points);
}

static void lift_keys(int key_count) {
    unsigned char g_is_point;
    affine_of(&points[0], &secp256k1_ge_const_g);
    begin_lift(&points[0], points[0].y[0] & 1, &g_is_point);
    for (int k = 0; k < key_count; k++) begin_key(k);
    end_lifts();
    for (int k = 0; k < key_count; k++) {
        if (key_is_point[k]) remember_key(k);
    }
}

/* What each random byte less 128 gives as a number in base 256, for 8 bytes: the bytes' number less 0x8080808080808080. */
static void half_multiplier(secp256k1_scalar *half, const unsigned char *bytes) {
    /* n - 0x8080808080808080 */
    static const secp256k1_scalar offset = SECP256K1_SCALAR_CONST(
        0xfffffffful, 0xfffffffful, 0xfffffffful, 0xfffffffeul, 0xbaaedce6ul, 0xaf48a03bul, 0x3f51de0cul, 0x4fb5c0c1ul);
    unsigned char number[32] = { 0 };
    for (int i = 0; i < 8; i++) number[31 - i] = bytes[i];
    secp256k1_scalar_set_b32(half, number, NULL);
    secp256k1_scalar_add(half, half, &offset);
}

/* z, s, m (in g), r (in q), and R, whose lift is begun, among the points; 0 when the item has to go to recovery. */
static int load_proof_item(proof_item *item, int index, int key_count, uint32_t at) {
    const unsigned char *signature = signatures[index];
    secp256k1_scalar half;
    item->index = (uint16_t)index;
    item->key = expected[index];
    if (item->key >= key_count || !key_is_point[item->key]) return 0;
    if (signature[0] < 27 || signature[0] > 34 || ((signature[0] - 27) & 2)) return 0;
    if (!load_signature(&item->q, &item->s, signature)) return 0;
    /* r is below n, which is below p. */
    pairs_of_bytes(points[at].x, signature + 1);
    begin_lift(&points[at], (signature[0] - 27) & 1, &item->has_point);
    secp256k1_scalar_set_b32(&item->g, digests[index], NULL);
    half_multiplier(&item->z, multipliers[index]);
    half_multiplier(&half, multipliers[index] + 8);
    secp256k1_scalar_mul(&half, &half, &lambda);
    secp256k1_scalar_add(&item->z, &item->z, &half);
    return 1;
}

static void load_proof_items(int count, int key_count) {
    int loaded = 0;
    for (int i = 0; i < count; i++) loaded += load_proof_item(&proof_items[loaded], i, key_count, (uint32_t)ITEM_POINT(key_count, loaded));
    end_lifts();
    proof_count = 0;
    for (int i = 0; i < loaded; i++) {
        const uint32_t at = (uint32_t)ITEM_POINT(key_count, proof_count);
        if (!proof_items[i].has_point) continue;
        if (i != proof_count) {
            proof_items[proof_count] = proof_items[i];
            memcpy(&points[at], &points[ITEM_POINT(key_count, i)], 2 * sizeof *points);
        }
        proof_count++;
    }
}

/* g = -z m / s and q = -z r / s of all items, with one inversion. */
static void divide_by_s(void) {
    secp256k1_scalar product, inverse, factor;
    secp256k1_scalar_set_int(&product, 1);
    for (int i = 0; i < proof_count; i++) {
        proof_items[i].before = product;
        secp256k1_scalar_mul(&product, &product, &proof_items[i].s);
    }
    secp256k1_scalar_inverse_var(&inverse, &product);
    secp256k1_scalar_negate(&inverse, &inverse);
    for (int i = proof_count - 1; i >= 0; i--) {
        proof_item *item = &proof_items[i];
        secp256k1_scalar_mul(&factor, &inverse, &item->before);
        secp256k1_scalar_mul(&inverse, &inverse, &item->s);
        secp256k1_scalar_mul(&factor, &factor, &item->z);
        secp256k1_scalar_mul(&item->g, &item->g, &factor);
        secp256k1_scalar_mul(&item->q, &item->q, &factor);
    }
}

static void add_multiplied_r(uint32_t point, const unsigned char *bytes) {
    for (int half = 0; half < 2; half++) {
        summand *s = &summands[summand_count++];
        s->point = TERM(point + (uint32_t)half, 0);
        s->windows = 8;
        for (int i = 0; i < 8; i++) s->digits[i] = (int8_t)(bytes[8 * half + i] - 128);
    }
}

/* Adds |k| times a point with the sign of k, where k is a half of a split scalar: |k| < 2^128. */
static void add_half(uint32_t point, secp256k1_scalar *k) {
    summand *s = &summands[summand_count++];
    unsigned char bytes[32];
    int carry = 0, negative = secp256k1_scalar_is_high(k);
    if (negative) secp256k1_scalar_negate(k, k);
    secp256k1_scalar_get_b32(bytes, k);
    s->point = TERM(point, negative);
    s->windows = WINDOWS;
    for (int i = 0; i < WINDOWS; i++) {
        int digit = bytes[31 - i] + carry;
        carry = digit >= 128;
        s->digits[i] = (int8_t)(digit - 256 * carry);
    }
}

static void add_multiplied(uint32_t point, const secp256k1_scalar *scalar) {
    secp256k1_scalar low, high;
    secp256k1_scalar_split_lambda(&low, &high, scalar);
    add_half(point, &low);
    add_half(point + 1, &high);
}

static secp256k1_scalar key_scalars[MAX_KEYS];
static unsigned char key_is_used[MAX_KEYS];

/* The sum of the equation over items from..to-1: infinity when all of them are proven. */
static void sum_items(secp256k1_gej *sum, int from, int to, int key_count) {
    secp256k1_scalar g;
    secp256k1_scalar_set_int(&g, 0);
    memset(key_is_used, 0, (size_t)key_count);
    summand_count = 0;
    for (int i = from; i < to; i++) {
        const proof_item *item = &proof_items[i];
        add_multiplied_r((uint32_t)ITEM_POINT(key_count, i), multipliers[item->index]);
        secp256k1_scalar_add(&g, &g, &item->g);
        if (key_is_used[item->key]) secp256k1_scalar_add(&key_scalars[item->key], &key_scalars[item->key], &item->q);
        else key_scalars[item->key] = item->q;
        key_is_used[item->key] = 1;
    }
    add_multiplied(0, &g);
    for (int k = 0; k < key_count; k++) if (key_is_used[k]) add_multiplied((uint32_t)KEY_POINT(k), &key_scalars[k]);
    multiply_summands(sum);
}

/* A sum over fewer items costs as much as recovering each (measured: 16 items 24 us each, recovery 55). */
#define SMALLEST_BATCH 8

/* Marks the proven items among from..to-1, whose sum is given. The right half's sum is the difference, so each level of the
 * bisection costs half of what it looks at. */
static void bisect(const secp256k1_gej *sum, int from, int to, int key_count) {
    secp256k1_gej left, minus_left, right;
    int middle = from + (to - from) / 2;
    if (secp256k1_gej_is_infinity(sum)) {
        for (int i = from; i < to; i++) verdicts[proof_items[i].index] = 1;
        return;
    }
    if (to - from <= SMALLEST_BATCH) return;
    sum_items(&left, from, middle, key_count);
    secp256k1_gej_neg(&minus_left, &left);
    secp256k1_gej_add_var(&right, sum, &minus_left, NULL);
    bisect(&left, from, middle, key_count);
    bisect(&right, middle, to, key_count);
}

/* (digests, signatures, expected, multipliers)[0..count), expected_keys[0..key_count) -> verdicts: 1 where the expected key has
 * signed. 0 means only "not proven here": such an item goes to recover_keys. */
EXPORT(prove) void prove(int count, int key_count) {
    secp256k1_gej sum;
    memset(verdicts, 0, (size_t)count);
    lift_keys(key_count);
    load_proof_items(count, key_count);
    if (proof_count == 0) return;
    point_count = (uint32_t)ITEM_POINT(key_count, proof_count);
    divide_by_s();
    sum_items(&sum, 0, proof_count, key_count);
    bisect(&sum, 0, proof_count, key_count);
}

#endif
