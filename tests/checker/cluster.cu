/* cluster.cu - clusters of blocks (sim/cuda/cluster.h): a barrier that is missing, relaxed or
 * waited for too late, shared memory of a block that has not begun or has exited, and asynchronous
 * stores and copies between blocks without their wait.
 *
 * oob.cu describes the conventions; all blocks of a launch are one cluster here, and a block has 64
 * threads.
 */
#include "kernels/kernel.h"
#include "sim/cuda/cluster.h"

#define T ((int)threadIdx.x)
#define OTHER (1 - cluster_rank())
#define BYTES (32 * (unsigned)sizeof(float))

/* --- the barrier of a cluster --- */

/* A barrier of the block is not enough. */
KERNEL cluster_no_sync(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	cluster_sync();
	s[T] = x[T % n];
	__syncthreads();
	if (T < 32 && blockIdx.x == 0)
		y[T] = cluster_map(s, OTHER)[T];                /* BUG */
	cluster_sync();
}
KERNEL cluster_no_sync_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	cluster_sync();
	s[T] = x[T % n];
	cluster_sync();
	if (T < 32 && blockIdx.x == 0)
		y[T] = cluster_map(s, OTHER)[T];
	cluster_sync();
}

/* The owner writes again while the other block still reads. */
KERNEL cluster_overwritten(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	cluster_sync();
	if (T < 32 && blockIdx.x == 0)
		y[T] = cluster_map(s, OTHER)[T];
	__syncthreads();
	s[T] = 1.0f;                                            /* BUG */
	cluster_sync();
	if (T < 16 && blockIdx.x == 0)
		y[32 + T] = s[T];
}
KERNEL cluster_overwritten_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	cluster_sync();
	if (T < 32 && blockIdx.x == 0)
		y[T] = cluster_map(s, OTHER)[T];
	cluster_sync();
	s[T] = 1.0f;
	__syncthreads();
	if (T < 16 && blockIdx.x == 0)
		y[32 + T] = s[T];
}

/* A relaxed arrival releases nothing that no fence did. */
KERNEL cluster_relaxed(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	cluster_arrive_relaxed();
	cluster_wait();
	if (T < 32 && blockIdx.x == 0)
		y[T] = cluster_map(s, OTHER)[T];                /* BUG */
	cluster_sync();
}
KERNEL cluster_relaxed_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	__threadfence();
	cluster_arrive_relaxed();
	cluster_wait();
	if (T < 32 && blockIdx.x == 0)
		y[T] = cluster_map(s, OTHER)[T];
	cluster_sync();
}

/* Between an arrival and its wait nothing of the others is there yet. */
KERNEL cluster_before_wait(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	cluster_sync();
	s[T] = x[T % n];
	cluster_arrive();
	if (T < 32 && blockIdx.x == 0)
		y[T] = cluster_map(s, OTHER)[T];                /* BUG */
	cluster_wait();
	cluster_sync();
}
KERNEL cluster_before_wait_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	cluster_sync();
	s[T] = x[T % n];
	cluster_arrive();
	if (T < 32 && blockIdx.x == 0)
		y[T] = s[T];
	cluster_wait();
	if (T < 16 && blockIdx.x == 0)
		y[32 + T] = cluster_map(s, OTHER)[T];
	cluster_sync();
}

/* After its arrival a thread may not change what the others wait for. */
KERNEL cluster_after_arrival(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	cluster_arrive();
	s[T] = 2.0f;                                            /* BUG */
	cluster_wait();
	if (T < 32 && blockIdx.x == 0)
		y[T] = cluster_map(s, OTHER)[T];
	cluster_sync();
}
KERNEL cluster_after_arrival_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64], other[64];

	s[T] = x[T % n];
	cluster_arrive();
	other[T] = 2.0f;
	cluster_wait();
	if (T < 32 && blockIdx.x == 0)
		y[T] = cluster_map(s, OTHER)[T] + other[T];
	cluster_sync();
}

