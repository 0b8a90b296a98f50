/* cluster.h - clusters of blocks, for kernels on both devices.
 *
 * A kernel includes it as "sim/cuda/cluster.h", for the simulator as well as for nvcc. The launch
 * says how many blocks a cluster has (struct launch of engine/device.h). They run at the same time,
 * and reach each other's shared memory. All of this needs sm_90: before, a cluster has one block,
 * and what reaches others traps. Tensor maps are left out.
 *
 *   cluster_rank()               of the block in its cluster, from 0 on
 *   cluster_size()               how many blocks its cluster has
 *   cluster_sync()               waits until all threads of the cluster are here: an arrival and
 *                                a wait. What they did before is then there for all of them.
 *   cluster_arrive()             arrives, without waiting; every thread then has to wait once
 *   cluster_arrive_relaxed()     the same, but releases nothing, except what fences did
 *   cluster_wait()               waits for the arrival of all threads
 *   cluster_map(p, rank)         where block `rank` has what p is in this block's shared memory: a
 *                                pointer for loads, stores and atomics
 *
 * A block may only return when no other one will use its shared memory any more: a cluster_sync()
 * at the end sees to that. The first use of another block's shared memory comes after one, too:
 * that block may not have begun.
 *
 * With barriers of sim/cuda/async.h; `to` and `barrier` are of cluster_map() and in one block,
 * whose threads wait there and have called mbarrier_expect() for the bytes:
 *   cluster_mbarrier_arrive(barrier)               one of the arrivals that a phase needs
 *   cluster_mbarrier_wait(barrier, parity)         mbarrier_wait() that also sees what threads of
 *                                                  other blocks did before they arrived
 *   async_store(to, value, barrier)                stores a value of 4, 8 or 16 bytes
 *   async_bulk_send(to, from, bytes, barrier)      copies shared memory of this block
 *   async_bulk_load_to(to, from, bytes, barrier, ranks)   copies global memory to the same place in
 *                                                  each block whose bit is set in `ranks`, for the
 *                                                  same barrier there; to, barrier: of this block
 */
#ifndef SIM_CLUSTER_H
#define SIM_CLUSTER_H

#include "sim/cuda/async.h"

#ifdef FLASHTWIN_SIM

/* Functions, because a cooperative group has a member of this name. */
FT_MBARRIER unsigned cluster_rank(void) { return ft_cluster_rank(); }
FT_MBARRIER unsigned cluster_size(void) { return ft_cluster_size(); }

#define cluster_arrive() ft_cluster_arrive(FT_SITE("cluster_arrive"), 1)
#define cluster_arrive_relaxed() ft_cluster_arrive(FT_SITE("cluster_arrive_relaxed"), 0)
#define cluster_wait() ft_cluster_wait(FT_SITE("cluster_wait"))
#define cluster_sync() ft_cluster_sync(FT_SITE("cluster_sync"))
#define cluster_map(p, rank) ((__typeof__(&*(p)))ft_cluster_map((p), (rank)))

#define cluster_mbarrier_arrive(barrier) \
	((void)ft_mbarrier_change_in(1, (barrier), 1, 0, 0, 0))
#define cluster_mbarrier_wait(barrier, parity) \
	ft_mbarrier_wait_in(1, FT_SITE("cluster_mbarrier_wait"), (barrier), (parity))
#define async_store(to, value, barrier) ({ \
	__typeof__(*(to)) ft_value_ = (value); \
	ft_bulk_put((to), &ft_value_, sizeof ft_value_, (barrier)); })
#define async_bulk_send(to, from, bytes, barrier) ft_bulk_load((to), (from), (bytes), (barrier))
#define async_bulk_load_to(to, from, bytes, barrier, ranks) \
	ft_bulk_load_to((to), (from), (bytes), (barrier), (ranks))

#else

