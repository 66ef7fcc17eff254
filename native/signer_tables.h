/* Verification one by one for keys that sign often: R = (m / s) G + (r / s) Q is what the signature says it is, with multiples of G and of
 * the key that are looked up. All sums share their inversions, so that a few signatures cost each about what many do; a wrong one
 * makes the others no dearer; and nothing depends on chance. A large batch of proofs (prove.h) is cheaper still. */
#ifndef PHAROS_SIGNER_TABLES_H
#define PHAROS_SIGNER_TABLES_H

/* 33 windows of 8 multiples, 21 KiB a key: with 22 windows of 32 a signature takes a fifth less where few sign, but a table must be used
 * three times as often to pay, and takes three times the memory, which is better used for more keys. */
static comb comb_of_table(int table) { return (comb){ TABLES_AT + (uint32_t)table * TABLE_POINTS, TABLE_BITS, TABLE_WINDOWS }; }

/* Building a table costs as much as four signatures save, so a key must have been seen this often: more where tables made room before they
 * had paid, as with a thousand keys that take turns, and fewer again where they had. */
#define FEWEST_SEEN 8
#define MOST_SEEN 4096
static uint32_t seen_often = FEWEST_SEEN;
#define NO_TABLE 0xffff

/* The key of each table, and for how many items it was looked at; `used` is the last call that did, 0 for a free one. */
static struct { unsigned char key[33]; uint32_t used, items; } tables[TABLES];
/* Bytes of their keys, so that most look-ups compare nothing else. */
static uint32_t table_tags[TABLES];
static uint32_t tag_of(const unsigned char *key) { return (uint32_t)key[1] << 24 | (uint32_t)key[2] << 16 | (uint32_t)key[3] << 8 | key[4]; }
static uint32_t table_calls;

/* How often keys without a table were seen, in sets of four by bits of x: the least seen one makes room. */
#define SETS 1024
#define WAYS 4
typedef struct { unsigned char tag[6]; uint16_t seen; } sighting;
static sighting sightings[SETS][WAYS];

/* Whether the key was seen often, once more for each of its items. */
static int is_seen_often(const unsigned char *key, uint32_t items) {
    sighting *set = sightings[((unsigned int)key[1] << 8 | key[2]) % SETS], *found = set;
    for (int w = 0; w < WAYS; w++) {
        if (memcmp(set[w].tag, key + 1, sizeof set[w].tag) == 0) {
            found = &set[w];
            break;
        }
        if (set[w].seen < found->seen) found = &set[w];
    }
    if (memcmp(found->tag, key + 1, sizeof found->tag) != 0) {
        memcpy(found->tag, key + 1, sizeof found->tag);
        found->seen = 0;
    }
    found->seen = (uint16_t)(found->seen + items);
    if (found->seen < seen_often) return 0;
    found->seen = 0;
    return 1;
}

static int least_used_table(void) {
    int found = 0;
    for (int t = 1; t < TABLES; t++) if (tables[t].used < tables[found].used) found = t;
    return found;
}

/* What a table was good for that makes room. */
static void note_paid(uint32_t items) {
    if (items < 2 * FEWEST_SEEN) seen_often = seen_often < MOST_SEEN ? 2 * seen_often : MOST_SEEN;
    else if (seen_often > FEWEST_SEEN) seen_often /= 2;
}

/* A table of the key's multiples in place of the one that was not needed for longest; NO_TABLE when the key is no point or this call needs
 * all tables: one that changed under another key's items would verify them against the wrong key. */
static uint16_t build_table(const unsigned char *key) {
    const int table = least_used_table();
    const comb multiples = comb_of_table(table);
    secp256k1_ge point;
    if (tables[table].used == table_calls || !secp256k1_eckey_pubkey_parse(&point, key, 33)) return NO_TABLE;
    if (tables[table].used > 0) note_paid(tables[table].items);
    memcpy(tables[table].key, key, 33);
    table_tags[table] = tag_of(key);
    tables[table].items = 0;
    build_comb(&multiples, &point);
    return (uint16_t)table;
}

/* NO_TABLE when the key has none. A free table has a key of zero bytes, which is nobody's. */
static uint16_t find_table(const unsigned char *key) {
    if (key[0] != SECP256K1_TAG_PUBKEY_EVEN && key[0] != SECP256K1_TAG_PUBKEY_ODD) return NO_TABLE;
    const v128_t tag = wasm_i32x4_splat((int)tag_of(key));
    for (int t = 0; t < TABLES; t += 4) {
        if (!wasm_v128_any_true(wasm_i32x4_eq(wasm_v128_load(&table_tags[t]), tag))) continue;
        for (int l = t; l < t + 4; l++) if (memcmp(tables[l].key, key, 33) == 0) return (uint16_t)l;
    }
    return NO_TABLE;
}

/* The table of a key of so many items. */
static uint16_t table_of_key(const unsigned char *key, uint32_t items) {
    uint16_t table = find_table(key);
    if (table == NO_TABLE && is_seen_often(key, items)) table = build_table(key);
    if (table == NO_TABLE) return NO_TABLE;
    tables[table].used = table_calls;
    tables[table].items += items;
    return table;
}

