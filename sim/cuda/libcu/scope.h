/* scope.h - thread scopes of CUDA's C++ library, their fences, and atomics of a scope.
 *
 * Part of <cuda/atomic>, <cuda/barrier> and <cuda/pipeline>. In host code, scopes are all the same.
 */
#ifndef SIM_LIBCU_SCOPE_H
#define SIM_LIBCU_SCOPE_H

#include <atomic>

namespace cuda {

enum thread_scope {
	thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread = 10
};

using ::std::memory_order;
using ::std::memory_order_relaxed;
using ::std::memory_order_consume;
using ::std::memory_order_acquire;
using ::std::memory_order_release;
using ::std::memory_order_acq_rel;
using ::std::memory_order_seq_cst;

#ifdef FLASHTWIN_HOST
template <thread_scope S> static inline void ft_scope_fence()
	{ __atomic_thread_fence(__ATOMIC_SEQ_CST); }

template <thread_scope S, class T, class F> static inline T ft_scope_change(T *p, F change)
{
	T old, changed;

	__atomic_load(p, &old, __ATOMIC_SEQ_CST);
	do {
		changed = change(old);
	} while (!__atomic_compare_exchange(p, &old, &changed, 0, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST));
	return old;
}

template <thread_scope S, class T> static inline T ft_scope_load(const T *p)
{
	T value;

	__atomic_load(p, &value, __ATOMIC_SEQ_CST);
	return value;
}

template <thread_scope S, class T> static inline void ft_scope_store(T *p, T value)
{
	__atomic_store(p, &value, __ATOMIC_SEQ_CST);
}
#else
template <thread_scope S> static inline void ft_scope_fence()
	{ ft_fence(S == thread_scope_device || S == thread_scope_system); }

/* Replaces *p by change(old), and returns the old value; the memory orders say the scope, as in
 * sim/cuda/cuda_atomic.h. */
template <thread_scope S, class T, class F> static inline T ft_scope_change(T *p, F change)
{
	constexpr bool block = S == thread_scope_block || S == thread_scope_thread;

	return ft_atomic<block ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED,
			 block ? __ATOMIC_ACQ_REL : __ATOMIC_SEQ_CST, __ATOMIC_RELAXED>(p, change);
}

/* As a change to the same value, which the checker takes for a read. */
template <thread_scope S, class T> static inline T ft_scope_load(const T *p)
{
	return ft_scope_change<S>((T *)p, [](T old) -> T { return old; });
}

template <thread_scope S, class T> static inline void ft_scope_store(T *p, T value)
{
	constexpr bool block = S == thread_scope_block || S == thread_scope_thread;

	ft_yield();
	__atomic_store(p, &value, block ? __ATOMIC_RELEASE : __ATOMIC_SEQ_CST);
}
#endif

/* The fence before, or after, an atomic of this order. */
template <thread_scope S> static inline void ft_release(memory_order order)
{
	if (order == memory_order_release || order == memory_order_acq_rel
	    || order == memory_order_seq_cst)
		ft_scope_fence<S>();
}
template <thread_scope S> static inline void ft_acquire(memory_order order)
{
	if (order != memory_order_release && order != memory_order_relaxed)
		ft_scope_fence<S>();
}

}

#endif