KERNEL cluster_atomic_and_plain(const float *x, float *y, int *flags, int n)
{
	__shared__ int count;

	if (T == 0)
		count = 0;
	cluster_sync();
	atomicAdd(cluster_map(&count, 0), 1);
	__syncthreads();
	if (T == 0 && blockIdx.x == 0)
		y[0] = (float)count;                            /* BUG */
	cluster_sync();
}
KERNEL cluster_atomic_and_plain_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ int count;

	if (T == 0)
		count = 0;
	cluster_sync();
	atomicAdd(cluster_map(&count, 0), 1);
	cluster_sync();
	if (T == 0 && blockIdx.x == 0)
		y[0] = (float)count;
}

/* One thread of a block waits for the others of its block, which wait for the cluster. */
KERNEL cluster_divergent(const float *x, float *y, int *flags, int n)
{
	if (T == 0)
		__syncthreads();                                /* BUG */
	cluster_sync();
	if (T < 32 && blockIdx.x == 0)
		y[T] = x[T];
}
KERNEL cluster_divergent_clean(const float *x, float *y, int *flags, int n)
{
	__syncthreads();
	cluster_sync();
	if (T < 32 && blockIdx.x == 0)
		y[T] = x[T];
}

/* --- how long shared memory is there --- */

KERNEL cluster_returned(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	cluster_sync();
	if (T < 32 && blockIdx.x == 0)
		y[T] = cluster_map(s, OTHER)[T];                /* BUG */
}
KERNEL cluster_returned_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	cluster_sync();
	if (T < 32 && blockIdx.x == 0)
		y[T] = cluster_map(s, OTHER)[T];
	cluster_sync();
}

/* The block that reads may be the one that arrives last, but its own block waits for nobody. */
KERNEL cluster_returned_arrived(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	cluster_sync();
	if (T < 32 && blockIdx.x == 0)
		y[T] = cluster_map(s, OTHER)[T];                /* BUG */
	cluster_arrive();
}
KERNEL cluster_returned_arrived_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	cluster_sync();
	if (T < 32 && blockIdx.x == 0)
		y[T] = cluster_map(s, OTHER)[T];
	cluster_arrive();
	if (blockIdx.x == 1)
		cluster_wait();
}

/* The other block may not have begun. */
KERNEL cluster_not_begun(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	cluster_map(s, OTHER)[T] = x[T % n];                    /* BUG */
	cluster_sync();
	if (T < 32 && blockIdx.x == 0)
		y[T] = s[T];
}
KERNEL cluster_not_begun_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	cluster_sync();
	cluster_map(s, OTHER)[T] = x[T % n];
	cluster_sync();
	if (T < 32 && blockIdx.x == 0)
		y[T] = s[T];
}

KERNEL oob_cluster(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	cluster_sync();
	if (T < 32 && blockIdx.x == 0)
		y[T] = cluster_map(s, OTHER)[T + 100];          /* BUG */
	cluster_sync();
}
KERNEL oob_cluster_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	cluster_sync();
	if (T < 32 && blockIdx.x == 0)
		y[T] = cluster_map(s, OTHER)[T + 10];
	cluster_sync();
}

/* --- asynchronous stores and copies between blocks --- */

KERNEL cluster_store_no_wait(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float s[32];
	__shared__ uint64_t full;

	if (T == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		mbarrier_expect(&full, BYTES);
	}
	cluster_sync();
	if (T < 32)
		async_store(cluster_map(&s[T], OTHER), x[T], cluster_map(&full, OTHER));
	if (T < 32 && blockIdx.x == 0)
		y[T] = s[T];                                    /* BUG */
	mbarrier_wait(&full, 0);
	cluster_sync();
}
KERNEL cluster_store_no_wait_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float s[32];
	__shared__ uint64_t full;

	if (T == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		mbarrier_expect(&full, BYTES);
	}
	cluster_sync();
	if (T < 32)
		async_store(cluster_map(&s[T], OTHER), x[T], cluster_map(&full, OTHER));
	mbarrier_wait(&full, 0);
	if (T < 32 && blockIdx.x == 0)
		y[T] = s[T];
	cluster_sync();
}

