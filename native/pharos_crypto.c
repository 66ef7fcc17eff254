/* The WASM module of src/crypto: bytes in, bytes out; it knows no chain. One translation unit, so that everything inlines. */
#include "curve.h"
#include "buffers.h"
#include "field29.h"
#include "single.h"
#include "recover.h"
#include "affine_sums.h"
#include "msm.h"
#include "prove.h"
