/* async.h - asynchronous copies and barriers that wait for them, for kernels on both devices.
 *
 * A kernel includes it as "sim/cuda/async.h", for the simulator as well as for nvcc. On the
 * simulator a destination holds poison until the wait for its copy, so a missing wait shows, and
 * --check reports it. Copies of 4, 8 and 16 bytes need sm_80; the rest needs sm_90, and traps
 * before. Tensor maps are left out; clusters are in sim/cuda/cluster.h. A barrier is a uint64_t in
 * shared memory.
 *
 * Copies of 4, 8 or 16 bytes, from global to shared memory, in groups of one thread:
 *   async_copy16(to, from)             addresses are multiples of 16; also async_copy4, async_copy8
 *   async_copy16_part(to, from, n)     n bytes of the source, then zeros
 *   async_copy16_once(to, at, from, there)   16 bytes to to + at, zeros unless `there`; the source
 *                                      is not read again soon: an L2 cache gives it up before
 *                                      all else. A GPU needs another `to` in each thread, and
 *                                      a constant `at` or one that differs: see the function
 *   async_commit()                     ends the thread's group
 *   async_wait(n)                      until at most n groups are pending; n: a constant
 *   async_arrive(barrier)              an arrival once the thread's copies so far are complete
 *
 * Barriers, whose phases have parity 0, 1, 0 and so on:
 *   mbarrier_init(barrier, count)      by one thread, with a __syncthreads() before others use it
 *   mbarrier_init_fence()              after it, by the same thread
 *   mbarrier_arrive(barrier)           one of the arrivals that a phase needs
 *   mbarrier_expect(barrier, bytes)    the same; the phase also needs that many copied bytes
 *   mbarrier_test(barrier, parity)     whether the phase of this parity is complete
 *   mbarrier_wait(barrier, parity)     until it is
 *
 * Bulk copies by one thread; addresses and sizes are multiples of 16:
 *   async_bulk_load(to, from, bytes, barrier)      global to shared memory
 *   async_bulk_load_once(to, from, bytes, barrier) the same, of what is not read again soon: an L2
 *                                      cache gives it up before all else
 *   async_bulk_store(to, from, bytes)  shared to global memory, in groups of one thread
 *   async_bulk_fence()                 after writes that a bulk copy is to read
 *   async_bulk_commit()                ends the thread's group of stores
 *   async_bulk_wait(n)                 until at most n groups are pending; n: a constant
 *   async_bulk_wait_read(n)            until at most n have yet to read their sources
 */
#ifndef SIM_ASYNC_COPIES_H
#define SIM_ASYNC_COPIES_H

#ifdef FLASHTWIN_SIM

#pragma GCC system_header
#include "sim/cuda/mbarrier.h"

#define async_copy4(to, from)  ft_async_copy((to), (from), 4, 0)
#define async_copy8(to, from)  ft_async_copy((to), (from), 8, 0)
#define async_copy16(to, from) ft_async_copy((to), (from), 16, 0)
#define async_copy16_part(to, from, n) ft_async_copy((to), (from), 16, 16 - (size_t)(n))
#define async_copy16_once(to, at, from, there) \
	ft_async_copy((char *)(to) + (at), (from), 16, (there) ? 0 : 16)
#define async_commit()         ft_async_commit()
#define async_wait(n)          ft_async_wait(n)
#define async_arrive(barrier)  ft_mbarrier_arrive_copied(barrier)

#define mbarrier_init(barrier, count) ft_mbarrier_init((barrier), (count))
#define mbarrier_init_fence()  ft_cluster_fence()
#define mbarrier_arrive(barrier) ((void)ft_mbarrier_change((barrier), 1, 0, 0, 0))
#define mbarrier_expect(barrier, bytes) \
	((void)ft_mbarrier_change((barrier), 1, 0, (int)(bytes), 0))
#define mbarrier_test(barrier, parity) \
	ft_mbarrier_try(FT_SITE("mbarrier_test"), (barrier), (parity))
#define mbarrier_wait(barrier, parity) \
	ft_mbarrier_wait(FT_SITE("mbarrier_wait"), (barrier), (parity))

#define async_bulk_load(to, from, bytes, barrier) ft_bulk_load((to), (from), (bytes), (barrier))
#define async_bulk_load_once(to, from, bytes, barrier) \
	ft_bulk_load((to), (from), (bytes), (barrier))
#define async_bulk_store(to, from, bytes) ft_bulk_copy((to), (from), (bytes), NULL)
#define async_bulk_fence()     ((void)0)
#define async_bulk_commit()    ft_bulk_commit()
#define async_bulk_wait(n)     ft_bulk_wait(n)
#define async_bulk_wait_read(n) ft_bulk_wait(n)

#else

#include <stdint.h>

#define ASYNC_FN static __device__ __forceinline__

