/* atomic.h - cuda::atomic, cuda::atomic_ref and cuda::std::atomic; see <cuda/atomic>.
 *
 * An operation is an atomic of the scope between the fences that its order asks for, as nvcc
 * compiles it, so that the checker sees what it sees in CUDA C.
 */
#ifndef SIM_LIBCU_ATOMIC_H
#define SIM_LIBCU_ATOMIC_H

#include "sim/cuda/libcu/scope.h"

namespace cuda {

/* The operations on an object that at() of the derived class points to. */
template <class Derived, class T, thread_scope S> class ft_atomic_operations {
	T *place() const { return static_cast<const Derived *>(this)->at(); }
	template <class F> T change(F change, memory_order order) const
	{
		ft_release<S>(order);
		T old = ft_scope_change<S>(place(), change);
		ft_acquire<S>(order);
		return old;
	}
	static bool same(const T &a, const T &b) { return memcmp(&a, &b, sizeof a) == 0; }
public:
	using value_type = T;

	T load(memory_order order = memory_order_seq_cst) const
	{
		if (order == memory_order_seq_cst)
			ft_scope_fence<S>();
		T value = ft_scope_load<S>((const T *)place());
		ft_acquire<S>(order);
		return value;
	}
	void store(T value, memory_order order = memory_order_seq_cst) const
	{
		ft_release<S>(order);
		ft_scope_store<S>(place(), value);
		if (order == memory_order_seq_cst)
			ft_scope_fence<S>();
	}
	T exchange(T value, memory_order order = memory_order_seq_cst) const
		{ return change([value](T) -> T { return value; }, order); }
	bool compare_exchange_strong(T &expected, T value,
				     memory_order order = memory_order_seq_cst) const
	{
		T wanted = expected;

		expected = change([wanted, value](T old) -> T
				  { return same(old, wanted) ? value : old; }, order);
		return same(expected, wanted);
	}
	bool compare_exchange_strong(T &expected, T value, memory_order order, memory_order) const
		{ return compare_exchange_strong(expected, value, order); }
	bool compare_exchange_weak(T &expected, T value,
				   memory_order order = memory_order_seq_cst) const
		{ return compare_exchange_strong(expected, value, order); }
	bool compare_exchange_weak(T &expected, T value, memory_order order, memory_order) const
		{ return compare_exchange_strong(expected, value, order); }
#define FT_FETCH(name, result) \
	T fetch_##name(T v, memory_order order = memory_order_seq_cst) const \
		{ return change([v](T old) -> T { return result; }, order); }
	FT_FETCH(add, old + v)
	FT_FETCH(sub, old - v)
	FT_FETCH(and, old & v)
	FT_FETCH(or, old | v)
	FT_FETCH(xor, old ^ v)
	FT_FETCH(min, v < old ? v : old)
	FT_FETCH(max, old < v ? v : old)
#undef FT_FETCH
	T operator=(T value) const { store(value); return value; }
	operator T() const { return load(); }
	T operator++() const { return fetch_add(T(1)) + T(1); }
	T operator--() const { return fetch_sub(T(1)) - T(1); }
	T operator++(int) const { return fetch_add(T(1)); }
	T operator--(int) const { return fetch_sub(T(1)); }
	T operator+=(T v) const { return fetch_add(v) + v; }
	T operator-=(T v) const { return fetch_sub(v) - v; }
	T operator&=(T v) const { return fetch_and(v) & v; }
	T operator|=(T v) const { return fetch_or(v) | v; }
	T operator^=(T v) const { return fetch_xor(v) ^ v; }
	bool is_lock_free() const { return true; }
	void wait(T old, memory_order order = memory_order_seq_cst) const
	{
		while (same(load(order), old))
			;
	}
	void notify_one() const { }
	void notify_all() const { }
};

template <class T, thread_scope S = thread_scope_system>
class atomic : public ft_atomic_operations<atomic<T, S>, T, S> {
	friend class ft_atomic_operations<atomic<T, S>, T, S>;
	alignas(sizeof(T)) T value_;
	T *at() const { return const_cast<T *>(&value_); }
public:
	atomic() = default;
	constexpr atomic(T value) : value_(value) { }
	atomic(const atomic &) = delete;
	atomic &operator=(const atomic &) = delete;
	using ft_atomic_operations<atomic<T, S>, T, S>::operator=;
	static constexpr bool is_always_lock_free = true;
};

template <class T, thread_scope S = thread_scope_system>
class atomic_ref : public ft_atomic_operations<atomic_ref<T, S>, T, S> {
	friend class ft_atomic_operations<atomic_ref<T, S>, T, S>;
	T *value_;
	T *at() const { return value_; }
public:
	explicit atomic_ref(T &value) : value_(&value) { }
	using ft_atomic_operations<atomic_ref<T, S>, T, S>::operator=;
};

static inline void atomic_thread_fence(memory_order order,
				       thread_scope scope = thread_scope_system)
{
	if (order == memory_order_relaxed)
		return;
	if (scope == thread_scope_block || scope == thread_scope_thread)
		ft_scope_fence<thread_scope_block>();
	else
		ft_scope_fence<thread_scope_device>();
}

namespace std {
template <class T> using atomic = ::cuda::atomic<T, thread_scope_system>;
template <class T> using atomic_ref = ::cuda::atomic_ref<T, thread_scope_system>;
}

}

#endif
