#!/bin/sh
# test_launch_arguments.sh - `launch`: types behind typedefs, device variables, --list, and the line
# about volatile accesses.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

run() {
	"$flashtwin" launch "$@" >out 2>err
	code=$?
}
# npy FILE DESCR COUNT: writes an .npy file with the data from stdin.
npy() {
	{
		printf '\223NUMPY\001\000\166\000'
		printf '%-117s\n' "{'descr': '$2', 'fortran_order': False, 'shape': ($3,), }"
		cat
	} >"$1"
}
# wrote FILE WORDS: sets code to 99 unless the file's data is these hexadecimal words.
wrote() {
	words=$(od -A n -t x4 -v -j 128 "$1" | tr -s ' \n' '  ')
	[ "$words" = " $2 " ] || { code=99; echo "$words" >>err; }
}

printf '\0\0\200\77\0\0\0\100\0\0\100\100\0\0\200\100' | npy f.npy '<f4' 4       # 1 2 3 4

# --- types that have another name ---

cat >types.cu <<'CU'
#include <cuda_bf16.h>
#include <cuda_fp16.h>
typedef __nv_bfloat16 floatX;
using H = half;
template <class T> __global__ void twice(T *x) { x[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x]; }
__global__ void add(floatX *x, const H *h, floatX s)
{
	x[threadIdx.x] = (floatX)((float)h[threadIdx.x] + (float)s);
}
__global__ void vectors(float4 *v) { v[0].x = v[0].y; }
CU
grid='--grid 1 --block 4'
run types.cu --kernel add $grid --arg 'x=>o.npy:f32[4]' --arg h=null --arg s=bf16:1
expect 'a typedef of bf16 takes no f32' 2 "parameter x is 'floatX \*', which takes bf16, not f32"
run types.cu --kernel add $grid --arg 'x=>o.npy:bf16[4]' --arg h=@f.npy --arg s=bf16:1
expect 'an alias of half takes no f32' 2 "parameter h is 'const H \*', which takes f16, not f32"
run types.cu --kernel add $grid --arg 'x=>o.npy:bf16[4]' --arg h=null --arg s=f32:1
expect 'a bf16 by value takes no f32' 2 "parameter s is 'floatX', which takes bf16:VALUE"
run types.cu --kernel 'twice<floatX>' $grid --arg 'x=<>f.npy'
expect 'a template argument too' 2 "parameter x is 'T \*', which takes bf16, not f32"
run types.cu --kernel vectors $grid --arg 'v=>o.npy:i32[4]'
expect 'a vector has a type' 2 "parameter v is 'float4 \*', which takes f32, not i32"
run types.cu --kernel 'twice<float>' $grid --arg 'x=<>f.npy'
wrote f.npy '40000000 40800000 40c00000 41000000'
expect 'f32 where it is one' 0
printf '\0\0\200\77\0\0\0\100\0\0\100\100\0\0\200\100' | npy f.npy '<f4' 4
cat >plain.cu <<'CU'
typedef int number;
__constant__ number c[2];
__global__ void add(const number *x, float *out) { out[0] = (float)(x[0] + c[1]); }
CU
CXX= run plain.cu --kernel add $grid --arg x=@f.npy --arg 'out=>o.npy:f32[1]'
expect 'a typedef in C' 2 "parameter x is 'const number \*', which takes i32, not f32"

# --- floats of 8 bits by value, rounded to nearest even ---

cat >eight.cu <<'CU'
#include <cuda_fp8.h>
__global__ void widen(__nv_fp8_e4m3 a, __nv_fp8_e4m3 b, __nv_fp8_e4m3 c, __nv_fp8_e4m3 d, float *out)
{
	out[0] = (float)a;
	out[1] = (float)b;
	out[2] = (float)c;
	out[3] = (float)d;
}
CU
run eight.cu --kernel widen $grid --arg a=e4m3:-1.0625 --arg b=e4m3:1e9 --arg c=e4m3:0.0146484375 \
	--arg d=e4m3:464.0001 --arg 'out=<>f.npy'
wrote f.npy 'bf800000 43e00000 3c800000 43e00000'
expect 'e4m3 is rounded and cut' 0
printf '\0\0\200\77\0\0\0\100\0\0\100\100\0\0\200\100' | npy f.npy '<f4' 4

# --- what is missing ---

run types.cu
expect 'options' 2 '^flashtwin launch: --kernel, --grid and --block are missing; --list shows'
run types.cu --kernel add
expect 'two options' 2 '^flashtwin launch: --grid and --block are missing$'
run types.cu --kernel add $grid --arg s=bf16:1
expect 'arguments, all in one line' 2 \
	"parameters x ('floatX \*'), h ('const H \*') of add have no --arg"

# --- device variables ---

