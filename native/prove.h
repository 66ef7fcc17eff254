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

/* Items that can stand in a batch. `g` and `q` are m and r, then the scalars of G and of the key. */
typedef struct { sc29 z, s, before, g, q; uint16_t index, key; unsigned char has_point; } proof_item;
static proof_item proof_items[MAX_ITEMS];
static int proof_count;

/* Points of the batch: G, lambda G, then key and lambda key, then R and lambda R; fixed for the whole proof. */
#define KEY_POINT(key) (2 * ((key) + 1))
#define ITEM_POINT(keys_, item) (2 * ((keys_) + 1 + (item)))

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

/* The number of 8 bytes. */
static void sc29_of_half(sc29 *r, const unsigned char *bytes) {
    uint64_t number = 0;
    for (int i = 7; i >= 0; i--) number = number << 8 | bytes[i];
    *r = (sc29){ { (uint32_t)(number & LIMB), (uint32_t)(number >> 29 & LIMB), (uint32_t)(number >> 58) } };
}

/* a + b lambda, where a and b have each byte less 128 as a digit in base 256: the numbers of the bytes less 0x8080808080808080. */
static void sc29_of_multiplier(sc29 *z, const unsigned char *bytes) {
    /* lambda R, and -0x8080808080808080 (1 + lambda) */
    static const sc29 lambda = { { 0x102f0736, 0x0c2db1c8, 0x1f11d224, 0x10a95b3f, 0x1b23247a, 0x00652697, 0x1cb9d4b3, 0x1e156358, 0x650802 } };
    static const sc29 offset = { { 0x110a11f0, 0x0e0ada36, 0x10cb2159, 0x0d2877b9, 0x03556374, 0x1980d168, 0x0d79cbcb, 0x1e8206a3, 0x67864e } };
    sc29 a, b;
    uint32_t carry = 0;
    sc29_of_half(&a, bytes);
    sc29_of_half(&b, bytes + 8);
    sc29_mul(&b, &b, &lambda);
    for (int i = 0; i < 9; i++) {
        carry += a.n[i] + b.n[i] + offset.n[i];
        z->n[i] = i < 8 ? carry & LIMB : carry;
        carry >>= 29;
    }
}

/* s, m (in g) and r (in q), which is the x of R; 0 when the item has to go to recovery. */
static int load_signature_item(proof_item *item, int index) {
    const unsigned char *signature = signatures[index];
    item->index = (uint16_t)index;
    item->key = expected[index];
    if (signature[0] < 27 || signature[0] > 34 || ((signature[0] - 27) & 2)) return 0;
    sc29_of_bytes(&item->g, digests[index]);
    sc29_of_bytes(&item->q, signature + 1);
    sc29_of_bytes(&item->s, signature + 33);
    return sc29_is_in_range(&item->q) && sc29_is_in_range(&item->s);
}

/* Whether the y of R is odd. */
static int r_is_odd(int index) { return (signatures[index][0] - 27) & 1; }

/* The same with z, and R, whose lift is begun, among the points. */
static int load_proof_item(proof_item *item, int index, int key_count, uint32_t at) {
    if (expected[index] >= key_count || !key_is_point[expected[index]] || !load_signature_item(item, index)) return 0;
    /* r is below n, which is below p. */
    pairs_of_bytes(points[at].x, signatures[index] + 1);
    begin_lift(&points[at], r_is_odd(index), &item->has_point);
    sc29_of_multiplier(&item->z, multipliers[index]);
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

/* g = -z m / s and q = -z r / s of all items, with one inversion. The powers of R that products divide by cancel: P_0 = R and
 * P_i = P_(i-1) s_i / R, then I_i = -R^2 / P_i, of which I_i P_(i-1) / R = -R^2 / s_i and I_(i-1) = I_i s_i / R. */
static void divide_by_s(void) {
    static const sc29 r1 = { { 0x1937d7e0, 0x0da1732f, 0x1afe2201, 0x08c6542d, 0x00028aa2 } };
    static const sc29 minus_r3 = { { 0x1ad4c56f, 0x030a3b5c, 0x16461c0f, 0x09701347, 0x0c9b69b8, 0x038bd349, 0x1c99d970, 0x110ee924, 0x003ff9f3 } };
    sc29 product = r1, inverse, factor;
    for (int i = 0; i < proof_count; i++) {
        proof_items[i].before = product;
        sc29_mul(&product, &product, &proof_items[i].s);
    }
    sc29_inverse(&inverse, &product);
    sc29_mul(&inverse, &inverse, &minus_r3);
    for (int i = proof_count - 1; i >= 0; i--) {
        proof_item *item = &proof_items[i];
        sc29_mul(&factor, &inverse, &item->before);
        sc29_mul(&inverse, &inverse, &item->s);
        sc29_mul(&factor, &factor, &item->z);
        sc29_mul(&item->g, &item->g, &factor);
        sc29_mul(&item->q, &item->q, &factor);
    }
}

static void add_multiplied_r(uint32_t point, const unsigned char *bytes) {
    for (int half = 0; half < 2; half++) {
        summand *s = &summands[summand_count++];
        s->point = TERM(point + (uint32_t)half, 0);
        for (int i = 0; i < SHORT_WINDOWS; i++) s->digits[i] = (int8_t)(bytes[SHORT_WINDOWS * half + i] - 128);
    }
}

/* Adds k times a point, where k is a half of a split scalar. */
static void add_half(uint32_t point, const unsigned char *bytes, int negative) {
    summand *s = &summands[summand_count++];
    int carry = 0;
    s->point = TERM(point, negative);
    for (int i = 0; i < WINDOWS; i++) {
        int digit = bytes[i] + carry;
        carry = digit >= 128;
        s->digits[i] = (int8_t)(digit - 256 * carry);
    }
}

/* Sums of limbs of up to 1024 scalars. */
typedef struct { uint64_t n[9]; } scalar_sum;
static scalar_sum key_scalars[MAX_KEYS];
static unsigned char key_is_used[MAX_KEYS];

static void add_scalar(scalar_sum *sum, const sc29 *scalar) {
    for (int i = 0; i < 9; i++) sum->n[i] += scalar->n[i];
}

static void add_multiplied(uint32_t point, const scalar_sum *sum) {
    unsigned char low[HALF_BYTES], high[HALF_BYTES];
    int low_is_negative, high_is_negative;
    sc29 scalar;
    sc29_of_sums(&scalar, sum->n);
    sc29_split_lambda(low, &low_is_negative, high, &high_is_negative, &scalar);
    add_half(point, low, low_is_negative);
    add_half(point + 1, high, high_is_negative);
}

/* The sum of the equation over items from..to-1: infinity when all of them are proven. */
static void sum_items(secp256k1_gej *sum, int from, int to, int key_count) {
    scalar_sum g = { { 0 } };
    memset(key_is_used, 0, (size_t)key_count);
    summand_count = 0;
    for (int i = from; i < to; i++) {
        const proof_item *item = &proof_items[i];
        add_multiplied_r((uint32_t)ITEM_POINT(key_count, i), multipliers[item->index]);
        add_scalar(&g, &item->g);
        if (!key_is_used[item->key]) key_scalars[item->key] = (scalar_sum){ { 0 } };
        key_is_used[item->key] = 1;
        add_scalar(&key_scalars[item->key], &item->q);
    }
    first_long_summand = summand_count;
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
