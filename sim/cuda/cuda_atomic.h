/* cuda_atomic.h - CUDA's atomics of every scope, for the system's C compiler.
 *
 * Included by sim/cuda/cuda_c.h. cuda_cpp.h replaces those that use _Generic.
 */
#ifndef CUDA_ATOMIC_H
#define CUDA_ATOMIC_H

/* Inlined, so that a finding names the line of the call. */
#define FT_ATOMIC_INLINE static inline __attribute__((always_inline, unused))

/* Each atomic yields to other threads first; the operation itself is indivisible. Memory orders
 * carry information for the checker (sim/check/check_hooks.c): ACQ_REL, with ACQUIRE for the load,
 * is an atomic for one block; ACQUIRE for the failed exchange, one that may take a lock. */
#define FT_ATOMIC(name, type, load, order, failed, new_value) \
	FT_ATOMIC_INLINE type ft_##name(type *p, type v) \
	{ \
		type old, new_; \
		ft_yield(); \
		__atomic_load(p, &old, load); \
		do { \
			new_ = (new_value); \
		} while (!__atomic_compare_exchange(p, &old, &new_, 0, order, failed)); \
		return old; \
	}
#define FT_ATOMIC_FOR(name, type, failed, new_value) \
	FT_ATOMIC(name, type, __ATOMIC_RELAXED, __ATOMIC_SEQ_CST, failed, new_value) \
	FT_ATOMIC(name##_block, type, __ATOMIC_ACQUIRE, __ATOMIC_ACQ_REL, failed, new_value)
#define FT_COUNT(name, type, new_value) FT_ATOMIC_FOR(name, type, __ATOMIC_RELAXED, new_value)
#define FT_TAKE(name, type, new_value) FT_ATOMIC_FOR(name, type, __ATOMIC_ACQUIRE, new_value)
#define FT_ATOMIC_INTEGERS(kind, operation, new_value) \
	kind(operation##_i32, int, new_value) \
	kind(operation##_u32, unsigned, new_value) \
	kind(operation##_i64, long long, new_value) \
	kind(operation##_u64, unsigned long long, new_value)
FT_ATOMIC_INTEGERS(FT_COUNT, add, old + v)
FT_COUNT(add_f32, float, old + v)
FT_COUNT(add_f64, double, old + v)
FT_ATOMIC_INTEGERS(FT_TAKE, exch, v)
FT_TAKE(exch_f32, float, v)
FT_ATOMIC_INTEGERS(FT_COUNT, min, old < v ? old : v)
FT_ATOMIC_INTEGERS(FT_COUNT, max, old > v ? old : v)
FT_ATOMIC_INTEGERS(FT_COUNT, and, old & v)
FT_ATOMIC_INTEGERS(FT_COUNT, or, old | v)
FT_ATOMIC_INTEGERS(FT_COUNT, xor, old ^ v)
FT_COUNT(sub_i32, int, old - v)
FT_COUNT(sub_u32, unsigned, old - v)
FT_COUNT(inc_u32, unsigned, old >= v ? 0 : old + 1)
FT_COUNT(dec_u32, unsigned, old == 0 || old > v ? v : old - 1)
#undef FT_ATOMIC_INTEGERS
#undef FT_COUNT
#undef FT_TAKE
#undef FT_ATOMIC_FOR
#undef FT_ATOMIC

/* s: the scope as a suffix, `_block` or nothing. */
#define FT_INTEGERS(name, s) int: ft_##name##_i32##s, unsigned: ft_##name##_u32##s, \
	long long: ft_##name##_i64##s, unsigned long long: ft_##name##_u64##s
#define FT_OF_INTEGER(name, s, p, v) _Generic(*(p), FT_INTEGERS(name, s))((p), (v))
#define FT_ADD(s, p, v) \
	_Generic(*(p), FT_INTEGERS(add, s), float: ft_add_f32##s, double: ft_add_f64##s)((p), (v))
#define FT_EXCH(s, p, v) _Generic(*(p), FT_INTEGERS(exch, s), float: ft_exch_f32##s)((p), (v))
#define FT_SUB(s, p, v)  _Generic(*(p), int: ft_sub_i32##s, unsigned: ft_sub_u32##s)((p), (v))
#define FT_CAS(order, p, compare, v) ({ \
	__typeof__(p) ft_p_ = (p); \
	__typeof__(*ft_p_) ft_old_ = (compare), ft_new_ = (v); \
	ft_yield(); \
	__atomic_compare_exchange(ft_p_, &ft_old_, &ft_new_, 0, order, __ATOMIC_ACQUIRE); \
	ft_old_; })
#define atomicAdd(p, v)  FT_ADD(, p, v)
#define atomicSub(p, v)  FT_SUB(, p, v)
#define atomicExch(p, v) FT_EXCH(, p, v)
#define atomicMin(p, v)  FT_OF_INTEGER(min, , p, v)
#define atomicMax(p, v)  FT_OF_INTEGER(max, , p, v)
#define atomicAnd(p, v)  FT_OF_INTEGER(and, , p, v)
#define atomicOr(p, v)   FT_OF_INTEGER(or, , p, v)
#define atomicXor(p, v)  FT_OF_INTEGER(xor, , p, v)
#define atomicInc(p, v)  ft_inc_u32((p), (v))
#define atomicDec(p, v)  ft_dec_u32((p), (v))
#define atomicCAS(p, compare, v) FT_CAS(__ATOMIC_SEQ_CST, p, compare, v)
#define atomicAdd_block(p, v)  FT_ADD(_block, p, v)
#define atomicSub_block(p, v)  FT_SUB(_block, p, v)
#define atomicExch_block(p, v) FT_EXCH(_block, p, v)
#define atomicMin_block(p, v)  FT_OF_INTEGER(min, _block, p, v)
#define atomicMax_block(p, v)  FT_OF_INTEGER(max, _block, p, v)
#define atomicAnd_block(p, v)  FT_OF_INTEGER(and, _block, p, v)
#define atomicOr_block(p, v)   FT_OF_INTEGER(or, _block, p, v)
#define atomicXor_block(p, v)  FT_OF_INTEGER(xor, _block, p, v)
#define atomicInc_block(p, v)  ft_inc_u32_block((p), (v))
#define atomicDec_block(p, v)  ft_dec_u32_block((p), (v))
#define atomicCAS_block(p, compare, v) FT_CAS(__ATOMIC_ACQ_REL, p, compare, v)
#define atomicAdd_system(p, v)  FT_ADD(, p, v)
#define atomicSub_system(p, v)  FT_SUB(, p, v)
#define atomicExch_system(p, v) FT_EXCH(, p, v)
#define atomicMin_system(p, v)  FT_OF_INTEGER(min, , p, v)
#define atomicMax_system(p, v)  FT_OF_INTEGER(max, , p, v)
#define atomicAnd_system(p, v)  FT_OF_INTEGER(and, , p, v)
#define atomicOr_system(p, v)   FT_OF_INTEGER(or, , p, v)
#define atomicXor_system(p, v)  FT_OF_INTEGER(xor, , p, v)
#define atomicInc_system(p, v)  ft_inc_u32((p), (v))
#define atomicDec_system(p, v)  ft_dec_u32((p), (v))
#define atomicCAS_system(p, compare, v) FT_CAS(__ATOMIC_SEQ_CST, p, compare, v)

#endif
