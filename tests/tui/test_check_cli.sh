#!/bin/sh
# test_check_cli.sh - tests --check: exit codes, findings in traces, unchanged bits.
. "${abs_srcdir:-$PWD}/tests/tap.sh"

cat >reverse.cu <<'CU'
template <int N> __global__ void reverse(const float *in, float *out)
{
	__shared__ float s[N];

	s[threadIdx.x] = in[threadIdx.x];
#ifdef ORDERED
	__syncthreads();
#endif
	out[threadIdx.x] = s[N - 1 - threadIdx.x];
}
__global__ void same(const float *in, float *out)
{
	out[0] = in[0];
}
CU
npy in.npy '(64,)' 64
npy q.npy '(4, 32)' 128
npy k.npy '(2, 70, 32)' 4480
launch='--grid 1 --block 64 --arg in=@in.npy --arg out=>out.npy:f32[64]'

run launch reverse.cu --kernel 'reverse<64>' $launch --check -o bug.twin
expect 'a race of a template, with both lines' 4 'race-shared in reverse' 'reverse.cu:5' \
	'reverse.cu:9' 'why: ' 'fix: ' '1 finding'
[ -s out.npy ] || code=99
expect 'outputs are written despite findings' 4
run launch reverse.cu --kernel 'reverse<64>' $launch --check -D ORDERED=1
expect 'no race with the barrier' 0
run launch reverse.cu --kernel same $launch --check
expect 'a lint does not change the exit code' 0 'lint equal-value-race' 'reverse.cu:13'
run launch reverse.cu --kernel same $launch --check --lint-fail
expect 'with --lint-fail it does' 4 '1 lint'
run launch reverse.cu --kernel 'reverse<64>' $launch --check --json
expect 'findings in the JSON report' 4 '"findings": \[' '"class": "race-shared"'
run decode --prompt R -n 1 --steps 10 --json
expect 'a failed run in the JSON report' 5 '"status": "STEPS"' '"code": 702' '"message": '

# Calls of cooperative groups: findings name the user's line, and each call is a barrier of its own.
cat >groups.cu <<'CU'
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <int UNEVEN> __global__ void two_calls(float *out)
{
	auto block = cg::this_thread_block();
	if (threadIdx.x < (UNEVEN ? 32 : 64))
		block.sync();
	else
		cg::sync(block);
	out[threadIdx.x] = 1;
}
template <int UNEVEN> __global__ void one_line(float *out)
{
	auto block = cg::this_thread_block();
	if (threadIdx.x < (UNEVEN ? 32 : 64)) block.sync(); else block.sync();
	out[threadIdx.x] = 1;
}
template <int UNEVEN> __global__ void in_tile(float *out)
{
	auto tile = cg::tiled_partition<8>(cg::this_thread_block());
	float v = threadIdx.x;
	if (threadIdx.x % 8 < (UNEVEN ? 4 : 8))
		v = tile.shfl_down(v, 2);
	else
		v = tile.shfl_up(v, 2);
	out[threadIdx.x] = v;
}
CU
groups='--grid 1 --block 64 --arg out=>out.npy:f32[64] --check'
run launch groups.cu --kernel 'two_calls<1>' $groups
expect 'two calls of sync() are two barriers' 4 'barrier-divergence in two_calls' \
	'thread_block::sync by .*groups.cu:9$' 'thread_block::sync by .*groups.cu:7$'
run launch groups.cu --kernel 'one_line<1>' $groups
expect 'also on one line' 4 'barrier-divergence in one_line' 'groups.cu:15$'
run launch groups.cu --kernel 'in_tile<1>' $groups
expect 'a shuffle of a tile' 4 '^mask in in_tile' 'thread_block_tile::shfl_up by .*groups.cu:25$' \
	'thread_block_tile::shfl_down by .*groups.cu:23$'
for kernel in two_calls one_line in_tile; do
	run launch groups.cu --kernel "$kernel<0>" $groups
	expect "no finding in $kernel<0>" 0
done