/* The barrier of the cluster does not wait for asynchronous data. */
KERNEL cluster_send_no_wait(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float from[32], to[32];
	__shared__ uint64_t full;

	if (T == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		mbarrier_expect(&full, BYTES);
	}
	if (T < 32)
		from[T] = x[T];
	async_bulk_fence();
	cluster_sync();
	if (T == 0)
		async_bulk_send(cluster_map(to, OTHER), from, BYTES, cluster_map(&full, OTHER));
	cluster_sync();
	if (T < 32 && blockIdx.x == 0)
		y[T] = to[T];                                   /* BUG */
	mbarrier_wait(&full, 0);
	cluster_sync();
}
KERNEL cluster_send_no_wait_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float from[32], to[32];
	__shared__ uint64_t full;

	if (T == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		mbarrier_expect(&full, BYTES);
	}
	if (T < 32)
		from[T] = x[T];
	async_bulk_fence();
	cluster_sync();
	if (T == 0)
		async_bulk_send(cluster_map(to, OTHER), from, BYTES, cluster_map(&full, OTHER));
	mbarrier_wait(&full, 0);
	if (T < 32 && blockIdx.x == 0)
		y[T] = to[T];
	cluster_sync();
}

/* The sender may write its memory again only once the receiver has waited. */
KERNEL cluster_send_rewritten(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float from[32], to[32];
	__shared__ uint64_t full;

	if (T == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		mbarrier_expect(&full, BYTES);
	}
	if (T < 32)
		from[T] = x[T];
	async_bulk_fence();
	cluster_sync();
	if (T == 0)
		async_bulk_send(cluster_map(to, OTHER), from, BYTES, cluster_map(&full, OTHER));
	__syncthreads();
	if (T < 32)
		from[T] = 0.0f;                                 /* BUG */
	mbarrier_wait(&full, 0);
	if (T < 32 && blockIdx.x == 0)
		y[T] = to[T];
	cluster_sync();
}
KERNEL cluster_send_rewritten_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float from[32], to[32];
	__shared__ uint64_t full;

	if (T == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		mbarrier_expect(&full, BYTES);
	}
	if (T < 32)
		from[T] = x[T];
	async_bulk_fence();
	cluster_sync();
	if (T == 0)
		async_bulk_send(cluster_map(to, OTHER), from, BYTES, cluster_map(&full, OTHER));
	mbarrier_wait(&full, 0);
	cluster_sync();
	if (T < 32)
		from[T] = 0.0f;
	if (T < 32 && blockIdx.x == 0)
		y[T] = to[T];
}

/* The sender returns while its memory is still being read. */
KERNEL cluster_send_returned(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float from[32], to[32];
	__shared__ uint64_t full;

	if (T == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		mbarrier_expect(&full, BYTES);
	}
	if (T < 32)
		from[T] = x[T];
	async_bulk_fence();
	cluster_sync();
	if (T == 0 && cluster_rank() == 0)
		async_bulk_send(cluster_map(to, 1), from, BYTES, cluster_map(&full, 1)); /* BUG */
	if (cluster_rank() == 0)
		return;
	mbarrier_wait(&full, 0);
	if (T < 32)
		y[T] = to[T];
}
KERNEL cluster_send_returned_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float from[32], to[32];
	__shared__ uint64_t full;

	if (T == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		mbarrier_expect(&full, BYTES);
	}
	if (T < 32)
		from[T] = x[T];
	async_bulk_fence();
	cluster_sync();
	if (T == 0 && cluster_rank() == 0)
		async_bulk_send(cluster_map(to, 1), from, BYTES, cluster_map(&full, 1));
	if (cluster_rank() == 1) {
		mbarrier_wait(&full, 0);
		if (T < 32)
			y[T] = to[T];
	}
	cluster_sync();
}