ASYNC_FN unsigned async_shared(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
ASYNC_FN void async_copy4(void *to, const void *from)
{
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
		     :: "r"(async_shared(to)), "l"(__cvta_generic_to_global(from)) : "memory");
}
ASYNC_FN void async_copy8(void *to, const void *from)
{
	asm volatile("cp.async.ca.shared.global [%0], [%1], 8;"
		     :: "r"(async_shared(to)), "l"(__cvta_generic_to_global(from)) : "memory");
}
ASYNC_FN void async_copy16(void *to, const void *from)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
		     :: "r"(async_shared(to)), "l"(__cvta_generic_to_global(from)) : "memory");
}
ASYNC_FN void async_copy16_part(void *to, const void *from, unsigned n)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
		     :: "r"(async_shared(to)), "l"(__cvta_generic_to_global(from)), "r"(n)
		     : "memory");
}
/* The address is a sum of integers: from a sum of pointers, nvcc 13.0 makes an instruction with a
 * uniform register too many, which is illegal (CUDA_ERROR_ILLEGAL_INSTRUCTION). It also does where
 * it finds a part of the sum that is the same in all threads, and no constant, such as the address
 * of a shared array. */
ASYNC_FN void async_copy16_once(void *to, unsigned at, const void *from, bool there)
{
	asm volatile("{ .reg .pred ignored; .reg .b64 policy; setp.eq.u32 ignored, %2, 0;"
		     " createpolicy.fractional.L2::evict_first.b64 policy, 1.0;"
		     " cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, ignored, policy; }"
		     :: "r"(async_shared(to) + at), "l"(__cvta_generic_to_global(from)),
			"r"((unsigned)there) : "memory");
}
ASYNC_FN void async_commit(void) { asm volatile("cp.async.commit_group;" ::: "memory"); }
#define async_wait(n) asm volatile("cp.async.wait_group %0;" :: "n"(n) : "memory")

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define ASYNC_SM90(...) asm volatile(__VA_ARGS__)
#else
#define ASYNC_SM90(...) __trap()
#endif

ASYNC_FN void async_arrive(uint64_t *barrier)
{
	ASYNC_SM90("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];"
		   :: "r"(async_shared(barrier)) : "memory");
}
ASYNC_FN void mbarrier_init(uint64_t *barrier, unsigned count)
{
	ASYNC_SM90("mbarrier.init.shared.b64 [%0], %1;"
		   :: "r"(async_shared(barrier)), "r"(count) : "memory");
}
ASYNC_FN void mbarrier_init_fence(void)
{
	ASYNC_SM90("fence.mbarrier_init.release.cluster;" ::: "memory");
	ASYNC_SM90("fence.proxy.async.shared::cta;" ::: "memory");
}
ASYNC_FN void mbarrier_arrive(uint64_t *barrier)
{
	ASYNC_SM90("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }"
		   :: "r"(async_shared(barrier)) : "memory");
}
ASYNC_FN void mbarrier_expect(uint64_t *barrier, unsigned bytes)
{
	ASYNC_SM90("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }"
		   :: "r"(async_shared(barrier)), "r"(bytes) : "memory");
}
#define ASYNC_ASK(name, instruction) \
	ASYNC_FN bool name(uint64_t *barrier, bool parity) \
	{ \
		unsigned done = 1; \
		ASYNC_SM90("{ .reg .pred p; mbarrier." instruction \
			   ".parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" \
			   : "=r"(done) \
			   : "r"(async_shared(barrier)), "r"((unsigned)parity) : "memory"); \
		return done != 0; \
	}
ASYNC_ASK(mbarrier_test, "test_wait")
ASYNC_ASK(mbarrier_try, "try_wait")
#undef ASYNC_ASK
ASYNC_FN void mbarrier_wait(uint64_t *barrier, bool parity)
{
	while (!mbarrier_try(barrier, parity))
		;
}

ASYNC_FN void async_bulk_load(void *to, const void *from, unsigned bytes, uint64_t *barrier)
{
	ASYNC_SM90("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
		   " [%0], [%1], %2, [%3];"
		   :: "r"(async_shared(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes),
		      "r"(async_shared(barrier)) : "memory");
}
ASYNC_FN void async_bulk_load_once(void *to, const void *from, unsigned bytes, uint64_t *barrier)
{
	ASYNC_SM90("{ .reg .b64 policy;"
		   " createpolicy.fractional.L2::evict_first.b64 policy, 1.0;"
		   " cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
		   ".L2::cache_hint [%0], [%1], %2, [%3], policy; }"
		   :: "r"(async_shared(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes),
		      "r"(async_shared(barrier)) : "memory");
}
ASYNC_FN void async_bulk_store(void *to, const void *from, unsigned bytes)
{
	ASYNC_SM90("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
		   :: "l"(__cvta_generic_to_global(to)), "r"(async_shared(from)), "r"(bytes)
		   : "memory");
}
ASYNC_FN void async_bulk_fence(void)
{
	ASYNC_SM90("fence.proxy.async.shared::cta;" ::: "memory");
}
ASYNC_FN void async_bulk_commit(void)
{
	ASYNC_SM90("cp.async.bulk.commit_group;" ::: "memory");
}
#define async_bulk_wait(n) ASYNC_SM90("cp.async.bulk.wait_group %0;" :: "n"(n) : "memory")
#define async_bulk_wait_read(n) \
	ASYNC_SM90("cp.async.bulk.wait_group.read %0;" :: "n"(n) : "memory")

#undef ASYNC_FN
#endif
#endif
