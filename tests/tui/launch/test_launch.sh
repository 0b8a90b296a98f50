#!/bin/sh
# test_launch.sh - `launch` of users' .cu files, in a directory that holds nothing else.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
mkdir tmp
TMPDIR=$work/tmp
export TMPDIR

run() {
	"$flashtwin" launch "$@" >out 2>err
	code=$?
}
# npy FILE DESCR SHAPE: writes an .npy file with a header of 128 bytes and the data from stdin.
npy() {
	{
		printf '\223NUMPY\001\000\166\000'
		printf '%-117s\n' "{'descr': '$2', 'fortran_order': False, 'shape': $3, }"
		cat
	} >"$1"
}
# words FILE: prints the data after the header as hexadecimal words.
words() {
	od -A n -t x4 -v -j 128 "$1" | tr -s ' \n' '  '
}
# wrote FILE WORDS: sets code to 99 unless the last run wrote these words to FILE.
wrote() {
	[ "$(words "$1")" = " $2 " ] || { code=99; words "$1" >>err; }
}
# is_json: sets code to 99 unless the last run printed one JSON object.
is_json() {
	python3 -c 'import json, sys; json.load(sys.stdin)' <out || code=99
}

# x = 1 2 3 4, y = 10 10 10 10
printf '\0\0\200\077\0\0\0\100\0\0\100\100\0\0\200\100' | npy x.npy '<f4' '(4,)'
printf '\0\0\040\101\0\0\040\101\0\0\040\101\0\0\040\101' | npy y.npy '<f4' '(4,)'
cp y.npy y.orig

cat >plain.cu <<'CU'
#include <assert.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void saxpy(int n, float a, const float *__restrict__ x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = fmaf(a, x[i], y[i]);
}

__global__ void block_sum(const float *in, float *out)
{
	__shared__ float part[4];
	extern __shared__ float copy[];
	int t = threadIdx.x;

	part[t] = in[t];
	__syncthreads();
	for (int s = 2; s > 0; s /= 2) {
		if (t < s)
			part[t] += part[t + s];
		__syncthreads();
	}
	copy[t] = part[0];
	out[t] = copy[t];
}

__global__ void talk(int n)
{
	if (threadIdx.x == 0)
		printf("thread %d of %d\n", threadIdx.x, n);
	assert(n < 5);
}

__global__ void wild(float *out)
{
	out[1 << 28] = 1.0f;
}

__device__ int counter = 7;

__global__ void race(int *out)
{
	out[0] = threadIdx.x + counter;
}

__shared__ float of_block[4];
extern __shared__ float of_launch[];

__device__ void put(int i, float v)
{
	of_block[i] = v;
	of_launch[i] = 2 * v;
}

__device__ float both(int i)
{
	return of_block[i] + 10 * of_launch[i];
}

__global__ void of_file(const float *in, float *out)
{
	int t = threadIdx.x;

	put(t, in[t]);
#ifndef EARLY
	__syncthreads();
#endif
	out[t] = both(3 - t);
}

int main(void)
{
	float *d = NULL;

	cudaMalloc(&d, 16);
	saxpy<<<1, 4>>>(4, 2.0f, d, d);
	return cudaDeviceSynchronize();
}
CU

# With the C++ compiler, and with the C compiler, which an empty CXX selects.
for CXX in c++ ''; do
	export CXX
	cp y.orig y.npy
	run plain.cu --kernel saxpy --grid 2 --block 2 --arg n=i32:4 --arg a=f32:0.5 --arg x=@x.npy \
		--arg 'y=<>y.npy'
	wrote y.npy '41280000 41300000 41380000 41400000'
	expect "saxpy (CXX='$CXX')" 0
	run plain.cu --kernel block_sum --grid 1 --block 4 --shared 16 --arg in=@x.npy \
		--arg 'out=>sum.npy:f32[4]'
	wrote sum.npy '41200000 41200000 41200000 41200000'
	expect 'shared memory, static and dynamic' 0
	run plain.cu --kernel of_file --grid 1 --block 4 --shared 16 --arg in=@x.npy \
		--arg 'out=>sum.npy:f32[4]'
	wrote sum.npy '42a80000 427c0000 42280000 41a80000'
	expect 'shared memory outside functions' 0
	run plain.cu --kernel of_file --grid 1 --block 4 --shared 16 --arg in=@x.npy -D EARLY \
		--arg 'out=>sum.npy:f32[4]' --check
	expect 'and a race on it' 4 'race-shared in of_file.* of the shared of_block ('
	run plain.cu --kernel talk --grid 1 --block 4 --arg n=i32:3
	expect 'printf' 0 '^thread 0 of 3$'
	run plain.cu --kernel talk --grid 1 --block 1 --arg n=i32:5
	expect 'assert names the line' 1 'assert(n < 5) in talk.*plain.cu:35$'