run find bug.twin
expect 'find lists them' 4 'race-shared in reverse, L0' '64 times'
"$flashtwin" find bug.twin >&- 2>err
code=$?
: >out
one_line 'flashtwin find: standard output: '; expect 'find with standard output closed' 2
run find bug.twin --class race-shared --json
expect 'find as JSON' 4 '"line": ' '"launch": 0' '"run": 1'
run find bug.twin --class leak
expect 'find with --class' 0
run find bug.twin --class race-sharde
expect 'an unknown class' 2 'got race-sharde: did you mean .race-shared'
run sql bug.twin 'SELECT class, launch, file FROM v_finding'
expect 'findings in SQL' 0 'race-shared.0.reverse.cu'
run launch reverse.cu --kernel 'reverse<64>' $launch --check -D ORDERED=1 -o clean.twin
run find clean.twin
[ ! -s err ] || code=99
expect 'find prints nothing for a clean run' 0
run find "$srcdir/tests/h200/romeo.twin"
expect 'a run that was not checked is not called clean' 0 'recorded with --check?'
# Without barriers, the first lanes read memory that was not written yet: poison, which is a NaN.
cat >sum.cu <<'CU'
__global__ void sum(const float *in, float *out)
{
	__shared__ float s[128];
	int t = threadIdx.x;

	s[t] = in[t];
	for (int k = 32; k > 0; k /= 2)
		if (t < k)
			s[t] += s[t + k];
	if (t == 0)
		out[0] = s[0];
}
CU
for seed in 0 1 2; do
	run launch sum.cu --kernel sum --grid 1 --block 64 --arg in=@in.npy \
		--arg 'out=>sum.npy:f32[1]' --check --seed $seed
	! grep -q nan-born out err || code=99
	expect "poison does not count as a new NaN, seed $seed" 4 'race-shared in sum'
done
cat >math.cu <<'CU'
__global__ void all(const float *in, float *out)
{
	float x = in[threadIdx.x] + threadIdx.x / 8.0f, s, c;

	sincosf(x, &s, &c);
	out[threadIdx.x] = expf(-x) + exp2f(x) + logf(x) * log2f(x) + rsqrtf(x) + tanhf(x)
		+ powf(x, 1.5f) + __fdividef(s, x) + erff(c) + __expf(s) + __logf(-x);
}
CU
run launch math.cu --kernel all $launch
mv out.npy plain.npy
run launch math.cu --kernel all $launch --check
cmp plain.npy out.npy >>err || code=99
expect 'functions give the same bits, and a NaN is reported' 0 'lint nan-born in all' 'math.cu:7'
mkdir course
cat >course/poison.cu <<'CU'
#include "twice.cuh"
__global__ void poison(const float *in, float *out)
{
	__shared__ float s[64];
	float inf = in[0] * 3e38f * 3e38f;

	out[threadIdx.x] = inf - inf;
	if (threadIdx.x < 9)
		s[threadIdx.x] = in[0];
	__syncthreads();
	out[threadIdx.x] = twice(s[threadIdx.x]) + fmaf(s[threadIdx.x], 3.0f, 1.0f)
		+ sqrtf(s[threadIdx.x]) + expf(s[threadIdx.x]);
}
CU
cat >course/twice.cuh <<'CU'
__device__ inline float twice(float x)
{
	return x * 2.0f;
}
CU
npy ones.npy '(64,)' 64
run launch course/poison.cu --kernel poison --grid 1 --block 64 --arg in=@ones.npy \
	--arg 'out=>out.npy:f32[64]' --check -o poison.twin
expect 'poison is uninit' 4 'uninit in poison' 'course/poison.cu:11'
grep -o '^lint.*\|^uninit' err >kinds
printf 'uninit\nuninit\nlint nan-born in poison, L0 (64 times)\n' | cmp -s - kinds || code=99
expect 'poison is not nan-born: only inf - inf is, reported after the bug' 4
run replay poison.twin --trust --check
expect 'a replay names files as the user did' 4 'uninit in poison' ' course/poison.cu:11'
cat >ticket.cu <<'CU'
__global__ void last(const float *in, float *out, float *ticket)
{
	if (threadIdx.x == 0 && atomicAdd(ticket, 1.0f) == 2.0f && blockIdx.x == 0)
		out[64] = in[0];
}
CU
npy ticket.npy '(1,)' 1
run launch ticket.cu --kernel last --grid 2 --block 64 --arg in=@in.npy \
	--arg 'out=>out.npy:f32[64]' --arg ticket=@ticket.npy --check --all-orders 8 -o ticket.twin
expect 'a bug that only another order shows is found' 4 'oob in last, L0' 'under seed [1-8]' 'ticket.cu:4'
run find ticket.twin --class oob
expect 'it is in the trace with its seed' 4 'oob in last, L0' 'under seed [1-8]'
run sql ticket.twin "SELECT count(*) FROM v_finding WHERE class = 'oob'
	AND json_extract(message, '\$.seed') > 0"
expect 'it is in the trace once' 0 '^1$'
cat >waits.cu <<'CU'
__device__ int flag;
__global__ void waits(const float *in, float *out)
{
	if (threadIdx.x == 0 && blockIdx.x == 0) {
		out[0] = in[0];
		__threadfence();
		atomicExch(&flag, 1);
	} else if (threadIdx.x == 0) {
		printf("flag %d\n", atomicAdd(&flag, 0));
		__threadfence();
		out[1] = out[0];
	}
}
CU
waits='--kernel waits --grid 2 --block 64 --arg in=@in.npy --arg out=>out.npy:f32[64]'
run launch waits.cu $waits --check -o waits.twin
expect 'an order that came from a flag is not the only one' 4 'race-grid in waits' 'under seed [1-4]' \
	'waits.cu:11'