static uint16_t table_of[MAX_KEYS];

static void find_tables(int count, int key_count) {
    static uint32_t items_of[MAX_KEYS];
    table_calls++;
    memset(items_of, 0, sizeof items_of);
    for (int i = 0; i < count; i++) if (expected[i] < key_count) items_of[expected[i]]++;
    for (int k = 0; k < key_count; k++) table_of[k] = table_of_key(expected_keys[k], items_of[k]);
}

/* g = m / s and q = r / s of the items from..to-1 that can be verified; divide_by_s makes it of z = -1. */
static void load_tabled_items(int from, int to, int key_count) {
    static const sc29 minus_one = { { 0x10364140, 0x1e92f466, 0x12280eef, 0x1db9cd5e, 0x1fffebaa, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0xffffff } };
    proof_count = 0;
    for (int i = from; i < to; i++) {
        proof_item *item = &proof_items[proof_count];
        if (expected[i] >= key_count || table_of[expected[i]] == NO_TABLE || !load_signature_item(item, i)) continue;
        item->z = minus_one;
        proof_count++;
    }
    if (proof_count > 0) divide_by_s();
}

/* Items whose sums share inversions: 89 additions each, and a multiplication by lambda. */
#define TABLED 128
#define HALF_TERMS (COMB_WINDOWS + TABLE_WINDOWS)
/* What is summed for each item: low halves, then high ones. */
static term half_terms[2 * TABLED][HALF_TERMS];
static term_list half_lists[2 * TABLED];

static void set_half_terms(int list, const comb *key, const unsigned char *g, int g_negative, const unsigned char *q, int q_negative) {
    term *terms = half_terms[list];
    uint32_t kept = 0;
    set_comb_terms(&comb_of_g, terms, 1, g, g_negative);
    set_comb_terms(key, terms + COMB_WINDOWS, 1, q, q_negative);
    for (int i = 0; i < HALF_TERMS; i++) if (terms[i] != NO_TERM) terms[kept++] = terms[i];
    half_lists[list] = (term_list){ (uint32_t)list * HALF_TERMS, kept };
}

static void set_item_terms(int index, int count) {
    proof_item *item = &proof_items[index];
    const comb key = comb_of_table(table_of[item->key]);
    unsigned char g_low[HALF_BYTES], g_high[HALF_BYTES], q_low[HALF_BYTES], q_high[HALF_BYTES];
    int g_low_negative, g_high_negative, q_low_negative, q_high_negative;
    sc29_reduce(&item->g);
    sc29_reduce(&item->q);
    sc29_split_lambda(g_low, &g_low_negative, g_high, &g_high_negative, &item->g);
    sc29_split_lambda(q_low, &q_low_negative, q_high, &q_high_negative, &item->q);
    set_half_terms(index, &key, g_low, g_low_negative, q_low, q_low_negative);
    set_half_terms(count + index, &key, g_high, g_high_negative, q_high, q_high_negative);
}

static term only_term(int list) { return half_lists[list].count == 0 ? NO_TERM : half_terms[list][0]; }

/* low + lambda high of each item, in its first term. */
static void join_halves(int count) {
    for (int i = 0; i < count; i += 4) {
        term *four[4];
        for (int l = 0; l < 4; l++) four[l] = &half_terms[i + l < count ? count + i + l : 2 * TABLED - 1][0];
        for (int l = 0; l < 4 && i + l < count; l++) *four[l] = only_term(count + i + l);
        multiply_by_lambda(four);
    }
    for (int i = 0; i < count; i++) half_terms[i][0] = started_sum(only_term(i), half_terms[count + i][0]);
    finish_additions();
}

/* Whether a term is the R of the item: r is its x, and the header byte says which of two points. */
static int is_r(term sum, int index) {
    const affine *point = &points[sum >> 1];
    uint32_t x[10];
    fe29 y;
    pairs_of_bytes(x, signatures[index] + 1);
    fe29_of_pairs(&y, point->y);
    return are_equal(point->x, x, 0) && (int)((y.n[0] ^ sum) & 1) == r_is_odd(index);
}

#define REFUTED 2

/* (digests, signatures, expected)[0..count), expected_keys[0..key_count) -> verdicts: 1 where the expected key has signed, REFUTED where
 * it has not, 0 where its multiples are not known. */
EXPORT(prove_by_tables) void prove_by_tables(int count, int key_count) {
    memset(verdicts, 0, (size_t)count);
    build_comb_of_g();
    find_tables(count, key_count);
    for (int from = 0; from < count; from += TABLED) {
        load_tabled_items(from, from + TABLED < count ? from + TABLED : count, key_count);
        point_count = 0;
        for (int i = 0; i < proof_count; i++) set_item_terms(i, proof_count);
        sum_lists(half_lists, 2 * (uint32_t)proof_count, half_terms[0]);
        join_halves(proof_count);
        for (int i = 0; i < proof_count; i++) {
            const term sum = half_terms[i][0];
            verdicts[proof_items[i].index] = sum != NO_TERM && is_r(sum, proof_items[i].index) ? 1 : REFUTED;
        }
    }
}

#endif
