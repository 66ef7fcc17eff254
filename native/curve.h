/* secp256k1 from the C inside the npm package `secp256k1`, in the form that suits WebAssembly:
 * 32-bit limbs with 64-bit products (10x26 field, 8x32 scalar). There is no 64x64->128 multiplication in WASM 1.0,
 * and emulating it is three times slower.
 *
 * What is done once uses this, and what is done by the thousand field13.h: four products of 13-bit limbs side by side. Tried as well, all
 * correct, on a core where a scalar product takes 27 ns and a square 15: i64x2.extmul with 26-bit limbs, 25 and 20 ns (every extmul is three
 * machine instructions); f64x2 with 11 limbs of 24 bits, as in Bernstein's floating-point curves, 27 and 15 ns (as many carries as products). */
#ifndef PHAROS_CURVE_H
#define PHAROS_CURVE_H

#define USE_NUM_NONE 1
#define USE_FIELD_10X26 1
#define USE_FIELD_INV_BUILTIN 1
#define USE_SCALAR_8X32 1
#define USE_SCALAR_INV_BUILTIN 1
#define USE_ENDOMORPHISM 1
/* Odd multiples of G and of 2^128 G below 2^13: two tables of 128 KiB; 15 would take 1 MiB for 2 % fewer additions. */
#define ECMULT_WINDOW_SIZE 13
#define ECMULT_GEN_PREC_BITS 4

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SECP256K1_BUILD
#include "include/secp256k1.h"
#include "src/util.h"
#include "src/num_impl.h"
#include "src/field_impl.h"
#include "src/scalar_impl.h"
#include "src/group_impl.h"
#include "src/scratch_impl.h"
#include "src/ecmult_impl.h"
#include "src/ecmult_const_impl.h"
#include "src/ecmult_gen_impl.h"
#include "src/ecdsa_impl.h"
#include "src/eckey_impl.h"
#include "src/hash_impl.h"

/* A function that JavaScript calls. */
#define EXPORT(name) __attribute__((export_name(#name)))

#endif