/* Each block has to wait for its own part of a load for all. */
KERNEL cluster_load_one_waits(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float s[32];
	__shared__ uint64_t full;

	if (T == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		mbarrier_expect(&full, BYTES);
	}
	cluster_sync();
	if (T == 0 && cluster_rank() == 0)
		async_bulk_load_to(s, x, BYTES, &full, 3);
	if (cluster_rank() == 0)
		mbarrier_wait(&full, 0);
	cluster_sync();
	if (T < 32 && blockIdx.x == 1)
		y[T] = s[T];                                    /* BUG */
	if (cluster_rank() == 1)
		mbarrier_wait(&full, 0);
	cluster_sync();
}
KERNEL cluster_load_one_waits_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float s[32];
	__shared__ uint64_t full;

	if (T == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		mbarrier_expect(&full, BYTES);
	}
	cluster_sync();
	if (T == 0 && cluster_rank() == 0)
		async_bulk_load_to(s, x, BYTES, &full, 3);
	mbarrier_wait(&full, 0);
	if (T < 32 && blockIdx.x == 1)
		y[T] = s[T];
	cluster_sync();
}

/* A wait for the block does not see what another block did before it arrived. */
KERNEL cluster_narrow_wait(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];
	__shared__ uint64_t ready;

	if (T == 0) {
		mbarrier_init(&ready, 64);
		mbarrier_init_fence();
	}
	cluster_sync();
	cluster_map(s, OTHER)[T] = x[T % n];
	cluster_mbarrier_arrive(cluster_map(&ready, OTHER));
	mbarrier_wait(&ready, 0);
	if (T < 32 && blockIdx.x == 0)
		y[T] = s[63 - T];                               /* BUG */
	cluster_sync();
}
KERNEL cluster_narrow_wait_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];
	__shared__ uint64_t ready;

	if (T == 0) {
		mbarrier_init(&ready, 64);
		mbarrier_init_fence();
	}
	cluster_sync();
	cluster_map(s, OTHER)[T] = x[T % n];
	cluster_mbarrier_arrive(cluster_map(&ready, OTHER));
	cluster_mbarrier_wait(&ready, 0);
	if (T < 32 && blockIdx.x == 0)
		y[T] = s[63 - T];
	cluster_sync();
}

/* --- across clusters' barriers and flags --- */

/* What threads of the cluster did reaches whoever takes the ticket that one of them gives. */
KERNEL cluster_ticket(const float *x, float *y, int *flags, int n)
{
	__shared__ int last;

	if (T < 16)
		y[16 * cluster_rank() + T] = x[T];
	if (T == 0)
		last = 0;
	cluster_arrive();                                       /* without its wait */
	if (T == 0 && cluster_rank() == 0) {
		__threadfence();
		atomicAdd(&flags[0], 1);
	}
	if (T == 0 && cluster_rank() == 1) {
		while (atomicAdd(&flags[0], 0) == 0)
			;
		__threadfence();
		last = 1;
	}
	__syncthreads();
	if (cluster_rank() == 1 && T < 16 && last)
		y[40 + T] = y[T];                               /* BUG */
	cluster_wait();
}
KERNEL cluster_ticket_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ int last;

	if (T < 16)
		y[16 * cluster_rank() + T] = x[T];
	if (T == 0)
		last = 0;
	cluster_sync();
	if (T == 0 && cluster_rank() == 0) {
		__threadfence();
		atomicAdd(&flags[0], 1);
	}
	if (T == 0 && cluster_rank() == 1) {
		while (atomicAdd(&flags[0], 0) == 0)
			;
		__threadfence();
		last = 1;
	}
	__syncthreads();
	if (cluster_rank() == 1 && T < 16 && last)
		y[40 + T] = y[T];
}
