/* Recovery of keys, many at a time: Q = r^-1 (s R - m G) (SEC 1, 4.1.6), with one inversion of scalars
 * and one of coordinates for each group (Montgomery's trick). */
#ifndef PHAROS_RECOVER_H
#define PHAROS_RECOVER_H

/* Items that share their inversions; more gains nothing and would not stay in the first-level cache. */
#define RECOVER_GROUP 32

typedef struct {
    secp256k1_scalar r, s, m, before; /* before: product of the r of all earlier items */
    secp256k1_ge point;               /* R */
    secp256k1_gej key;                /* Q */
    int index;                        /* in the buffers */
} recover_item;

/* R and lambda R of each item. */
static affine item_points[RECOVER_GROUP][2];
static unsigned char item_has_point[RECOVER_GROUP];

/* Begins the lift of R, whose x is r or, for recovery ids 2 and 3, r + n; 0 when that is no number of the field. */
static int begin_r(int item, const unsigned char *signature) {
    static const unsigned char order[32] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
                                             0xba, 0xae, 0xdc, 0xe6, 0xaf, 0x48, 0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41 };
    const int recovery_id = (signature[0] - 27) & 3;
    unsigned char x[32];
    int carry = 0;
    for (int i = 31; i >= 0; i--) {
        carry += signature[1 + i] + (recovery_id & 2 ? order[i] : 0);
        x[i] = (unsigned char)carry;
        carry >>= 8;
    }
    if (carry || !pairs_of_bytes(item_points[item][0].x, x)) return 0;
    begin_lift(item_points[item], recovery_id & 1, &item_has_point[item]);
    return 1;
}

static int load_recover_item(recover_item *items, int item, int index) {
    const unsigned char *signature = signatures[index];
    items[item].index = index;
    secp256k1_scalar_set_b32(&items[item].m, digests[index], NULL);
    return signature[0] >= 27 && signature[0] <= 34 && load_signature(&items[item].r, &items[item].s, signature) && begin_r(item, signature);
}

/* Leaves the items whose R is a point; answers how many. */
static int lift_items(recover_item *items, int loaded) {
    int kept = 0;
    end_lifts();
    for (int i = 0; i < loaded; i++) {
        if (!item_has_point[i]) continue;
        items[kept] = items[i];
        ge_of(&items[kept++].point, &item_points[i][0]);
    }
    return kept;
}

/* Q of each item in Jacobian coordinates. */
static void multiply_items(recover_item *items, int count) {
    secp256k1_scalar product, inverse, rn, u1, u2;
    secp256k1_gej j;
    int i;
    secp256k1_scalar_set_int(&product, 1);
    for (i = 0; i < count; i++) {
        items[i].before = product;
        secp256k1_scalar_mul(&product, &product, &items[i].r);
    }
    secp256k1_scalar_inverse_var(&inverse, &product);
    for (i = count - 1; i >= 0; i--) {
        secp256k1_scalar_mul(&rn, &inverse, &items[i].before);
        secp256k1_scalar_mul(&inverse, &inverse, &items[i].r);
        secp256k1_scalar_mul(&u1, &rn, &items[i].m);
        secp256k1_scalar_negate(&u1, &u1);
        secp256k1_scalar_mul(&u2, &rn, &items[i].s);
        secp256k1_gej_set_ge(&j, &items[i].point);
        secp256k1_ecmult(&verify_tables, &items[i].key, &j, &u2, &u1);
    }
}

static void store_keys(const recover_item *items, int count) {
    secp256k1_gej jacobian[RECOVER_GROUP];
    secp256k1_ge affine[RECOVER_GROUP];
    int i;
    for (i = 0; i < count; i++) jacobian[i] = items[i].key;
    secp256k1_ge_set_all_gej_var(affine, jacobian, (size_t)count);
    for (i = 0; i < count; i++) {
        /* Asked of the input: the conversion leaves its result unset when all points are infinity. */
        if (items[i].key.infinity) continue;
        store_key(keys[items[i].index], &affine[i]);
        verdicts[items[i].index] = 1;
    }
}

/* (digests, signatures)[0..count) -> keys, verdicts. A key whose verdict is 0 is zero. */
EXPORT(recover_keys) void recover_keys(int count) {
    static recover_item items[RECOVER_GROUP];
    int next = 0;
    memset(keys, 0, (size_t)count * 33);
    memset(verdicts, 0, (size_t)count);
    while (next < count) {
        int loaded = 0;
        while (next < count && loaded < RECOVER_GROUP) loaded += load_recover_item(items, loaded, next++);
        loaded = lift_items(items, loaded);
        if (loaded == 0) continue;
        multiply_items(items, loaded);
        store_keys(items, loaded);
    }
}

#endif
