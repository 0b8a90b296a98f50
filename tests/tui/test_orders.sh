#!/bin/sh
# test_orders.sh - tests --all-orders: finds and explains results that depend on the order.
. "${abs_srcdir:-$PWD}/tests/tap.sh"

cat >reverse.cu <<'CU'
__global__ void reverse(const float *in, float *out)
{
	__shared__ float s[64];

	s[threadIdx.x] = in[threadIdx.x];
#ifdef ORDERED
	__syncthreads();
#endif
	out[threadIdx.x] = s[63 - threadIdx.x];
}
/* The order of blocks is undefined, but atomics are not a race. */
__global__ void ticket(int *next, int *out)
{
	if (threadIdx.x == 0)
		out[blockIdx.x] = atomicAdd(next, 1);
}
CU
npy in.npy '(64,)' 64
npy q.npy '(4, 32)' 128
npy k.npy '(2, 70, 32)' 4480
launch='--grid 1 --block 64 --arg in=@in.npy --arg out=>out.npy:f32[64]'

run launch reverse.cu --kernel reverse $launch --all-orders 3
expect 'a missing barrier: seeds, launch, element and the finding' 1 \
	'^seeds 0 and 1 differ, first at L0' 'out\[[0-9]*\]' 'race-shared in reverse, L0' \
	'reverse.cu:5' 'reverse.cu:9' '3 of 3 orders differ'
run launch reverse.cu --kernel reverse $launch --all-orders 3 -D ORDERED
expect 'no difference with the barrier' 0 '3 orders: the same bits'
run launch reverse.cu --kernel reverse $launch --all-orders 3 --check
expect 'a finding takes precedence over a difference' 4 'race-shared' 'seeds 0 and 1 differ' '1 finding'
run launch reverse.cu --kernel reverse $launch --all-orders 3 --check -D ORDERED
expect 'no finding with the barrier' 0 '3 orders: the same bits'
run launch reverse.cu --kernel reverse $launch --all-orders 2 --json
expect 'differences as JSON' 1 '"all_orders": {' '"seeds": \[' '"finding": {' '"class": "race-shared"' \
	'"what": "out\[' '"differing": 2'
run launch reverse.cu --kernel ticket --grid 4 --block 32 --arg 'next=>n.npy:i32[1]' \
	--arg 'out=>out.npy:i32[4]' --all-orders 8
expect 'a difference without a race' 1 'of 8 orders differ' 'differ, first at L0'
run launch reverse.cu --kernel reverse $launch -o bug.twin
expect 'a run with a race is recorded' 0
run replay bug.twin --trust --all-orders 2
expect 'replay of a trace, whose level records no elements' 1 '^seeds 0 and 1 differ, first at L0' \
	'out\[[0-9]*\]' 'what explains it' 'race-shared in reverse, L0'
run replay bug.twin --trust --all-orders 2 --check
expect 'replay of a trace under the checker' 4 'race-shared in reverse, L0' '1 finding'

run attend --q q.npy --k k.npy --v k.npy --chunk 16 --all-orders 4
expect 'attention does not depend on the order' 0 '4 orders: the same bits'
run attend --q q.npy --k k.npy --v k.npy --chunk 16 --all-orders 2 --check -o t.twin
expect 'attention, checked and recorded' 0 '2 orders: the same bits'
run decode --prompt ROMEO: -n 3 --graph capture --all-orders 2 --check
expect 'text from graphs does not depend on the order' 0 '2 orders: the same bits'
run attend --q q.npy --k k.npy --v k.npy --all-orders 2 --seed 3
expect 'it tries seeds of its own' 2 '--all-orders and --seed are mutually exclusive'
run attend --q q.npy --k k.npy --v k.npy --all-orders 2 --no-record
expect 'it replays a recorded run' 2 'cannot be used with --all-orders'
plan