done
unset CXX

# A machine that has gcc but no C++ compiler.
mkdir only_cc
for program in cc gcc as ld; do
	ln -s "$(command -v $program)" only_cc || result "$program is there" 'it is not'
done
# no_cplusplus WHAT PATTERN COMMAND...: fails with one line that says how to get a C++ compiler, and
# no compiler messages.
no_cplusplus() {
	local what=$1 pattern=$2
	shift 2
	PATH=$work/only_cc "$flashtwin" "$@" >out 2>err
	code=$?
	one_line "flashtwin $1: needs a C++ compiler: apt-get install g++$pattern"
	[ ! -s out ] || code=98
	expect "$what" 2
}
wild='launch plain.cu --kernel wild --grid 1 --block 1'
no_cplusplus 'without a C++ compiler' '$' $wild
export CXX=no-such-compiler
no_cplusplus 'a C++ compiler that does not exist' ' (CXX=no-such-compiler: no such program)$' $wild
CXX='env c++' run plain.cu --kernel talk --grid 1 --block 4 --arg n=i32:3
expect 'a CXX of two words' 0 '^thread 0 of 3$'
unset CXX
touch include.txt
run plain.cu --kernel talk --grid 1 --block 3 -I include.txt
expect '-I with a file' 2 '^flashtwin launch: -I: include.txt: not a directory$'
for macro in L3.o0.e-1 1x 'f(x' '' =; do
	run plain.cu --kernel talk --grid 1 --block 3 -D "$macro"
	expect "-D $macro" 2 "^flashtwin launch: -D $macro: expected NAME or NAME=VALUE\$"
done
run plain.cu --kernel talk --grid 1 --block 3 -D 'f(x)=x+1' -D _G --arg n=i32:1
expect '-D with parameters' 0
result 'is one line' "$([ "$(wc -l <err)" -eq 1 ] || cat err)"

run plain.cu --kernel wild --grid 1 --block 1 --arg 'out=>wild.npy:f32[4]'
[ ! -e wild.npy ] || code=99
expect 'a fault names the line, and no output is written' 1 'illegal address in wild.*plain.cu:40'
run plain.cu --kernel race --grid 1 --block 64 --arg 'out=>r.npy:i32[1]' --all-orders 4
expect 'a race gives different results in different orders' 1 'of 4 orders differ'
run plain.cu --kernel block_sum --grid 1 --block 4 --shared 16 --arg in=@x.npy \
	--arg 'out=>sum.npy:f32[4]' --all-orders 4
expect 'a sum does not depend on the order' 0 '4 orders: the same bits'
run plain.cu --kernel talk --grid 1 --block 1 --arg n=i32:3 --json
grep -q thread err && grep -q '"kernel": "talk"' out && ! grep -q thread out || code=99
expect 'with --json, printf goes to stderr' 0
run plain.cu --kernel wild --grid 1 --block 1 --arg 'out=>wild.npy:f32[4]' --json
is_json && grep -q '"outputs"' out && code=99
expect 'with --json, a fault has its object' 1 '"kernel": "wild"' '"status": "DEVICE"' \
	'"code": 700' '"message": "CUDA_ERROR_ILLEGAL_ADDRESS.*illegal address in wild.*plain.cu:40'
