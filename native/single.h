/* Operations on one key or one signature. The ones that take a secret use only the constant-time functions
 * of libsecp256k1 (ecmult_gen, ecmult_const, scalar_inverse) and wipe what they leave behind. */
#ifndef PHAROS_SINGLE_H
#define PHAROS_SINGLE_H

static secp256k1_ecmult_context verify_tables;
static secp256k1_ecmult_gen_context sign_tables;

/* The volatile pointer keeps the compiler from dropping stores that nobody reads. */
static void wipe(void *block, size_t size) {
    volatile unsigned char *at = block;
    while (size--) *at++ = 0;
}

/* Wipes `secret` and the part of the shadow stack that earlier calls have used. JavaScript calls it after every call that
 * takes a secret: only from outside does the overwritten stack cover all of theirs. */
EXPORT(wipe_secrets) void wipe_secrets(void) {
    unsigned char used[16384];
    wipe(used, sizeof used);
    wipe(secret, sizeof secret);
}

/* Builds the tables; `secret` holds 32 random bytes that blind the table of the signer. Once per instance. */
EXPORT(setup) void setup(void) {
    static unsigned char verify_memory[2 * sizeof(secp256k1_ge_storage) * ECMULT_TABLE_SIZE(ECMULT_WINDOW_SIZE) + 64] __attribute__((aligned(16)));
    static unsigned char sign_memory[sizeof(secp256k1_ge_storage) * ECMULT_GEN_PREC_N * ECMULT_GEN_PREC_G + 64] __attribute__((aligned(16)));
    void *at = verify_memory;
    secp256k1_ecmult_context_init(&verify_tables);
    secp256k1_ecmult_context_build(&verify_tables, &at);
    at = sign_memory;
    secp256k1_ecmult_gen_context_init(&sign_tables);
    secp256k1_ecmult_gen_context_build(&sign_tables, &at);
    secp256k1_ecmult_gen_blind(&sign_tables, secret);
}

/* Reads `secret` as a private key; 0 when it is not in 1..n-1. */
static int load_secret(secp256k1_scalar *d) {
    int overflow = 0;
    secp256k1_scalar_set_b32(d, secret, &overflow);
    return !overflow & !secp256k1_scalar_is_zero(d);
}

static void store_key(unsigned char *to, secp256k1_ge *point) {
    size_t size = 33;
    secp256k1_eckey_pubkey_serialize(point, to, &size, 1);
}

/* secret -> keys[0]. */
EXPORT(public_key) int public_key(void) {
    secp256k1_scalar d;
    secp256k1_gej j;
    secp256k1_ge q;
    int ok = load_secret(&d);
    if (ok) {
        secp256k1_ecmult_gen(&sign_tables, &j, &d);
        secp256k1_ge_set_gej(&q, &j);
        store_key(keys[0], &q);
    }
    secp256k1_scalar_clear(&d);
    return ok;
}

/* Whether keys[0] is a compressed point of the curve. */
EXPORT(is_point) int is_point(void) {
    secp256k1_ge q;
    return secp256k1_eckey_pubkey_parse(&q, keys[0], 33);
}

/* digests[0] <- the x-coordinate (32 bytes, big-endian) of secret * keys[0]. */
EXPORT(shared_x) int shared_x(void) {
    secp256k1_scalar d;
    secp256k1_ge q, product;
    secp256k1_gej j;
    int ok = load_secret(&d) && secp256k1_eckey_pubkey_parse(&q, keys[0], 33);
    if (ok) {
        secp256k1_ecmult_const(&j, &q, &d, 256);
        secp256k1_ge_set_gej(&product, &j);
        secp256k1_fe_normalize(&product.x);
        secp256k1_fe_get_b32(digests[0], &product.x);
    }
    secp256k1_scalar_clear(&d);
    return ok;
}

/* The (attempt + 1)-th output of RFC 6979 (HMAC-SHA256, key = secret || digest), as nonce_function_rfc6979 with counter = attempt. */
static void nonce_of_attempt(unsigned char nonce[32], unsigned int attempt) {
    unsigned char seed[64];
    secp256k1_rfc6979_hmac_sha256 generator;
    unsigned int i;
    memcpy(seed, secret, 32);
    memcpy(seed + 32, digests[0], 32);
    secp256k1_rfc6979_hmac_sha256_initialize(&generator, seed, sizeof seed);
    for (i = 0; i <= attempt; i++) secp256k1_rfc6979_hmac_sha256_generate(&generator, nonce, 32);
    secp256k1_rfc6979_hmac_sha256_finalize(&generator);
    wipe(seed, sizeof seed);
}

static void store_signature(unsigned char *to, const secp256k1_scalar *r, const secp256k1_scalar *s, int recovery_id) {
    to[0] = (unsigned char)(31 + recovery_id);
    secp256k1_scalar_get_b32(to + 1, r);
    secp256k1_scalar_get_b32(to + 33, s);
}

/* (secret, digests[0]) -> signatures[0] with low s; 0 when the secret is out of range or this attempt has no signature. */
EXPORT(sign_attempt) int sign_attempt(unsigned int attempt) {
    unsigned char nonce[32];
    secp256k1_scalar d, k, m, r, s;
    int overflow = 0, recovery_id = 0, ok = load_secret(&d);
    if (ok) {
        nonce_of_attempt(nonce, attempt);
        secp256k1_scalar_set_b32(&k, nonce, &overflow);
        secp256k1_scalar_set_b32(&m, digests[0], NULL);
        ok = !overflow && !secp256k1_scalar_is_zero(&k) &&
             secp256k1_ecdsa_sig_sign(&sign_tables, &r, &s, &d, &m, &k, &recovery_id);
    }
    if (ok) store_signature(signatures[0], &r, &s, recovery_id);
    wipe(nonce, sizeof nonce);
    secp256k1_scalar_clear(&k);
    secp256k1_scalar_clear(&d);
    return ok;
}

/* r and s of a signature; 0 when one of them is not in 1..n-1. */
static int load_signature(secp256k1_scalar *r, secp256k1_scalar *s, const unsigned char *signature) {
    int r_overflow = 0, s_overflow = 0;
    secp256k1_scalar_set_b32(r, signature + 1, &r_overflow);
    secp256k1_scalar_set_b32(s, signature + 33, &s_overflow);
    return !r_overflow && !s_overflow && !secp256k1_scalar_is_zero(r) && !secp256k1_scalar_is_zero(s);
}

/* Plain ECDSA: whether signatures[0] (header byte not looked at, any s) is valid for digests[0] and keys[0]. */
EXPORT(verify) int verify(void) {
    secp256k1_scalar r, s, m;
    secp256k1_ge q;
    if (!load_signature(&r, &s, signatures[0]) || !secp256k1_eckey_pubkey_parse(&q, keys[0], 33)) return 0;
    secp256k1_scalar_set_b32(&m, digests[0], NULL);
    return secp256k1_ecdsa_sig_verify(&verify_tables, &r, &s, &q, &m);
}

#endif
