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

/* Finds R, whose x is r or, for recovery ids 2 and 3, r + n; 0 when there is no such point. */
static int lift_r(secp256k1_ge *point, const secp256k1_scalar *r, int recovery_id) {
    unsigned char bytes[32];
    secp256k1_fe x;
    secp256k1_scalar_get_b32(bytes, r);
    secp256k1_fe_set_b32(&x, bytes);
    if (recovery_id & 2) {
        if (secp256k1_fe_cmp_var(&x, &secp256k1_ecdsa_const_p_minus_order) >= 0) return 0;
        secp256k1_fe_add(&x, &secp256k1_ecdsa_const_order_as_fe);
        secp256k1_fe_normalize_var(&x);
    }
    return lift_x(point, &x, recovery_id & 1);
}

static int load_recover_item(recover_item *item, int index) {
    const unsigned char *signature = signatures[index];
    item->index = index;
    secp256k1_scalar_set_b32(&item->m, digests[index], NULL);
    return signature[0] >= 27 && signature[0] <= 34 && load_signature(&item->r, &item->s, signature) &&
           lift_r(&item->point, &item->r, (signature[0] - 27) & 3);
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
        while (next < count && loaded < RECOVER_GROUP) loaded += load_recover_item(&items[loaded], next++);
        if (loaded == 0) continue;
        multiply_items(items, loaded);
        store_keys(items, loaded);
    }
}

#endif
