#!/bin/sh
# test_launch_fp8.sh - the e4m3 of users' files (sim/cuda/float8) and that of kernels and KV caches
# (base/math/narrow_float.h) are the same conversions: all codes, all halves, floats 61 apart and
# those next to where rounding changes.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

# Functions for the host alone are left out.
sed 's/^static inline/__device__ static inline/' "$abs_srcdir/base/math/narrow_float.h" >narrow_float.h ||
	exit 99
cat >both.cu <<'CU'
#include <cuda_fp8.h>
#include "narrow_float.h"

__device__ unsigned first_code(float x)
{
	return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
}
__device__ bool differs(float x)
{
	return first_code(x) != narrow_to_e4m3(x) || first_code(-x) != narrow_to_e4m3(-x);
}
/* out: how many codes, halves, floats, and floats around ties differ, and how many were compared. */
__global__ void compare(unsigned *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;     /* of 65,536 */
	unsigned differ = 0, compared = 0;
	__half_raw half = { (unsigned short)i };
	float value = __half2float(half);

	if (i < 256) {
		float a = __half2float(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)i, __NV_E4M3));
		float b = narrow_from_e4m3((uint8_t)i), tie;

		atomicAdd(out, !(a == b && signbit(a) == signbit(b)) && !(isnan(a) && isnan(b)));
		tie = i < 0x7e ? (narrow_from_e4m3((uint8_t)i) + narrow_from_e4m3((uint8_t)(i + 1))) / 2
			: 464.0f;
		atomicAdd(out + 3, differs(tie) + differs(nextafterf(tie, 0.0f))
			  + differs(nextafterf(tie, 1e9f)));
	}
	/* As halves, and by the way of float. */
	atomicAdd(out + 1, __nv_cvt_halfraw_to_fp8(half, __NV_SATFINITE, __NV_E4M3)
		  != narrow_to_e4m3(narrow_from_f16((uint16_t)i)) || differs(value));
	for (unsigned long long bits = 61ull * i; bits < 0x80000000; bits += 61ull << 16, compared++)
		differ += differs(narrow_float_of((uint32_t)bits));
	atomicAdd(out + 2, differ);
	atomicAdd(out + 4, compared);
}
CU
{
	printf '\223NUMPY\001\000\166\000'
	printf '%-117s\n' "{'descr': '<u4', 'fortran_order': False, 'shape': (5,), }"
	head -c 20 /dev/zero
} >out.npy
"$flashtwin" launch both.cu --kernel compare --grid 256 --block 256 --arg 'out=<>out.npy' >out 2>err
code=$?
expect 'both conversions run' 0
set -- $(od -A n -t u4 -v -j 128 out.npy)
result 'codes stand for the same numbers' "$([ "$1" = 0 ] || echo "$1 of 256 differ")"
result 'halves become the same codes' "$([ "$2" = 0 ] || echo "$2 of 65,536 differ")"
result 'floats become the same codes' "$([ "$3" = 0 ] || echo "$3 of $5 differ")"
result 'and so do those next to ties' "$([ "$4" = 0 ] || echo "$4 differ")"
result 'as many floats as there are, 61 apart' \
	"$([ "$5" = $((0x7fffffff / 61 + 1)) ] || echo "$5 instead of $((0x7fffffff / 61 + 1))")"

plan
