#!/bin/sh
# test_launch_whole.sh - `launch`: kernels whose blocks run on one stack give what they give with a
# stack for each thread, also where the order of threads decides. A step budget switches the former
# off (sim/cu2c/rewrite_lanes.c).
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"

cat >racy.cu <<'CU'
__device__ float mix(float x, int i) { return x * 1.25f + (float)(i % 7) + threadIdx.x * 0.001f; }
template <int T> __global__ void racy(float *out, int *trail, int n, int rounds)
{
	__shared__ float s[64];
	__shared__ int turn;
	int tid = threadIdx.x;
	float acc[4] = { 0.5f }, last = (float)(tid * 37 % 11);
	const int twice = 2 * rounds;

	trail += blockIdx.x * twice * blockDim.x;
	s[tid % 64] = 0.0f;
	turn = 0;
	__syncthreads();
	for (int r = 0; r < twice; r++) {
		float mine = (float)((tid + r) % n);

		trail[r * blockDim.x + turn] = tid;     /* a race: the order of threads */
		turn = turn + 1;
		s[tid % 64] = mix(last, r) + s[(tid + 1) % 64] * 0.25f;
		__syncthreads();
		if (r % 2) {
			last = s[tid * 7 % 64] + mine;
			__syncthreads();
			acc[r & 3] += last;
		} else
			acc[(r + 1) & 3] -= mine;
		turn = 0;
		for (int half = T; half > 0; half >>= 1) {
			if (tid < half)
				s[tid % 64] += s[(tid + half) % 64];
			__syncthreads();
		}
	}
	if (tid >= n)
		return;
	float doubled = acc[2] * 2;
	out[blockIdx.x * blockDim.x + tid] = acc[0] + acc[1] * 2 + doubled + acc[2] + last;
}
CU

# race NAME BLOCK [OPTION...]
race() {
	name=$1 block=$2
	shift 2
	"$flashtwin" launch racy.cu --kernel 'racy<32>' --grid 3 --block "$block" --no-record "$@" \
		--arg "out=>$name.out.npy:f32[3,$block]" --arg n=i32:70 --arg rounds=i32:3 \
		--arg "trail=>$name.trail.npy:i32[3,6,$block]" >out 2>err || code=$?
}
for block in 1 31 32 33 64 100 1000; do
	code=0
	race whole $block
	race stacks $block --steps 100000000
	cmp whole.out.npy stacks.out.npy >>err 2>&1 || code=98
	cmp whole.trail.npy stacks.trail.npy >>err 2>&1 || code=99
	expect "$block threads run in the same order" 0
done
grep -rq ft_whole_end "$XDG_CACHE_HOME/flashtwin/objects" || code=99
expect 'the form for one stack was compiled' 0
code=0
race seeded 100 --seed 3
race seeded_stacks 100 --seed 3 --steps 100000000
cmp seeded.trail.npy seeded_stacks.trail.npy >>err 2>&1 || code=99
cmp -s seeded.trail.npy whole.trail.npy && code=98
expect 'a seed has its own order' 0

cat >fault.cu <<'CU'
__global__ void fault(float *a, int n)
{
	__shared__ float s[64];
	int i = threadIdx.x;

	s[i] = 1.0f;
	__syncthreads();
	if (i == 37)
		a[1 << 28] = s[i];
	a[i] = s[63 - i] / (float)n;
}
__global__ void odd(float *a)
{
	a[threadIdx.x] = 1.0f;
	__syncthreads();
	if (threadIdx.x == 5)
		*(float *)((char *)a + 2) = 1.0f;
}
CU
cat >wrong.cu <<'CU'
__global__ void wrong(float *a)
{
	a[threadIdx.x] = missing;
	__syncthreads();
}
CU
launch() {
	"$flashtwin" launch "$@" --grid 2 --block 64 --no-record --arg 'a=>a.npy:f32[64]' \
		>out 2>err
	code=$?
}
launch fault.cu --kernel fault --arg n=i32:2
expect 'a fault has its thread and line' 1 \
	'illegal address in fault, block (0,0,0) thread (37,0,0), fault.cu:9'
launch fault.cu --kernel odd
expect 'so has a misaligned access' 1 \
	'misaligned address in odd, block (0,0,0) thread (5,0,0), fault.cu:17'
launch wrong.cu --kernel wrong
[ "$(grep -c 'error:' err)" = 1 ] || code=99
expect 'an error is printed once' 3 'wrong.cu:3:.*missing'
plan
