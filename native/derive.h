/* Which public keys do many texts make? For each text and each role, d = sha256(name || role || text) and then the end of the x of d G,
 * by which nearly all keys are told from those that somebody has.
 *
 * The numbers d may be somebody's secrets. Unlike what signs for an account (single.h) this is not constant in time (comb.h). What it
 * leaves in memory is wiped. */
#ifndef PHAROS_DERIVE_H
#define PHAROS_DERIVE_H

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
    multiply_all(waiting_count);
    for (int i = 0; i < waiting_count; i++) {
        const term t = comb_terms[0][i];
        uint32_t *end = &key_ends[first_waiting + i];
        *end = 0;
        if (t == NO_TERM) continue;
        fe29 x;
        fe29_of_pairs(&x, points[t >> 1].x);
        *end = x.n[0] | x.n[1] << 29;
    }
    wipe_multiplied();
    first_waiting += waiting_count;
    waiting_count = 0;
}

static void take_number(const unsigned char *d) {
    sc29 number;
    sc29_of_bytes(&number, d);
    set_multiplied(waiting_count++, &number);
    if (waiting_count == MULTIPLIED) multiply_waiting();
}

static void derive(const unsigned char *name, int name_bytes, const unsigned char *role, const unsigned char *text, int length) {
    secp256k1_sha256 hash;
    unsigned char d[32];
    secp256k1_sha256_initialize(&hash);
    secp256k1_sha256_write(&hash, name, (size_t)name_bytes);
    secp256k1_sha256_write(&hash, role + 1, role[0]);
    secp256k1_sha256_write(&hash, text, (size_t)length);
    secp256k1_sha256_finalize(&hash, d);
    take_number(d);
}

/* (texts, roles)[0..count), [0..role_count) -> key_ends. What is left of the secrets on the stack goes with wipe_secrets. */
EXPORT(derive_keys) void derive_keys(int count, int role_count) {
    const unsigned char *at = texts;
    build_comb_of_g();
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

/* 32 bytes each, in the place of the texts: texts[0..count) -> key_ends. What is not below the order makes no key. */
EXPORT(derive_secrets) void derive_secrets(int count) {
    build_comb_of_g();
    waiting_count = first_waiting = 0;
    for (int i = 0; i < count; i++) {
        unsigned char *d = texts + 32 * i;
        secp256k1_scalar number;
        int is_over;
        secp256k1_scalar_set_b32(&number, d, &is_over);
        if (is_over) memset(d, 0, 32);
        take_number(d);
    }
    if (waiting_count > 0) multiply_waiting();
    memset(texts, 0, (size_t)(32 * count));
}

#endif