[ "$(cat out)" = 'flag 1' ] || code=99
expect 'further orders print nothing' 4
run find waits.twin
expect 'the finding is stored with its seed' 4 'race-grid in waits, L0' 'under seed [1-4]'
run launch waits.cu $waits --check --check-orders 0 -o one.twin --json
expect 'without further orders there is no finding' 0
"$flashtwin" launch waits.cu $waits --check -o again.twin --json >again.json 2>err
grep -q '"seed": [1-4]' again.json && "$flashtwin" diff one.twin again.twin >out 2>err
code=$?
expect 'outputs and traces are those of the given seed' 0
run launch waits.cu $waits --check --seed 2
expect 'the seed that it names shows it' 4 'race-grid in waits'
run replay one.twin --trust --check
expect 'a replay looks at further orders, too' 4 'race-grid in waits' 'under seed [1-4]'
run launch waits.cu $waits --check-orders 3
expect '--check-orders without --check' 2 '--check-orders needs --check'
run find missing.twin
expect 'a missing trace' 2 'missing.twin'

# attended WHAT OPTION...: attend has no findings or lints under any seed, and the same bits as
# without --check.
seeds=${CHECK_SEEDS-3}
attended() {
	what=$1
	shift
	run attend "$@" --out plain.npy
	seed=0
	while [ "$code" -eq 0 ] && [ "$seed" -lt "$seeds" ]; do
		run attend "$@" --out checked.npy --check --lint-fail --seed "$seed"
		cmp plain.npy checked.npy >>err || code=99
		[ ! -s err ] || code=99
		seed=$((seed + 1))
	done
	expect "$what is clean under $seeds seeds, and has the same bits" 0
}
cache='--q q.npy --k k.npy --v k.npy'
for path in flash-decoding incremental incremental-multiwarp batched; do
	attended "$path" --path "$path" $cache
done
attended 'two warps per chunk' --warps 2 --chunk 16 $cache
attended 'graphs' --path flash-decoding-graph $cache
npy kq.npy '(4, 70, 32)' 8960
attended 'cached' --path cached --q q.npy --k kq.npy --v kq.npy
npy pq.npy '(4, 9, 32)' 1152
attended 'prefill' --path prefill --causal --q pq.npy --k k.npy --v k.npy
npy q80.npy '(4, 70, 80)' 22400
npy k80.npy '(2, 75, 80)' 12000
attended 'tiled prefill' --path prefill-tiled --causal --q q80.npy --k k80.npy --v k80.npy
npy tiled32.npy '(4, 9, 32)' 1152
run attend --path prefill-tiled --q tiled32.npy --k k.npy --v k.npy
expect 'a head size without tiles' 2 'prefill-tiled: expected one head and value size of 64, 80'
# A whole split and the beginning of the next, and a sequence without keys.
npy q64.npy '(3, 4, 64)' 768
npy k64.npy '(3, 2, 137, 64)' 52608
for rung in 4 5 6 9 10; do
	attended "rung $rung" --path ladder --rung "$rung" --q q64.npy --k k64.npy --v k64.npy \
		--lengths 137,0,16
done
# Blocks of a cluster with two splits, and too many KV heads for clusters.
npy q1.npy '(1, 1, 64)' 64
npy k1.npy '(1, 1, 1160, 64)' 74240
attended 'a cluster with ten splits' --path ladder --rung 10 --q q1.npy --k k1.npy --v k1.npy
npy q9.npy '(9, 1, 64)' 576
npy k9.npy '(9, 1, 137, 64)' 78912
attended 'rung 10 without clusters' --path ladder --rung 10 --q q9.npy --k k9.npy --v k9.npy \
	--lengths 137,0,16,0,0,0,0,0,0
npy q3.npy '(3, 4, 32)' 384
npy k3.npy '(3, 2, 70, 32)' 13440
attended 'three sequences' --q q3.npy --k k3.npy --v k3.npy --lengths 70,0,33
for warps in 1 2; do
	run attend --warps $warps --chunk 16 --q q.npy --k k.npy --v k.npy --check --log points \
		-o points$warps.twin
	expect "checked and recording points ($warps warps)" 0