#define CLUSTER_FN static __device__ __forceinline__
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define CLUSTER_SM90(...) asm volatile(__VA_ARGS__)
#define CLUSTER_BARRIER(instruction) asm volatile(instruction ::: "memory")
#else
#define CLUSTER_SM90(...) __trap()
#define CLUSTER_BARRIER(instruction) __syncthreads()
#endif

CLUSTER_FN unsigned cluster_rank(void)
{
	unsigned rank = 0;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
	return rank;
}
CLUSTER_FN unsigned cluster_size(void)
{
	unsigned size = 1;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
	asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
#endif
	return size;
}
CLUSTER_FN void cluster_arrive(void) { CLUSTER_BARRIER("barrier.cluster.arrive.release;"); }
CLUSTER_FN void cluster_arrive_relaxed(void)
{
	CLUSTER_SM90("barrier.cluster.arrive.relaxed;");
}
CLUSTER_FN void cluster_wait(void) { CLUSTER_BARRIER("barrier.cluster.wait.acquire;"); }
CLUSTER_FN void cluster_sync(void)
{
	cluster_arrive();
	cluster_wait();
}
template <class T> CLUSTER_FN T *cluster_map(T *p, unsigned rank)
{
	T *mapped = p;

	CLUSTER_SM90("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(p), "r"(rank));
	return mapped;
}

CLUSTER_FN void cluster_mbarrier_arrive(uint64_t *barrier)
{
	CLUSTER_SM90("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
		     :: "r"(async_shared(barrier)) : "memory");
}
CLUSTER_FN void cluster_mbarrier_wait(uint64_t *barrier, bool parity)
{
	unsigned done = 0;

	do {
		CLUSTER_SM90("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta"
			     ".b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
			     : "=r"(done) : "r"(async_shared(barrier)), "r"((unsigned)parity)
			     : "memory");
	} while (!done);
}

/* By the size of the value. */
template <unsigned bytes> struct async_store_of;
#define ASYNC_STORE_OF(bytes, word, kind, operands, ...) \
	template <> struct async_store_of<bytes> { \
		static __device__ __forceinline__ void put(void *to, const void *value, \
							   uint64_t *barrier) \
		{ \
			word v; \
			memcpy(&v, value, bytes); \
			CLUSTER_SM90("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes" \
				     kind " [%0], " operands ", [%1];" \
				     :: "r"(async_shared(to)), "r"(async_shared(barrier)), \
					__VA_ARGS__ : "memory"); \
		} \
	};
ASYNC_STORE_OF(4, unsigned, ".b32", "%2", "r"(v))
ASYNC_STORE_OF(8, unsigned long long, ".b64", "%2", "l"(v))
ASYNC_STORE_OF(16, uint4, ".v4.b32", "{%2, %3, %4, %5}", "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w))
#undef ASYNC_STORE_OF
template <class T> struct async_plain { typedef T type; };
template <class T> CLUSTER_FN void async_store(T *to, typename async_plain<T>::type value,
					       uint64_t *barrier)
{
	async_store_of<sizeof value>::put(to, &value, barrier);
}

CLUSTER_FN void async_bulk_send(void *to, const void *from, unsigned bytes, uint64_t *barrier)
{
	CLUSTER_SM90("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
		     " [%0], [%1], %2, [%3];"
		     :: "r"(async_shared(to)), "r"(async_shared(from)), "r"(bytes),
			"r"(async_shared(barrier)) : "memory");
}
CLUSTER_FN void async_bulk_load_to(void *to, const void *from, unsigned bytes, uint64_t *barrier,
				   unsigned ranks)
{
	CLUSTER_SM90("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
		     ".multicast::cluster [%0], [%1], %2, [%3], %4;"
		     :: "r"(async_shared(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes),
			"r"(async_shared(barrier)), "h"((unsigned short)ranks) : "memory");
}

#undef CLUSTER_BARRIER
#undef CLUSTER_FN
#endif
#endif