run plain.cu --kernel wild --grid 1 --block 1 --arg 'out=>wild.npy:f32[4]' --json --check
is_json
expect 'and its findings' 4 '"class": "oob"' '"code": 700'
run plain.cu --kernel race --grid 1 --block 64 --arg 'out=>r.npy:i32[1]' --json --steps 1
is_json
expect 'and so has the end of the steps' 5 '"status": "STEPS"' '"code": 702'
run plain.cu --kernel saxpy --grid 1 --block 4 --arg n=i32:4 --arg a=f32:0.5 --arg x=@x.npy \
	--arg 'y=<>y.npy' -o t.twin
"$flashtwin" sql t.twin "SELECT kernel, args FROM v_launch, (SELECT count(*) AS args FROM v_arg)
	UNION ALL SELECT source LIKE '%saxpy<<<%', 0 FROM v_source" >out 2>>err || code=99
expect 'a trace has launch, arguments and source' 0 '^saxpy.4$' '^1.0$'
"$flashtwin" info t.twin >out 2>err; code=$?
expect 'the trace is complete' 0 'launch on sim' 'ended OK'

mkdir mine
printf '__device__ inline float add(float x) { return x + STEP; }\n' >mine/add.cuh
printf '#include "add.cuh"\n__global__ void k(float *x)\n{\n\tx[threadIdx.x] = add(1);\n}\n' >mine/k.cu
run mine/k.cu --kernel 'k(float*)' --grid 1 --block 2 -D STEP=2 --arg 'x=>k.npy:f32[2]' -o k.twin
wrote k.npy '40400000 40400000'
expect 'a header in the directory of the file' 0
rm -r mine
"$flashtwin" replay k.twin --trust >out 2>err; code=$?
expect 'a replay uses kernel, header and flags from the trace' 0 '1 buffer compared, 0 bits differ'
no_cplusplus 'a replay without a C++ compiler' '$' replay k.twin --trust
CXX=false "$flashtwin" replay k.twin --trust >out 2>err; code=$?
expect 'a recorded source that does not compile' 3 'k.cu did not compile'
FLASHTWIN_DATADIR=$work/nowhere "$flashtwin" launch plain.cu --kernel wild --grid 1 --block 1 >out 2>err
code=$?
expect 'missing headers of flashtwin' 2 'nowhere/include has no sim/cuda/user.h'

cat >templates.cu <<'CU'
#include <cooperative_groups.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

struct add {
	template <class T> __device__ T operator()(const T &a, const T &b) const { return a + b; }
};

template <class T, int N, class F> __device__ T fold(const T &value, F f)
{
	__shared__ T part[N];
	int t = threadIdx.x;

	part[t] = value;
	__syncthreads();
	for (int s = N / 2; s > 0; s >>= 1) {
		if (t < s)
			part[t] = f(part[t], part[t + s]);
		__syncthreads();
	}
	return part[0];
}

__device__ float twice(float x) { return 2 * x; }
__device__ int twice(int x) { return 2 * x; }

template <class T, int N> __global__ void __launch_bounds__(N) sum(const T *in, T *out)
{
	auto block = cg::this_thread_block();
	auto change = [&](T x) { return twice(x) + T(__half(1.0f)); };

	out[block.thread_rank()] = change(fold<T, N>(in[threadIdx.x], add()));
}

namespace inner {
__global__ void halves(const __half *x, float *y) { y[0] = __half2float(x[0] * __float2half(3.0f)); }
}

template <class T> void host(T *p) { sum<T, 4><<<1, 4>>>(p, p); }
CU
run templates.cu --kernel 'sum<float, 4>' --grid 1 --block 4 --arg in=@x.npy \
	--arg 'out=>t.npy:f32[4]'
wrote t.npy '41a80000 41a80000 41a80000 41a80000'
expect 'a template, references, overloads, a lambda, groups' 0
printf '\000\074' | npy h.npy '<f2' '(1,)'
run templates.cu --kernel inner::halves --grid 1 --block 1 --arg x=@h.npy --arg 'y=>h3.npy:f32[1]'
wrote h3.npy '40400000'
expect 'half precision, in a namespace' 0
run templates.cu --kernel sum --grid 1 --block 4
expect 'a template without arguments' 2 "templates.cu:27 is a template"

