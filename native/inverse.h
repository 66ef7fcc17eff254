/* 1 / x modulo p or n by divisions without quotients (D. J. Bernstein, B.-Y. Yang, "Fast constant-time gcd computation and modular
 * inversion", 2019; the variant with 30 steps at a time and variable time of libsecp256k1's doc/safegcd_implementation.md): 2 us
 * where an exponentiation takes 4.4, and 50 modulo n. Small batches have few additions to share an inversion. */
#ifndef PHAROS_INVERSE_H
#define PHAROS_INVERSE_H

/* Sum of n[i] 2^(30 i), the last limb signed. */
typedef struct { int32_t n[9]; } signed30;
typedef struct { signed30 n; uint32_t inverse; } modulus30; /* 1 / n modulo 2^30 */

#define LIMB30 0x3fffffff

/* What 30 steps do to f and g, times 2^30. */
typedef struct { int32_t u, v, q, r; } steps30;

/* 30 steps on the low bits of f (odd) and g, as many at once as end in zeros; `eta` is minus the paper's delta. */
static int32_t steps30_of(steps30 *t, int32_t eta, uint32_t f, uint32_t g) {
    uint32_t u = 1, v = 0, q = 0, r = 1, swapped;
    for (int left = 30;;) {
        const int zeros = __builtin_ctz(g | (uint32_t)-1 << left);
        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        eta -= zeros;
        left -= zeros;
        if (left == 0) break;
        if (eta < 0) {
            eta = -eta;
            swapped = f, f = g, g = -swapped;
            swapped = u, u = q, q = -swapped;
            swapped = v, v = r, r = -swapped;
        }
        /* The multiple of f that cancels as many bits of g as may be before the next swap, up to 4: -g / f modulo 16. */
        const int limit = eta + 1 > left ? left : eta + 1;
        const uint32_t mask = ((uint32_t)-1 >> (32 - limit)) & 15;
        const uint32_t w = -((f + (((f + 1) & 4) << 1)) * g) & mask;
        g += f * w;
        q += u * w;
        r += v * w;
    }
    *t = (steps30){ (int32_t)u, (int32_t)v, (int32_t)q, (int32_t)r };
    return eta;
}

/* (u a + v b) / 2^30, exactly, of `count` limbs. */
static void combine30(int32_t *out, int32_t u, int32_t v, const int32_t *a, const int32_t *b, int count) {
    int64_t c = (int64_t)u * a[0] + (int64_t)v * b[0];
    c >>= 30;
    for (int i = 1; i < count; i++) {
        c += (int64_t)u * a[i] + (int64_t)v * b[i];
        out[i - 1] = (int32_t)c & LIMB30;
        c >>= 30;
    }
    out[count - 1] = (int32_t)c;
}

/* (u d + v e) / 2^30 modulo n, for d and e above -2 n and below n: the multiple of n makes the low bits 0. */
static void combine30_modulo(signed30 *out, int32_t u, int32_t v, const signed30 *d, const signed30 *e, const modulus30 *modulus) {
    int32_t multiple = (u & d->n[8] >> 31) + (v & e->n[8] >> 31);
    int64_t c = (int64_t)u * d->n[0] + (int64_t)v * e->n[0];
    multiple -= (int32_t)((modulus->inverse * (uint32_t)c + (uint32_t)multiple) & LIMB30);
    c += (int64_t)modulus->n.n[0] * multiple;
    c >>= 30;
    for (int i = 1; i < 9; i++) {
        c += (int64_t)u * d->n[i] + (int64_t)v * e->n[i] + (int64_t)modulus->n.n[i] * multiple;
        out->n[i - 1] = (int32_t)c & LIMB30;
        c >>= 30;
    }
    out->n[8] = (int32_t)c;
}

/* Adds n when x is negative; first negates x if asked. */
static void settle30(signed30 *x, int negate, const modulus30 *modulus) {
    const int32_t add = x->n[8] >> 31;
    int32_t c = 0;
    for (int i = 0; i < 9; i++) {
        const int32_t limb = x->n[i] + (modulus->n.n[i] & add);
        c += negate ? -limb : limb;
        x->n[i] = i < 8 ? c & LIMB30 : c;
        c >>= 30;
    }
}

/* x must be from 0 to n - 1; 0 for 0. */
static void inverse30(signed30 *x, const modulus30 *modulus) {
    signed30 d = { { 0 } }, e = { { 1 } }, f = modulus->n, g = *x, t;
    int32_t eta = -1, bits = 1;
    int count = 9;
    while (bits != 0) {
        steps30 s;
        eta = steps30_of(&s, eta, (uint32_t)f.n[0] | (uint32_t)f.n[1] << 30, (uint32_t)g.n[0] | (uint32_t)g.n[1] << 30);
        combine30_modulo(&t, s.u, s.v, &d, &e, modulus);
        combine30_modulo(&e, s.q, s.r, &d, &e, modulus);
        d = t;
        combine30(t.n, s.u, s.v, f.n, g.n, count);
        combine30(g.n, s.q, s.r, f.n, g.n, count);
        f = t;
        bits = 0;
        for (int i = 0; i < count; i++) bits |= g.n[i];
        /* Both last limbs are signs alone: one limb less. */
        if (count > 2 && (f.n[count - 1] ^ f.n[count - 1] >> 31) == 0 && (g.n[count - 1] ^ g.n[count - 1] >> 31) == 0) {
            count--;
            f.n[count - 1] |= (int32_t)((uint32_t)f.n[count] << 30);
            g.n[count - 1] |= (int32_t)((uint32_t)g.n[count] << 30);
        }
    }
    settle30(&d, f.n[count - 1] < 0, modulus);
    settle30(&d, 0, modulus);
    *x = d;
}

/* From and to limbs of 29 bits, of a number below 2^256. */
static void signed30_of(signed30 *r, const uint32_t *limbs) {
    uint64_t bits = 0;
    int have = 0, next = 0;
    for (int i = 0; i < 9; i++) {
        for (; have < 30 && next < 9; have += 29) bits |= (uint64_t)limbs[next++] << have;
        r->n[i] = (int32_t)(bits & LIMB30);
        bits >>= 30;
        have -= 30;
    }
}

static void signed30_to(uint32_t *limbs, const signed30 *x) {
    uint64_t bits = 0;
    int have = 0, next = 0;
    for (int i = 0; i < 9; i++) {
        for (; have < 29 && next < 9; have += 30) bits |= (uint64_t)(uint32_t)x->n[next++] << have;
        limbs[i] = (uint32_t)(bits & LIMB);
        bits >>= 29;
        have -= 29;
    }
}

static const modulus30 modulus30_p = { { { 0x3ffffc2f, 0x3ffffffb, 0x3fffffff, 0x3fffffff, 0x3fffffff, 0x3fffffff, 0x3fffffff, 0x3fffffff, 0xffff } }, 0x2ddacacf };
static const modulus30 modulus30_n = { { { 0x10364141, 0x3f497a33, 0x348a03bb, 0x2bb739ab, 0x3ffffeba, 0x3fffffff, 0x3fffffff, 0x3fffffff, 0xffff } }, 0x2a774ec1 };

/* 1 / a; 0 for 0. */
static void fe29_inverse(fe29 *r, const fe29 *a) {
    signed30 x;
    fe29 t = *a;
    fe29_normalize(&t);
    signed30_of(&x, t.n);
    inverse30(&x, &modulus30_p);
    signed30_to(r->n, &x);
}

#endif
