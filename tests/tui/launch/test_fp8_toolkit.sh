#!/bin/sh
# test_fp8_toolkit.sh - the 8-bit floats of base/math/narrow_float.h are those of the toolkit's
# cuda_fp8.h on the host: all codes, all halves, and floats 61 apart. So are the 4-bit floats and E8M0
# of sim/cuda/float8. Skipped without a toolkit.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

toolkit=${CUDA_HOME:-/usr/local/cuda}/include
if [ ! -f "$toolkit/cuda_fp8.h" ]; then
	echo "1..0 # SKIP no $toolkit/cuda_fp8.h"
	exit 0
fi
cat >both.cpp <<'CPP'
#include <cstdio>
#include <cuda_fp8.h>
#include "base/math/narrow_float.h"

static unsigned code(float x, __nv_fp8_interpretation_t kind)
{
	return kind == __NV_E4M3 ? narrow_to_e4m3(x) : narrow_to_e5m2(x);
}

int main()
{
	const __nv_fp8_interpretation_t kinds[] = { __NV_E4M3, __NV_E5M2 };

	for (auto kind : kinds) {
		unsigned codes = 0, halves = 0, floats = 0, compared = 0;

		for (unsigned i = 0; i < 256; i++) {
			float ours = kind == __NV_E4M3 ? narrow_from_e4m3((uint8_t)i)
				: narrow_from_e5m2((uint8_t)i);

			codes += narrow_to_f16(ours)
				!= __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)i, kind).x;
		}
		for (unsigned i = 0; i < 65536; i++) {
			__half_raw half = { (unsigned short)i };

			halves += code(narrow_from_f16((uint16_t)i), kind)
				!= __nv_cvt_halfraw_to_fp8(half, __NV_SATFINITE, kind);
		}
		for (unsigned long long bits = 0; bits < 0x100000000; bits += 61, compared++) {
			float x = narrow_float_of((uint32_t)bits);

			floats += code(x, kind) != __nv_cvt_float_to_fp8(x, __NV_SATFINITE, kind);
		}
		printf("%u %u %u %u\n", codes, halves, floats, compared);
	}
}
CPP
${CXX:-c++} -O2 -w -I"$abs_srcdir" -I"$toolkit" both.cpp -o both >err 2>&1
code=$?
expect "the toolkit's functions compile for the host" 0
./both >out 2>err
code=$?
expect 'both conversions run' 0
for format in e4m3 e5m2; do
	read -r codes halves floats compared
	result "codes of $format stand for the same numbers" \
		"$([ "$codes" = 0 ] || echo "$codes of 256 differ")"
	result "halves become the same $format" "$([ "$halves" = 0 ] || echo "$halves of 65,536 differ")"
	result "floats become the same $format" \
		"$([ "$floats" = 0 ] || echo "$floats of $compared differ")"
done <out

# --- 4 bits: kernels with flashtwin's header, the host with the toolkit's ---

cat >four.h <<'CPP'
/* The codes of a half, of floats next to it, and of the codes' values. */
FN void codes_of(unsigned i, unsigned char *out)
{
	__half_raw half;
	__nv_bfloat16_raw bf16;
	unsigned bits = i << 16 | (i * 40503 & 0xffff);
	float value;

	half.x = bf16.x = (unsigned short)i;
	memcpy(&value, &bits, 4);
	out[0] = __nv_cvt_halfraw_to_fp4(half, __NV_E2M1, cudaRoundNearest);
	out[1] = __nv_cvt_halfraw_to_fp4(half, __NV_E2M1, cudaRoundZero);
	out[2] = __nv_cvt_bfloat16raw_to_fp4(bf16, __NV_E2M1, cudaRoundNearest);
	out[3] = __nv_cvt_float_to_fp4(value, __NV_E2M1, cudaRoundNearest);
	out[4] = __nv_cvt_double_to_fp4(value * 1.0000001, __NV_E2M1, cudaRoundZero);
	out[5] = __nv_cvt_float2_to_fp4x2(make_float2(value, -value), __NV_E2M1, cudaRoundNearest);
	out[6] = (unsigned char)(__nv_cvt_fp4x2_to_halfraw2((unsigned char)i, __NV_E2M1).y >> 8);
	out[7] = (unsigned char)(__nv_cvt_e8m0_to_bf16raw((unsigned char)i).x >> (i & 256 ? 8 : 0));
}
CPP
cat >four.cu <<'CU'
#include <cuda_fp4.h>
#define FN __device__
#include "four.h"
__global__ void codes(unsigned char *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	codes_of(i, out + 8 * i);
}
CU
cat >four.cpp <<'CPP'
#include <cstdio>
#include <cstring>
#include <cuda_fp4.h>
#define FN static
#include "four.h"
int main()
{
	unsigned char out[8];

	for (unsigned i = 0; i < 65536; i++) {
		codes_of(i, out);
		fwrite(out, 1, 8, stdout);
	}
}
CPP
${CXX:-c++} -O2 -w -I"$toolkit" four.cpp -o four >err 2>&1 && ./four >expected
code=$?
expect 'the host converts to 4 bits' 0
run launch four.cu --kernel codes --grid 256 --block 256 --arg 'out=>four.npy:u8[524288]' --no-record
tail -c 524288 four.npy >got
expect 'and so do kernels' 0
result 'the codes are the same' "$(cmp expected got 2>&1)"
plan