cat >math.cu <<'CU'
#include <complex>
#include <random>
__global__ void plain(const float *x, float *y)
{
	y[0] = exp(x[0]);
	y[1] = pow(x[1], 1.5f) + fmax(x[1], 0.5f);
	y[2] = rsqrt(x[2]) + std::log(x[2]);
	sincos(x[3], &y[3], &y[4]);
}
__global__ void spelt(const float *x, float *y)
{
	y[0] = expf(x[0]);
	y[1] = powf(x[1], 1.5f) + fmaxf(x[1], 0.5f);
	y[2] = rsqrtf(x[2]) + logf(x[2]);
	sincosf(x[3], &y[3], &y[4]);
}
CU
for k in plain spelt; do
	run math.cu --kernel $k --grid 1 --block 1 --arg x=@x.npy --arg "y=>$k.npy:f32[5]"
	expect "float functions ($k)" 0
done
cmp plain.npy spelt.npy >out 2>err; code=$?
expect 'names without f are the float functions' 0
printf '__global__ void k(double *x)\n{\n\tx[0] = lgamma(x[0]);\n}\n' >double.cu
run double.cu --kernel k --grid 1 --block 1 --arg 'x=>d.npy:f64[1]'
expect 'double without a model' 3 'double.cu:3:.*lgamma has no bit-exact model'
printf '__global__ void k(float *x)\n{\n\tx[0] = tgamma(x[0]);\n}\n' >gamma.cu
run gamma.cu --kernel k --grid 1 --block 1 --arg 'x=>d.npy:f32[1]'
expect 'float without a model' 3 'gamma.cu:3:.*tgamma has no bit-exact model.*use a polynomial in fmaf'

cat >wrong.cu <<'CU'
__global__ void k(float *x)
{
	__shared__ float s[4];
	s[0] = unheard_of;
	x[0] = s[0];
}
CU
run wrong.cu --kernel k --grid 1 --block 1 --arg 'x=>w.npy:f32[1]'
expect 'a compile error names the line' 3 '^wrong.cu:4:.*unheard_of' 'wrong.cu did not compile'
printf '__global__ void k(int n) { }\n__global__ void j()\n{\n\tk<<<1, 1>>>(1);\n}\n' >nested.cu
run nested.cu --kernel j --grid 1 --block 1
expect 'a launch in device code' 3 'nested.cu:4: <<<'

saxpy='plain.cu --kernel saxpy --grid 1 --block 4 --arg n=i32:4 --arg a=f32:2'
run $saxpy --arg 'y=<>y.npy'
expect 'a missing argument' 2 "parameter x ('const float \*') of saxpy has no --arg"
run $saxpy --arg x=@x.npy --arg 'y=<>y.npy' --arg z=i32:1
expect 'an unknown argument' 2 'saxpy has no parameter z'
run $saxpy --arg n=i32:5
expect 'a repeated argument' 2 '--arg n is given twice'
run plain.cu --kernel saxpy --grid 1 --block 4 --arg n=f32:4 --arg a=f32:2 --arg x=@x.npy \
	--arg 'y=<>y.npy'
expect 'a scalar of the wrong type' 2 "parameter n is 'int', which takes i32:VALUE"
run plain.cu --kernel race --grid 1 --block 4 --arg 'out=>o.npy:f32[4]'
expect 'an array of the wrong type' 2 "parameter out is 'int \*', which takes i32, not f32"
run plain.cu --kernel race --grid 1 --block 4 --arg out=i32:4
expect 'a scalar for an array' 2 'which takes an array'
run plain.cu --kernel nothing --grid 1 --block 4
expect 'an unknown kernel' 2 'no such kernel (it has saxpy, block_sum, talk, wild, race, of_file)'
run plain.cu --kernel race --grid 1,0 --block 4
expect 'an empty grid' 2 '--grid: expected X, X,Y or X,Y,Z with integers from 1, got 1,0'
run plain.cu --kernel race --grid 1 --block 2000 --arg 'out=>o.npy:i32[4]'
expect 'more threads than a block can have' 1 'block.x: expected 1 to 1024, got 2000'
run missing.cu --kernel k --grid 1 --block 1
expect 'a missing file' 2 'missing.cu'

