/* memory.h - PTX's loads, stores, atomics, fences, and asynchronous copies. Part of
 * sim/cuda/ptx.h.
 */
#ifndef SIM_PTX_MEMORY_H
#define SIM_PTX_MEMORY_H

/* --- addresses --- */

/* Addresses in shared memory begin after what an sm_90 keeps for itself. */
#define FT_PTX_SHARED_FIRST 1024u

FT_PTX void *ft_ptx_address(ft_reg base, uint64_t offset)
{
	return (void *)(uintptr_t)(base.bits + offset);
}
FT_PTX void *ft_ptx_address(ft_reg base, ft_reg offset)
{
	return ft_ptx_address(base, offset.bits);
}
FT_PTX void *ft_ptx_shared(ft_reg base, uint64_t offset)
{
	return (unsigned char *)ft_shared_at(0)
		+ (int64_t)((uint32_t)(base.bits + offset) - (uint64_t)FT_PTX_SHARED_FIRST);
}
FT_PTX void *ft_ptx_shared(ft_reg base, ft_reg offset) { return ft_ptx_shared(base, offset.bits); }
FT_PTX uint64_t ft_ptx_to_shared(uint64_t generic)
{
	return (uint32_t)(generic - (uintptr_t)ft_shared_at(0) + FT_PTX_SHARED_FIRST);
}
FT_PTX uint64_t ft_ptx_from_shared(uint64_t shared)
{
	return (uintptr_t)ft_ptx_shared(ft_reg(shared), 0);
}
FT_PTX bool ft_ptx_is_shared(uint64_t generic)
{
	return generic - (uintptr_t)ft_shared_at(0) < ft_shared_bytes();
}
FT_PTX void ft_ptx_prefetch(const void *) { }
/* Cache policies have no effect. These are the values that CUTLASS has for an sm_90. */
#define FT_PTX_POLICY(priority, bits) \
	FT_PTX uint64_t ft_ptx_createpolicy_fractional_L2_##priority##_b64(float = 1.0f) \
		{ return bits##ull << 48; }
FT_PTX_POLICY(evict_first, 0x12f0)
FT_PTX_POLICY(evict_last, 0x14f0)
FT_PTX_POLICY(evict_normal, 0x1000)
FT_PTX_POLICY(evict_unchanged, 0x1000)
#undef FT_PTX_POLICY

/* CUDA's functions for the same. */
FT_PTX size_t __cvta_generic_to_shared(const void *p) { return ft_ptx_to_shared((uintptr_t)p); }
FT_PTX size_t __cvta_generic_to_global(const void *p) { return (uintptr_t)p; }
FT_PTX void *__cvta_shared_to_generic(size_t p) { return (void *)ft_ptx_from_shared(p); }
FT_PTX void *__cvta_global_to_generic(size_t p) { return (void *)p; }
FT_PTX unsigned __isShared(const void *p) { return ft_ptx_is_shared((uintptr_t)p); }

/* --- loads and stores --- */

template <class T> FT_PTX T ft_ptx_ld(const void *p) { return *(const T *)p; }
template <class T> FT_PTX void ft_ptx_st(void *p, T v) { *(T *)p = v; }

/* One access of all elements. */
template <class T, int N> struct __attribute__((aligned(N * sizeof(T)))) ft_ptx_vector { T at[N]; };
template <class T, int N> FT_PTX void ft_ptx_ld_vector(ft_places<N> to, const void *p)
{
	const ft_ptx_vector<T, N> v = *(const ft_ptx_vector<T, N> *)p;

	for (int i = 0; i < N; i++)
		to.at[i]->put(v.at[i]);
}
template <class T, int N> FT_PTX void ft_ptx_st_vector(void *p, ft_values<N> from)
{
	ft_ptx_vector<T, N> v;

	for (int i = 0; i < N; i++)
		v.at[i] = from.at[i].template as<T>();
	*(ft_ptx_vector<T, N> *)p = v;
}

/* Lets other threads run, because it may be in a loop that waits for them. */
template <class T> FT_PTX T ft_ptx_ld_volatile(const void *p)
{
	ft_yield();
	return *(const volatile T *)p;
}
template <class T> FT_PTX void ft_ptx_st_volatile(void *p, T v) { *(volatile T *)p = v; }
template <class T, int N> FT_PTX void ft_ptx_ld_volatile_vector(ft_places<N> to, const void *p)
{
	ft_yield();
	for (int i = 0; i < N; i++)
		to.at[i]->put(((const volatile T *)p)[i]);
}
template <class T, int N> FT_PTX void ft_ptx_st_volatile_vector(void *p, ft_values<N> from)
{
	for (int i = 0; i < N; i++)
		((volatile T *)p)[i] = from.at[i].template as<T>();
}

/* The order SEQ_CST tells the checker that the load is an access of its own
 * (sim/check/check_hooks.c). */
template <class T> FT_PTX T ft_ptx_ld_relaxed(const void *p)
{
	T v;

	ft_yield();
	__atomic_load((const T *)p, &v, __ATOMIC_SEQ_CST);
	return v;
}
template <class T> FT_PTX void ft_ptx_st_relaxed(void *p, T v)
{
	ft_yield();
	__atomic_store((T *)p, &v, __ATOMIC_RELAXED);
}
FT_PTX void ft_ptx_fence() { ft_fence(1); }
FT_PTX void ft_ptx_fence_cta() { ft_fence(0); }
#define FT_PTX_ORDERED(scope) \
	template <class T> FT_PTX T ft_ptx_ld_acquire##scope(const void *p) \
	{ \
		T v = ft_ptx_ld_relaxed<T>(p); \
		ft_ptx_fence##scope(); \
		return v; \
	} \
	template <class T> FT_PTX void ft_ptx_st_release##scope(void *p, T v) \
	{ \
		ft_ptx_fence##scope(); \
		ft_ptx_st_relaxed<T>(p, v); \
	}
FT_PTX_ORDERED()
FT_PTX_ORDERED(_cta)
#undef FT_PTX_ORDERED

/* --- atomics --- */

#define FT_PTX_ATOMIC(name, call, block_call) \
	template <class T> FT_PTX T ft_ptx_atom_##name(void *p, T v) { return call((T *)p, v); } \
	template <class T> FT_PTX T ft_ptx_atom_cta_##name(void *p, T v) \
		{ return block_call((T *)p, v); } \
	template <class T> FT_PTX void ft_ptx_red_##name(void *p, T v) { call((T *)p, v); } \
	template <class T> FT_PTX void ft_ptx_red_cta_##name(void *p, T v) \
		{ block_call((T *)p, v); } \
	template <class T> FT_PTX void ft_ptx_red_release_##name(void *p, T v) \
		{ ft_fence(1); call((T *)p, v); } \
	template <class T> FT_PTX T ft_ptx_atom_release_##name(void *p, T v) \
		{ ft_fence(1); return call((T *)p, v); } \
	template <class T> FT_PTX T ft_ptx_atom_acquire_##name(void *p, T v) \
		{ T old = call((T *)p, v); ft_fence(1); return old; } \
	template <class T> FT_PTX T ft_ptx_atom_acq_rel_##name(void *p, T v) \
		{ ft_fence(1); T old = call((T *)p, v); ft_fence(1); return old; }
FT_PTX_ATOMIC(add, atomicAdd, atomicAdd_block)
FT_PTX_ATOMIC(min, atomicMin, atomicMin_block)
FT_PTX_ATOMIC(max, atomicMax, atomicMax_block)
FT_PTX_ATOMIC(and, atomicAnd, atomicAnd_block)
FT_PTX_ATOMIC(or, atomicOr, atomicOr_block)
FT_PTX_ATOMIC(xor, atomicXor, atomicXor_block)
FT_PTX_ATOMIC(exch, atomicExch, atomicExch_block)
FT_PTX_ATOMIC(inc, atomicInc, atomicInc_block)
FT_PTX_ATOMIC(dec, atomicDec, atomicDec_block)
#undef FT_PTX_ATOMIC
template <class T> FT_PTX T ft_ptx_atom_cas(void *p, T compare, T v)
	{ return atomicCAS((T *)p, compare, v); }
template <class T> FT_PTX T ft_ptx_atom_cta_cas(void *p, T compare, T v)
	{ return atomicCAS_block((T *)p, compare, v); }
template <class T> FT_PTX T ft_ptx_atom_release_cas(void *p, T compare, T v)
	{ ft_fence(1); return atomicCAS((T *)p, compare, v); }
template <class T> FT_PTX T ft_ptx_atom_acquire_cas(void *p, T compare, T v)
	{ T old = atomicCAS((T *)p, compare, v); ft_fence(1); return old; }
template <class T> FT_PTX T ft_ptx_atom_acq_rel_cas(void *p, T compare, T v)
	{ ft_fence(1); T old = atomicCAS((T *)p, compare, v); ft_fence(1); return old; }

/* --- asynchronous copies --- */

FT_PTX void ft_ptx_cp_async(void *to, const void *from, unsigned bytes)
{
	ft_async_copy(to, from, bytes, 0);
}
/* Of the source only the first `copied` bytes are read. */
FT_PTX void ft_ptx_cp_async(void *to, const void *from, unsigned bytes, unsigned copied)
{
	ft_async_copy(to, from, bytes, bytes - copied);
}
FT_PTX void ft_ptx_cp_async_commit_group() { ft_async_commit(); }
FT_PTX void ft_ptx_cp_async_wait_group(unsigned open) { ft_async_wait(open); }
FT_PTX void ft_ptx_cp_async_wait_all()
{
	ft_async_commit();
	ft_async_wait(0);
}
FT_PTX void ft_ptx_bulk_load(void *to, const void *from, unsigned bytes, void *barrier)
{
	ft_bulk_load(to, from, bytes, (uint64_t *)barrier);
}
FT_PTX void ft_ptx_bulk_store(void *to, const void *from, unsigned bytes)
{
	ft_bulk_copy(to, from, bytes, nullptr);
}
FT_PTX void ft_ptx_nothing() { }

/* --- barriers in shared memory --- */

FT_PTX void ft_ptx_mbarrier_init(void *barrier, unsigned count)
{
	ft_mbarrier_init((uint64_t *)barrier, count);
}
FT_PTX void ft_ptx_mbarrier_inval(void *barrier) { *(uint64_t *)barrier = 0; }
/* The state that an arrival returns is the word before it. */
FT_PTX uint64_t ft_ptx_mbarrier_arrive(void *barrier, unsigned count = 1)
{
	return ft_mbarrier_change((uint64_t *)barrier, count, 0, 0, 0);
}
FT_PTX uint64_t ft_ptx_mbarrier_arrive_expect(void *barrier, unsigned bytes)
{
	return ft_mbarrier_change((uint64_t *)barrier, 1, 0, (int)bytes, 0);
}
FT_PTX void ft_ptx_mbarrier_expect(void *barrier, unsigned bytes)
{
	(void)ft_mbarrier_change((uint64_t *)barrier, 0, 0, (int)bytes, 0);
}
FT_PTX bool ft_ptx_mbarrier_try_parity(const struct ft_site *site, void *barrier, unsigned parity,
				       unsigned = 0)
{
	return ft_mbarrier_try(site, (uint64_t *)barrier, parity & 1);
}
FT_PTX bool ft_ptx_mbarrier_try(const struct ft_site *site, void *barrier, uint64_t state,
				unsigned = 0)
{
	return ft_mbarrier_try(site, (uint64_t *)barrier, state >> 63);
}
FT_PTX void ft_ptx_mbarrier_arrive_copied(void *barrier)
{
	ft_mbarrier_arrive_copied((uint64_t *)barrier);
}

#endif