cat >variables.cu <<'CU'
__constant__ float c[4];
namespace a {
__device__ int counter = 3;
static __device__ float scale;
}
__device__ const float table[2] = { 1.0f, 2.0f };
__global__ void apply(float *x)
{
	x[threadIdx.x] *= c[threadIdx.x] * a::scale * table[0];
	atomicAdd(&a::counter, 1);
}
__global__ void first(int *out)
{
	if (threadIdx.x == 0)
		out[0] = a::counter++;
}
CU
cp f.npy c.npy
variables="variables.cu --kernel apply $grid --arg c=@c.npy --arg a::scale=f32:2"
run $variables --arg 'x=<>f.npy' --arg 'a::counter=>n.npy:i32[1]' -o v.twin
wrote f.npy '40000000 41000000 41900000 42000000'
wrote n.npy 00000007
expect 'are set and read' 0
"$flashtwin" replay v.twin --trust >out 2>err
code=$?
expect 'are replayed' 0 '4 buffers compared, 0 bits differ'
[ "$("$flashtwin" sql v.twin "SELECT name FROM v_buffer WHERE op IN (SELECT op FROM v_op
	WHERE kind = 'variable') ORDER BY 1" | tr '\n' ' ')" = 'a::counter a::scale c ' ] || code=99
expect 'are buffers of the trace' 0
run variables.cu --kernel first $grid --arg 'out=>n.npy:i32[1]' --all-orders 3
wrote n.npy 00000003
expect 'begin with their own values in each order' 0 '3 orders: the same bits'
run $variables --arg 'x=<>f.npy' --arg a::counter=f32:1
expect 'of the wrong type' 2 "variable a::counter is 'int', which takes i32 in 4 bytes"
run $variables --arg 'x=<>f.npy' --arg 'a::counter=>n.npy:i32[2]'
expect 'of the wrong size' 2 "variable a::counter is 'int', which takes i32 in 4 bytes"
run $variables --arg 'x=<>f.npy' --arg table=@c.npy
expect 'that are constants cannot be set' 2 'apply has no parameter table, and its file no device'
CXX= run plain.cu --kernel add $grid --arg x=null --arg 'out=>o.npy:f32[1]' --arg c=@f.npy
expect 'in C' 2 "variable c is 'number\[2\]', which takes i32 in 8 bytes"

# --- the list ---

run variables.cu --list
expect 'lists kernels and variables' 0 '^apply  *7  x: float \*$' '^first  *12  out: int \*$' \
	'^c  *float\[4\]$' '^a::counter  *int$'
run types.cu --list --json
python3 -c 'import json, sys
kernels = json.load(sys.stdin)["kernels"]
assert [k["name"] for k in kernels] == ["twice", "add", "vectors"], kernels
assert [k["template"] for k in kernels] == [True, False, False]
assert kernels[1]["parameters"][1] == {"name": "h", "type": "const H *"}, kernels[1]' <out || code=99
expect 'as JSON' 0
run none.cu --list
expect 'of a file that is not there' 2 'none.cu'

# --- volatile ---

cat >warp.cu <<'CU'
__device__ void last(volatile float *s, int i)
{
	s[i] += s[i + 16];
	s[i] += s[i + 8];
}
__global__ void sum(float *out)
{
	__shared__ float s[64];

	s[threadIdx.x] = 1.0f;
	s[threadIdx.x + 32] = 0.0f;
	__syncthreads();
	last(s, threadIdx.x);
	out[threadIdx.x] = s[threadIdx.x];
}
CU
run warp.cu --kernel sum --grid 1 --block 32 --arg 'out=>o.npy:f32[32]'
[ "$(said | wc -l)" -eq 1 ] || code=99
expect 'volatile without __syncwarp() is one line' 0 'warp.cu:1: volatile without __syncwarp().*--check'
run warp.cu --kernel sum --grid 1 --block 32 --arg 'out=>o.npy:f32[32]' --check
! grep -q 'volatile without' err || code=99
expect 'not with --check' 4
sed 's/s\[i\] += s\[i + 8\]/__syncwarp(); s[i] += s[i + 8]/' warp.cu >fixed.cu
run fixed.cu --kernel sum --grid 1 --block 32 --arg 'out=>o.npy:f32[32]'
[ -z "$(said)" ] || code=99
expect 'not with __syncwarp()' 0

# --- many parameters ---

# many COUNT: launches a kernel that adds as many numbers, and writes their sum.
many() {
	local list= options= i
	for i in $(seq 1 "$1"); do
		list="$list, int a$i"
		options="$options --arg a$i=i32:$i"
	done
	echo "__global__ void add(int *out$list) { *out = $(seq -s + 1 "$1" | sed 's/[0-9]*/a&/g'); }" >many.cu
	run many.cu --kernel add --grid 1 --block 1 --arg 'out=>many.npy:i32[1]' $options
}
many 63
expect '64 parameters' 0
result 'all arrive' "$([ "$(od -A n -t d4 -j 128 many.npy)" -eq 2016 ] || od -A n -t d4 -j 128 many.npy)"
many 64
expect 'one more' 2 'kernel add has 65 parameters; the maximum is 64$'
plan