code=0
ls "$TMPDIR" >out
[ ! -s out ] || code=99
: >err
expect 'no temporary files are left' 0

cat >published.cu <<'CU'
#include "kernels/points.h"
template <class T> __global__ void running(const T *x, float *y, int n)
{
	T sum = 0;

	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		sum += x[i];
		POINT(item, x[i], i);
		POINT(partial, sum);
	}
	y[threadIdx.x] = sum;
}
CU
points() {
	run published.cu --kernel 'running<float>' --grid 1 --block 2 --arg x=@x.npy \
		--arg 'y=>sum.npy:f32[2]' --arg n=i32:4 "$@"
}
points -o p1.twin --log points
expect "named points of a user's kernel are recorded" 0
cp sum.npy sum.probed
points -o p2.twin --log points --seed 5
cmp sum.npy sum.probed >>err || code=99
"$flashtwin" diff p1.twin p2.twin >out 2>>err || code=$?
expect 'diff compares named points' 0 '8 named points compared, 0 bits differ'
"$flashtwin" view p1.twin --plain --screen points --at L0.b0.w0.l1 >out 2>err
code=$?
expect 'the points screen shows them' 0 'p0 .*item  v0 2  v1 1' 'p3 .*partial  v0 6'
points
cmp sum.npy sum.probed >>err || code=99
expect 'the kernel without recording gives the same bits' 0
"$flashtwin" replay p1.twin --trust >out 2>err
code=$?
expect 'a replay compares named points' 0 '8 named points'
printf '#include "kernels/points.h"\n__global__ void k()\n{\n\tPOINT(a, 1, 2, 3, 4, 5);\n}\n' >many.cu
run many.cu --kernel k --grid 1 --block 1
expect 'a point with more than four values' 3 'many.cu:4' 'one to four values'
printf '#include "kernels/points.h"\n__global__ void k()\n{\n\tPOINT(COUNT, 1);\n}\n' >named.cu
run named.cu --kernel k --grid 1 --block 1
expect 'a point with a reserved name' 3 'named.cu:4: POINT cannot have the name COUNT'

# A thread that polls lets others run, in builds with and without the checker.
cat >polls.cu <<'CU'
__device__ volatile int flag, never;
__global__ void polls(int *out)
{
	if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) {
		out[0] = 7;
		__threadfence();
		flag = 1;
	} else if (threadIdx.x == 0) {
		while (!flag)
			;
		__threadfence();
		out[1 + blockIdx.x] = out[0];
	}
}
__global__ void endless(int *out)
{
	while (!never)
		;
	out[threadIdx.x] = 1;
}
CU
polls='polls.cu --kernel polls --grid 9 --block 40 --arg out=>polls.npy:i32[9]'
XDG_CACHE_HOME=$work/polled "$flashtwin" launch $polls >out 2>err
code=$?
expect 'a volatile flag is polled' 0
for kept in polled/flashtwin/objects/*; do
	nm -uD "$kept" 2>/dev/null
done | grep -o '__tsan_.*' | sort -u >hooks
result 'only volatile accesses call hooks' "$(grep -v '^__tsan_\(volatile_\|init$\)' hooks
	grep -q '^__tsan_volatile_read4$' hooks || echo 'no hook is called')"
cp polls.npy plain.npy
run $polls --check
cmp plain.npy polls.npy >>err || code=99
expect 'a volatile flag is polled, checked: the same bits' 0
run $polls --steps 100000 --seed 7
cmp plain.npy polls.npy >>err || code=99
expect 'a volatile flag is polled in another order' 0
for check in '' --check; do
	run polls.cu --kernel endless --grid 2 --block 40 --arg 'out=>endless.npy:i32[64]' $check
	[ "$code" = "${check:+4}" ] || [ "$code" = 1 ] || code=99
	[ "$code" = 99 ] || code=0
	expect "an endless poll ends ${check:-unchecked}" 0 '702.*deadlock in endless'
done

plan
