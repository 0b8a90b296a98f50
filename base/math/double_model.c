/* double_model.c - bit-exact models of CUDA's double functions on NVIDIA Hopper (sm_90).
 *
 * Written after the operations that nvcc 13.0 emits for these functions (-fmad=false), as its PTX
 * shows: IEEE additions, multiplications, fused multiply-adds, divisions and square roots,
 * conversions, integers; and as first guesses MUFU.RCP64H and MUFU.RSQ64H (double_core.c), EX2 and
 * LG2. The coefficients are theirs. Includes mufu_model.c.
 *
 * Verified by sums of the results on an H200 (CUDA 13.0, driver 580.159.04) over 2^32 seeded inputs
 * and over all pairs of 289 boundary values, a NaN equal to a NaN: kernels/double_sums.h. Results
 * over further inputs are not known to be equal. Not covered: other GPUs, -use_fast_math.
 *
 * Build as mufu_model.c. math.h in addition: fma, sqrt, rint, trunc, fabs, copysign.
 */
#include "base/math/mufu_model.c"
#include "base/math/double_core.c"
#include "base/math/double_exp.c"
#include "base/math/double_log.c"
#include "base/math/double_trig.c"
#include "base/math/double_arc.c"
#include "base/math/double_root.c"
#include "base/math/double_pow.c"
#include "base/math/double_erf.c"
#include "base/math/double_normal.c"
