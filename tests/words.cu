/* words.cu - small kernels that each use a few CUDA built-ins, run on every device.
 *
 * tests/words.c launches them. tests/sim/exec/test_sim.c states what they must write;
 * tests/engine/cuda/test_cuda.c requires the same bits from a GPU. Kernels that must fail are at
 * the end; a GPU runs only those for which it reports the same error.
 */
#include "kernels/kernel.h"
#include "kernels/online_softmax.cuh"
#include "sim/cuda/cluster.h"

static __device__ int thread_linear(void)
{
	return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

static __device__ int block_linear(void)
{
	return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

/* out[global thread] = 1000 * block + thread, computed from every index built-in */
KERNEL word_indices(int *out)
{
	int threads = blockDim.x * blockDim.y * blockDim.z;

	out[block_linear() * threads + thread_linear()] = 1000 * block_linear() + thread_linear()
		+ 1000000 * warpSize;
}

/* out[8 * lane + kind] for one width and one argument; lanes outside mask return early */
KERNEL word_shuffles(int *out, unsigned mask, int argument, int width)
{
	int lane = threadIdx.x;
	int *mine = out + 8 * lane;

	if (!(mask >> lane & 1))
		return;
	mine[0] = __shfl_sync(mask, 100 + lane, argument, width);
	mine[1] = __shfl_up_sync(mask, 100 + lane, argument, width);
	mine[2] = __shfl_down_sync(mask, 100 + lane, argument, width);
	mine[3] = __shfl_xor_sync(mask, 100 + lane, argument, width);
	float f = __shfl_xor_sync(mask, 0.5f * lane, argument, width);
	mine[4] = __float_as_int(f);
	long long wide = __shfl_sync(mask, 1000000000000ll + lane, argument, width);
	mine[5] = (int)(wide >> 32);
	mine[6] = (int)wide;
	mine[7] = (int)(1000.0 * __shfl_sync(mask, 0.25 * lane, argument, width));
}

KERNEL word_votes(unsigned *out, unsigned mask, unsigned yes)
{
	int lane = threadIdx.x;
	unsigned *mine = out + 8 * lane;

	if (!(mask >> lane & 1))
		return;
	mine[0] = __all_sync(mask, yes >> lane & 1);
	mine[1] = __any_sync(mask, yes >> lane & 1);
	mine[2] = __ballot_sync(mask, yes >> lane & 1);
	mine[3] = __match_any_sync(mask, lane % 3);
	int all;
	mine[4] = __match_all_sync(mask, lane < 32, &all);
	mine[5] = all;
	mine[6] = __match_all_sync(mask, lane, &all);
	mine[7] = all;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
KERNEL word_reductions(int *out, unsigned mask)
{
	int lane = threadIdx.x;
	int *mine = out + 8 * lane;

	if (!(mask >> lane & 1))
		return;
	mine[0] = __reduce_add_sync(mask, lane - 7);
	mine[1] = __reduce_min_sync(mask, 5 - lane);
	mine[2] = __reduce_max_sync(mask, 5 - lane);
	mine[3] = (int)__reduce_min_sync(mask, (unsigned)(5 - lane));
	mine[4] = (int)__reduce_max_sync(mask, (unsigned)(5 - lane));
	mine[5] = (int)__reduce_and_sync(mask, 0xff00u | (unsigned)lane);
	mine[6] = (int)__reduce_or_sync(mask, (unsigned)lane << 8);
	mine[7] = (int)__reduce_xor_sync(mask, 1u << lane % 5);
}
#endif

/* out[2 * lane]: the maximum of in[0 .. 31] and their sum in the order of shuffles */
KERNEL word_butterflies(const float *in, int *out)
{
	int lane = threadIdx.x;
	float max = warp_max(in[lane]), sum = warp_sum(in[lane]);

	out[2 * lane] = max == max ? __float_as_int(max) : 0x7fffffff;
	out[2 * lane + 1] = sum == sum ? __float_as_int(sum) : 0x7fffffff;
}

/* Subsets of a warp shuffle separately: even lanes twice, odd lanes once. */
KERNEL word_subwarps(int *out)
{
	int lane = threadIdx.x;

	if (lane % 2 == 0) {
		int a = __shfl_sync(0x55555555u, lane, 4);
		out[lane] = a + __shfl_xor_sync(0x55555555u, lane, 2);
	} else {
		out[lane] = __shfl_xor_sync(0xaaaaaaaau, lane, 2);
	}
	__syncwarp();
	out[32 + lane] = out[31 - lane];
}

/* Block sum by halving in static shared memory; also a two-dimensional and a scalar variable. */
KERNEL word_static_shared(const int *in, int *out)
{
	__shared__ int sums[256];
	__shared__ struct { short low; float high[3]; } pair[4][2];
	__shared__ int total;
	int t = threadIdx.x;

	sums[t] = in[blockIdx.x * blockDim.x + t];
	if (t < 8)
		pair[t / 2][t % 2].high[1] = (float)t;
	__syncthreads();
	for (int half = blockDim.x / 2; half > 0; half /= 2) {
		if (t < half)
			sums[t] += sums[t + half];
		__syncthreads();
	}
	if (t == 0)
		total = sums[0];
	__syncthreads();
	out[blockIdx.x * blockDim.x + t] = total + (int)pair[t % 4][t / 4 % 2].high[1]
		+ (int)sizeof sums;
}

KERNEL word_dynamic_shared(int *out)
{
	extern __shared__ int line[];
	__shared__ int first;
	int t = threadIdx.x, n = blockDim.x;

	line[t] = 7 * t;
	if (t == 0)
		first = blockIdx.x;
	__syncthreads();
	out[blockIdx.x * n + t] = line[n - 1 - t] + 10000 * first;
}

KERNEL word_block_votes(int *out)
{
	int t = threadIdx.x;
	int *mine = out + 4 * t;

	mine[0] = __syncthreads_count(t % 3 == 0);
	mine[1] = __syncthreads_and(t >= 0) != 0;
	mine[2] = __syncthreads_and(t != 40) != 0;
	mine[3] = __syncthreads_or(t == 63) != 0;
}

/* Neither the block nor the warp waits for threads that have exited. */
KERNEL word_early_exit(int *out)
{
	int t = threadIdx.x;

	out[t] = -1;
	if (t % 32 >= 20 || t / 32 == 2)
		return;
	__syncthreads();
	out[t] = __syncthreads_count(1);
	int next = __shfl_down_sync(0xffffffffu, 1000 * t, 1);
	if (t % 32 < 19)                /* lane 19 would read a lane that has exited: undefined */
		out[t] += next;
}

KERNEL word_atomics(int *words, float *sum, unsigned *turns)
{
	int t = threadIdx.x + blockIdx.x * blockDim.x;

	atomicAdd(&words[0], t);
	atomicMax(&words[1], t);
	atomicMin(&words[2], -t);
	atomicOr(&words[3], 1 << t % 31);
	atomicXor(&words[4], t);
	atomicSub(&words[5], 2);
	atomicAnd(&words[6], ~(1 << t % 30));
	atomicAdd(sum, 0.5f);
	atomicInc(&turns[0], 9);
	atomicDec(&turns[1], 9);
	while (atomicCAS(&turns[2], 0u, 1u) != 0u)      /* a spin lock around a plain increment */
		__nanosleep(20);
	__threadfence();
	turns[3] = turns[3] + 1;
	__threadfence();
	atomicExch(&turns[2], 0u);
}

/* Block b waits for block b + 1: only blocks that are resident together can finish. */
KERNEL word_flags(int *flags, int *out)
{
	int b = blockIdx.x, last = gridDim.x - 1;

	if (threadIdx.x == 0) {
		if (b < last)
			while (atomicAdd(&flags[b + 1], 0) == 0)
				__nanosleep(20);
		out[b] = b < last ? flags[b + 1] + 1 : 1;
		__threadfence();
		atomicExch(&flags[b], out[b]);
	}
}

KERNEL word_arithmetic(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float x = in[i], y = in[(i * 7 + 3) % n];
	float *mine = out + 20 * i;
	mine[0] = fmaf(x, y, x);
	mine[1] = x / y;
	mine[2] = sqrtf(x);
	mine[3] = fmaxf(x, y);
	mine[4] = fminf(x, y);
	mine[5] = expf(x);
	mine[6] = exp2f(x);
	mine[7] = __expf(x);
	mine[8] = (float)__float2int_rn(x);
	mine[9] = (float)__float2int_rz(x);
	mine[10] = (float)__float2uint_rn(x);
	mine[11] = rintf(x);
	mine[12] = (float)__popc(__float_as_uint(x));
	mine[13] = (float)__clz(__float_as_int(x));
	mine[14] = (float)__ffs(__float_as_int(x));
	mine[15] = logf(x);
	mine[16] = rsqrtf(x);
	mine[17] = tanhf(x);
	mine[18] = sinf(x);
	mine[19] = max(x, y) - min(x, y) * (float)max(3, i) + (float)min(3ll, (long long)i);
}

struct word_blob {
	char tag;
	double scale;
	const int *values;
	int padding[5];
};

KERNEL word_by_value(struct word_blob blob, int *out, short small, unsigned char tiny)
{
	out[threadIdx.x] = (int)(blob.scale * blob.values[threadIdx.x]) + blob.tag + blob.padding[4]
		+ small + tiny;
}

KERNEL word_pointer_table(const int *const *rows, int *out)
{
	out[threadIdx.x] = rows[threadIdx.x] ? rows[threadIdx.x][0] : -1;
}

static __device__ int word_global_count = 40;
__constant__ int word_constants[3] = { 5, 6, 7 };

KERNEL word_globals(int *out)
{
	if (threadIdx.x == 0)
		word_global_count += 2;
	__syncthreads();
	out[threadIdx.x] = word_global_count + word_constants[threadIdx.x % 3];
}

KERNEL __launch_bounds__(64) word_bounded(int *out)
{
	out[threadIdx.x] = 1;
}

/* --- clusters: tests/sim/exec/test_cluster.c launches these --- */

/* out[block] = 100 * size + rank */
KERNEL word_cluster_ranks(int *out)
{
	if (thread_linear() == 0)
		out[block_linear()] = (int)(100 * cluster_size() + cluster_rank());
}

/* Every thread writes into the next block, adds to a count in block 0, and reads what the block
 * before wrote. out[2 * thread + kind], 32 threads. */
KERNEL word_cluster_memory(int *out)
{
	__shared__ int given[32], count;
	unsigned next = (cluster_rank() + 1) % cluster_size();
	int *mine = out + 2 * (32 * block_linear() + threadIdx.x);

	count = 0;
	cluster_sync();
	cluster_map(given, next)[31 - threadIdx.x] = 100 * block_linear() + threadIdx.x;
	atomicAdd(cluster_map(&count, 0), 1 + (int)cluster_rank());
	cluster_sync();
	mine[0] = given[threadIdx.x];
	mine[1] = *cluster_map(&count, 0);
	cluster_sync();
}

/* In each turn a block takes the number of the next one and adds 1. A warp of block 0 leaves before
 * the first barrier, and block 1 has its second barrier in two halves. out[block], 64 threads. */
KERNEL word_cluster_turns(int *out, int turns)
{
	__shared__ int number;
	unsigned rank = cluster_rank(), next = (rank + 1) % cluster_size();
	int taken = 0;

	if (rank == 0 && threadIdx.x >= 32)
		return;
	if (threadIdx.x == 0)
		number = 1000 * (int)rank;
	cluster_sync();
	for (int i = 0; i < turns; i++) {
		if (threadIdx.x == 0)
			taken = *cluster_map(&number, next);
		if (rank == 1) {
			cluster_arrive();
			cluster_wait();
		} else {
			cluster_sync();
		}
		if (threadIdx.x == 0)
			number = taken + 1;
		cluster_sync();
	}
	if (threadIdx.x == 0)
		out[block_linear()] = number;
}

/* Stores of 4, 8 and 16 bytes, a copy of shared memory to the next block, and one of global memory
 * to all blocks. A thread that looks before any waits finds poison. out[6 * thread + kind],
 * from[32], 32 threads. */
KERNEL word_cluster_async(int *out, const int *from)
{
	__shared__ __align__(16) int one[32], sent[32], all[32], mine[32];
	__shared__ __align__(16) long long two[32];
	__shared__ __align__(16) uint4 four[32];
	__shared__ uint64_t full;
	unsigned rank = cluster_rank(), next = (rank + 1) % cluster_size();
	int t = threadIdx.x, *to = out + 6 * (32 * block_linear() + t);
	uint64_t *barrier;

	if (t == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		mbarrier_expect(&full, 32 * (4 + 8 + 16 + 4 + 4));
	}
	mine[t] = 10 * block_linear() + t;
	async_bulk_fence();
	cluster_sync();
	barrier = cluster_map(&full, next);
	async_store(cluster_map(&one[t], next), 1000 * (int)rank + t, barrier);
	async_store(cluster_map(&two[t], next), (long long)rank << 40 | t, barrier);
	async_store(cluster_map(&four[t], next), make_uint4(rank, t, 7, 8), barrier);
	if (t == 0)
		async_bulk_send(cluster_map(sent, next), mine, sizeof mine, barrier);
	if (t == 0 && rank == 0)
		async_bulk_load_to(all, from, sizeof all, &full, (1u << cluster_size()) - 1);
	to[0] = one[t];
	__syncwarp();
	mbarrier_wait(&full, 0);
	to[1] = one[t];
	to[2] = (int)(two[t] >> 40) * 100 + (int)two[t];
	to[3] = (int)(1000 * four[t].x + 100 * four[t].z + four[t].y);
	to[4] = sent[t];
	to[5] = all[t];
	cluster_sync();
}

/* Threads of all blocks arrive at a barrier of block 0, whose threads wait for them. out[0] */
KERNEL word_cluster_arrivals(int *out)
{
	__shared__ uint64_t ready;
	__shared__ int sum;

	if (threadIdx.x == 0) {
		sum = 0;
		mbarrier_init(&ready, blockDim.x * cluster_size());
		mbarrier_init_fence();
	}
	cluster_sync();
	atomicAdd(cluster_map(&sum, 0), (int)(threadIdx.x + 100 * cluster_rank()));
	cluster_mbarrier_arrive(cluster_map(&ready, 0));
	if (cluster_rank() == 0) {
		cluster_mbarrier_wait(&ready, 0);
		if (threadIdx.x == 0)
			out[0] = sum;
	}
	cluster_sync();
}

/* --- kernels that must fail --- */

KERNEL fail_store(int *where, int index)
{
	if (threadIdx.x == 3 && blockIdx.x == 2)
		where[index] = 1;
}

KERNEL fail_trap(int *out)
{
	out[threadIdx.x] = 1;
	if (threadIdx.x == 5)
		__trap();
}

static __device__ int fail_deeper(volatile int *out, int depth)
{
	volatile int local[512];

	local[depth % 512] = depth;
	if (depth <= 0)
		return 0;
	return fail_deeper(out, depth - 1) + local[(depth * 7) % 512] + out[0];
}

KERNEL fail_stack(int *out, int depth)
{
	out[0] = fail_deeper(out, depth);
}

/* Lanes 0 to 15 wait for a shuffle that the others never reach; those wait for the block. */
KERNEL fail_deadlock(int *out)
{
	if (threadIdx.x < 16)
		out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, out[threadIdx.x], 1);
	else
		__syncthreads();
}

/* Misuse of a cluster of two blocks, by its number. */
KERNEL fail_cluster(int *out, int how)
{
	__shared__ __align__(16) int s[32], to[32];
	__shared__ uint64_t full;

	s[threadIdx.x] = threadIdx.x;
	if (threadIdx.x == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		mbarrier_expect(&full, sizeof s);
	}
	cluster_sync();
	if (how == 1)
		out[threadIdx.x] = cluster_map(s, 2)[threadIdx.x];      /* no such block */
	if (how == 2)
		out[threadIdx.x] = cluster_map(out, 1)[threadIdx.x];    /* not shared memory */
	if (how == 3)
		cluster_arrive();                                       /* twice */
	if (how == 4)
		cluster_wait();                                         /* without an arrival */
	if (how == 5 && cluster_rank() == 0)
		return;                                                 /* while it is read */
	if (how == 5) {
		for (int i = 0; i < 100; i++)
			atomicAdd(&out[32], 1);
		out[threadIdx.x] = cluster_map(s, 0)[threadIdx.x];
	}
	if (how == 6 && cluster_rank() == 0 && threadIdx.x == 0)
		async_bulk_send(cluster_map(to, 1), s, sizeof s, cluster_map(&full, 1));
	if (how == 6 && cluster_rank() == 0)
		return;                                                 /* while it is copied */
	if (how == 7 && cluster_rank() == 0 && threadIdx.x == 0)
		mbarrier_wait(&full, 0);                                /* nothing will come */
	if (how == 8 && cluster_rank() == 0)
		out[threadIdx.x] = cluster_map(s, 1)[20000];            /* past its memory */
	if (how == 9 && cluster_rank() == 0)
		out[threadIdx.x] = cluster_map(s, 1)[100000];           /* past any memory */
	cluster_arrive();
	cluster_wait();
}