done
run attend --q q.npy --k k.npy --v k.npy --chunk 16 --log points -o plain.twin
run diff plain.twin points1.twin
expect 'the points are the same as without --check' 0
run replay "$srcdir/tests/h200/romeo.twin" --check
expect 'a trace of a GPU replays without findings' 0 '0 bits differ'
run attend --q q.npy --k k.npy --v k.npy --check --device cuda
expect '--check on a GPU' 2 '--check needs the simulator'
run attend --q q.npy --k k.npy --v k.npy --lint-fail
expect '--lint-fail without --check' 2 '--lint-fail needs --check'
# Classes must be documented in find --help, doc/checker.md and the manual.
"$flashtwin" find --help >help
for class in $(sed -n 's/^\tX([A-Z_]*, "\([a-z-]*\)", .*/\1/p' "$srcdir/sim/check/finding.h" \
		"$srcdir/kernels/kernel_lint.h"); do
	grep -q -- "$class" help || echo "$class: not in find --help"
	grep -q -- "$class" "$srcdir/doc/checker.md" || echo "$class: not in doc/checker.md"
	sed 's/\\-/-/g' "$srcdir/doc/flashtwin.1.in" | grep -q -- "$class" ||
		echo "$class: not in the manual"
done >missing
for class in race-stream empty-split-read; do
	grep -q -- "$class" help || echo "$class: not in find --help"
done >>missing
result 'every class is documented' "$(cat missing)"
# A pointer made from a local array, in a file that the compiler then checks for it.
cat >pointer.cu <<'CU'
__global__ void walk(const float *in, float *out, int n)
{
	float a[2] = { in[0], in[1] }, sums[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
	float *sum = sums;

	for (int i = 0; i < n; i++)
		sum[i] += a[i % 2];
	out[threadIdx.x] = sums[0] + sums[3];
}
struct __align__(16) wide { float a[8]; };
__global__ void copy(const float *in, float *out, int n)
{
	*(wide *)out = *(const wide *)(in + n);
}
CU
run launch pointer.cu --kernel walk $launch --arg n=i32:5 --check
expect 'a pointer past a local array' 4 "oob in walk, L0: 'float' outside of the variable" \
	'pointer.cu:7'
run launch pointer.cu --kernel walk $launch --arg n=i32:4 --check
expect 'a pointer within it' 0
run launch pointer.cu --kernel copy --grid 1 --block 1 --arg in=@in.npy --arg 'out=>out.npy:f32[64]' \
	--arg n=i32:1 --check
expect 'a misaligned copy of a struct' 4 "misaligned in copy, L0: .*past a multiple of 16" \
	'pointer.cu:13' 'CUDA_ERROR_MISALIGNED_ADDRESS (716)'

# A __constant__ variable among others that cannot be in its section.
cat >constant.cu <<'CU'
__constant__ float table[4] = { 1, 2, 3, 4 };
__device__ __constant__ const int offset = 1;
template <class T> __constant__ T two = T(2);
__global__ void store(const float *in, float *out, int n)
{
	float *t = table;

	out[threadIdx.x] = in[offset] * two<float> + table[1];
	if (n)
		t[threadIdx.x % 4] = 3.0f;
}
CU
run launch constant.cu --kernel store $launch --arg n=i32:1 --check
expect 'a write to a constant' 4 'constant-write in store, L0: .* the __constant__ variable table' \
	'constant.cu:10'
expect 'its error names the place' 4 \
	'(700): illegal address in store, block (0,0,0) thread (0,0,0), constant.cu:10: a write to'
run launch constant.cu --kernel store $launch --arg n=i32:0 --check
expect 'no write to a constant' 0

# What is advised depends on what the two sides are.
cat >sides.cu <<'CU'
#include <cuda_pipeline.h>
__global__ void reuse(float *in, float *out)
{
	__shared__ float s[64];

	__pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4);
	__pipeline_commit();
	in[threadIdx.x] = 1;
	__pipeline_wait_prior(0);
	out[threadIdx.x] = s[threadIdx.x];
}
__global__ void count(float *in, int *out)
{
	atomicAdd_block(out, 1);
}
__global__ void fill(float *in, float *out)
{
	__shared__ float s[64];

	memset(s, 0, 65 * sizeof *s);
	out[threadIdx.x] = s[threadIdx.x];
}
CU
run launch sides.cu --kernel reuse $launch --check
expect 'a race with an asynchronous copy' 4 'asynchronous copy by block .*sides.cu:6$' \
	'write by block .*sides.cu:8$' 'fix: wait for the copy in the thread that made it'
run launch sides.cu --kernel count --grid 2 --block 32 --arg in=@in.npy --arg 'out=>n.npy:i32[1]' --check
expect 'a race of atomics of a block' 4 'fix: use atomics of one size at one address, with a scope'
run launch sides.cu --kernel fill $launch --check
expect 'memset() past the end' 4 "oob in fill, L0: outside of the block's 256 bytes of shared" \
	'write by block (0,0,0) thread (0,0,0) after 0 barriers, sides.cu:20$'
[ "$(grep -c 'sysdeps' err)" = 0 ] || code=99
expect 'names no line of the C library' 4

plan
