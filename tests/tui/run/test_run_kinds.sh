#!/bin/sh
# test_run_kinds.sh - `flashtwin run`: kernels and functions of every kind; what a kernel cannot use.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
command -v c++ >/dev/null || { echo '1..0 # SKIP no C++ compiler'; exit 0; }

cp "$srcdir/tests/tui/run/kinds.cu" .
wanted='templates: 62 60 58
functions: 32.5 32.5 30.5
packs: 6.5 6.5
names: 7.5 32
variables: 7 8 7 8
host: 44 7.389056 3 1.047198'

run run kinds.cu -o kinds.twin
result 'every kind of kernel' "$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"
run sql --plain kinds.twin "SELECT kernel, count(*) FROM v_launch GROUP BY 1 ORDER BY 1"
expect 'its instances have names of their own' 0 '^map<Add>' '^map<main(int, char\*\*)::<lambda(float)>>' 'scale<float, 32>' \
	'scale<double, 32>' 'sum<{int, float, double}>' '^nameless'
run view --plain --screen source --at L0 kinds.twin
expect 'the source is in the trace' 0 'outer::scale\|__global__ void __launch_bounds__(N) scale'
run run kinds.cu --check
result 'and under the checker' "$([ "$code" = 0 ] && [ "$(cat out)" = "$wanted" ] || cat out err)"
for std in c++17 c++20; do
	run run kinds.cu --std $std
	expect "with --std $std" 0 'variables: 7 8 7 8'
done
for std in c++14 c++17 c++20 gnu++20; do
	run run kinds.cu --check --std $std
	expect "under the checker with --std $std" 0 'variables: 7 8 7 8'
done
run run kinds.cu --std c++99
expect 'a standard that does not exist' 2 \
	'^flashtwin run: --std: expected a standard of C++, such as c++17 or gnu++20, got c++99$'
cp "$srcdir/tests/tui/run/groups_20.cu" .
for std in c++20 gnu++20 c++23; do
	run run groups_20.cu --check --std $std
	[ ! -s err ] || code=99
	expect "groups, barriers and CUB with --std $std" 0 '^496 2016 64 43$'
done

# --- the types of 16 and 8 bits in a file without kernels ---

cat >halves.cpp <<'EOF'
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
__host__ __device__ float twice(nv_half h) { return __half2float(__hadd(h, h)); }
float low(nv_half2 h) { return __low2float(h); }
float on_device(__half);
int main()
{
	printf("%g %g %g %g %g\n", twice(__float2half(1.5f)), low(__float2half2_rn(4.0f)),
	       (float)nv_bfloat16(1.25f), (float)__nv_fp8_e4m3(0.3f), on_device(__half(0.25f)));
	return std::max(0, std::min(1, 0)) + (int)std::exp(-100.0);
}
EOF
cat >halves.cu <<'EOF'
#include <cuda_fp16.h>
__global__ void widen(__half x, float *y) { *y = __half2float(x); }
float on_device(__half x)
{
	float *y, r;
	cudaMalloc(&y, sizeof *y);
	widen<<<1, 1>>>(x, y);
	cudaMemcpy(&r, y, sizeof r, cudaMemcpyDeviceToHost);
	cudaFree(y);
	return r;
}
EOF
run run --no-record halves.cpp halves.cu
expect 'a .cpp file that includes cuda_fp16.h' 0 '^3 4 1.25 0.3125 0.25$'

# --- what a kernel cannot use, with the line ---

# kernel WHAT BODY PATTERN: a program that launches a kernel with this body does not compile.
kernel() {
	cat >bad.cu <<CU
#include <cstdio>
#include <vector>
#include <unistd.h>
__global__ void other(float *p) { } __device__ float elsewhere(float);
__device__ double helper(double x)
{
	return lgamma(x);
}
__global__ void k(float *p)
{
	$2
}
int main()
{
	k<<<1, 1>>>(nullptr);
}
CU
	run run bad.cu
	one_line 'flashtwin run: '
	expect "$1" 3 "$3"
}
kernel 'a function without a model' 'p[0] = erfcxf(p[1]);' 'bad.cu:11: erfcxf has no bit-exact model'
kernel 'a name without f' 'p[0] = erfcx(p[1]);' 'bad.cu:11: erfcxf has no bit-exact model'
kernel 'one that another function calls' 'p[0] = helper(p[1]);' 'bad.cu:7: lgamma has no bit-exact'
kernel 'a function of the host' 'p[0] = getpid();' \
	'bad.cu:11: getpid cannot be used in a kernel: it is a function of the host'
kernel 'a device function of another file' 'p[0] = elsewhere(p[1]);' \
	'bad.cu:4: elsewhere, linked as _Z9elsewheref cannot be used .*: its file does not define it'
kernel 'inline PTX that is not supported' 'asm volatile("setmaxnreg.inc.sync.aligned.u32 64;");' \
	'bad.cu:11: inline PTX: setmaxnreg.inc.sync.aligned.u32 is not supported'

kernel 'with another number of registers' 'asm volatile("ldmatrix.sync.aligned.m8n8.x4.b16 {%0}, [%1];" : "=f"(p[0]) : "l"(p));' \
	'bad.cu:11: inline PTX: ldmatrix.sync.aligned.m8n8.x4.b16 is not supported'

# --- several files, and what is missing in them ---

cat >part.cpp <<'CPP'
#include <cuda_runtime.h>
#include <cassert>
float4 make(int x)
{
	assert(x > 0);
	return make_float4(x, 2, 3, 4);
}
extern "C" float first(int x)
{
	return make(x).x;
}
CPP
cat >part.c <<'C'
#include <cuda_runtime.h>
float third(struct dim3 grid)
{
	float3 v = { 1, 2, 3 };
	return v.z + grid.x;
}
C
cat >whole.cu <<'CU'
#include <cstdio>
extern "C" float first(int), third(dim3);
int main() { printf("%g %g\n", first(5), third(dim3(2))); }
CU
run run whole.cu part.cpp part.c
expect 'files of C++ and C' 0 '^5 5$'
run run whole.cu part.cpp
one_line 'flashtwin run: '
expect 'a function that is in none of them' 3 \
	'^flashtwin run: whole.cu: the program uses third, which is defined nowhere'
run run part.cpp
one_line 'flashtwin run: '
expect 'no main()' 3 '^flashtwin run: part.cpp: the program has no main()$'

plan
