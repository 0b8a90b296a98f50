/* cuda_cpp.h - the CUDA built-ins of sim/cuda/cuda_c.h for the system's C++ compiler.
 *
 * Replaces macros with _Generic by overloads and templates, so that a user's file may use
 * references, const values, lambdas and its own types. Also defines what the rewriter's C++ output
 * needs: shared variables in templates, and kernels as values. Used by files compiled at run time.
 */
#ifndef CUDA_CPP_H
#define CUDA_CPP_H

#include <cstddef>
/* The functions of <cmath> that no kernel can call take a quarter of the time of compiling one. */
#if defined(_GLIBCXX_USE_STD_SPEC_FUNCS) && !defined(FLASHTWIN_PROGRAM)
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#endif
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
/* std::min and std::max, which nvcc's headers bring along. */
#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>
#endif

/* --- C keywords, for the C header --- */

#define _Static_assert static_assert    /* not undefined: macros of cuda_c.h expand to it */
#define restrict __restrict
#include "sim/cuda/cuda_c.h"
#undef restrict
#undef __restrict__

/* --- minimum and maximum --- */

#undef min
#undef max
#undef FT_PICK
#define FT_MIN_MAX_OF(type) \
	static inline type min(type a, type b) { return b < a ? b : a; } \
	static inline type max(type a, type b) { return a < b ? b : a; }
FT_MIN_MAX_OF(int)
FT_MIN_MAX_OF(unsigned)
FT_MIN_MAX_OF(long)
FT_MIN_MAX_OF(unsigned long)
FT_MIN_MAX_OF(long long)
FT_MIN_MAX_OF(unsigned long long)
#undef FT_MIN_MAX_OF
static inline unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
static inline unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
static inline unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
static inline unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
static inline float min(float a, float b) { return ft_fminf(a, b); }
static inline float max(float a, float b) { return ft_fmaxf(a, b); }
static inline double min(double a, double b) { return fmin(a, b); }
static inline double max(double a, double b) { return fmax(a, b); }

#include "base/math/narrow_float.h"     /* for ptx.h and mma.h */
#include "sim/cuda/cluster_api.h"
#include "sim/cuda/simd_api.h"
#ifndef FLASHTWIN_HOST
#include "sim/cuda/overloads.h"
#endif

/* --- shuffles and matches of any 4- or 8-byte value --- */

template <class T> static inline uint64_t ft_bits(const T &value)
{
	static_assert(sizeof(T) <= 8, "warp functions take values of up to 8 bytes");
	uint64_t bits = 0;

	memcpy(&bits, &value, sizeof value);
	return bits;
}

template <class T> static inline T ft_shuffle(const struct ft_site *site, enum ft_collective kind,
					      unsigned mask, T value, unsigned lane,
					      unsigned width = 32)
{
	uint64_t bits = ft_collective(site, kind, mask, ft_bits(value),
				      (lane & 0xffffu) | width << 16);

	memcpy((void *)&value, &bits, sizeof value);
	return value;
}

#undef FT_SHUFFLE
#undef FT_BITS
#define FT_SHUFFLE(name, kind, mask, ...) ft_shuffle(FT_SITE(name), kind, mask, __VA_ARGS__)
#undef __shfl_sync
#undef __shfl_up_sync
#undef __shfl_down_sync
#undef __shfl_xor_sync
#define __shfl_sync(m, ...)      FT_SHUFFLE("__shfl_sync", FT_SHUFFLE_IDX, m, __VA_ARGS__)
#define __shfl_up_sync(m, ...)   FT_SHUFFLE("__shfl_up_sync", FT_SHUFFLE_UP, m, __VA_ARGS__)
#define __shfl_down_sync(m, ...) FT_SHUFFLE("__shfl_down_sync", FT_SHUFFLE_DOWN, m, __VA_ARGS__)
#define __shfl_xor_sync(m, ...)  FT_SHUFFLE("__shfl_xor_sync", FT_SHUFFLE_XOR, m, __VA_ARGS__)
#define FT_BITS(v) ft_bits(v)

/* nvcc's: a promise to the compiler. */
#define __builtin_assume(condition) ((void)0)
/* The launch before has ended when a user's kernel begins. */
#define cudaGridDependencySynchronize() ((void)0)
#define cudaTriggerProgrammaticLaunchCompletion() ((void)0)

static inline int __dp4a(int a, int b, int c) { return ft_dp4a(a, b, c); }
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
	return ft_dp4a_unsigned(a, b, c);
}

/* --- atomics --- */

template <class T> struct ft_same { typedef T type; };

/* Yields to other threads, then atomically replaces *p by change(old). Returns the old value. The
 * memory orders are those of sim/cuda/cuda_atomic.h. */
template <int Load, int Order, int Failed, class T, class F>
static inline T ft_atomic(T *p, F change)
{
	T old, changed;

	ft_yield();
	__atomic_load(p, &old, Load);
	do {
		changed = change(old);
	} while (!__atomic_compare_exchange(p, &old, &changed, 0, Order, Failed));
	return old;
}

template <int Order, class T> static inline T ft_compare_and_swap(T *p, T compare, T v)
{
	ft_yield();
	__atomic_compare_exchange(p, &compare, &v, 0, Order, __ATOMIC_ACQUIRE);
	return compare;
}

#undef atomicAdd
#undef atomicAdd_block
#undef atomicAdd_system
#undef atomicSub
#undef atomicSub_block
#undef atomicSub_system
#undef atomicExch
#undef atomicExch_block
#undef atomicExch_system
#undef atomicMin
#undef atomicMin_block
#undef atomicMin_system
#undef atomicMax
#undef atomicMax_block
#undef atomicMax_system
#undef atomicAnd
#undef atomicAnd_block
#undef atomicAnd_system
#undef atomicOr
#undef atomicOr_block
#undef atomicOr_system
#undef atomicXor
#undef atomicXor_block
#undef atomicXor_system
#undef atomicCAS
#undef atomicCAS_block
#undef atomicCAS_system
/* The value is converted to the type that the pointer points to, as in CUDA's overloads. */
#define FT_ATOMIC_FUNCTION(name, load, order, failed, changed) \
	template <class T> static inline T name(T *p, typename ft_same<T>::type v) \
	{ \
		return ft_atomic<load, order, failed>(p, [v](T old) -> T { return changed; }); \
	}
#define FT_ATOMIC_SCOPES(name, failed, changed) \
	FT_ATOMIC_FUNCTION(name, __ATOMIC_RELAXED, __ATOMIC_SEQ_CST, failed, changed) \
	FT_ATOMIC_FUNCTION(name##_system, __ATOMIC_RELAXED, __ATOMIC_SEQ_CST, failed, changed) \
	FT_ATOMIC_FUNCTION(name##_block, __ATOMIC_ACQUIRE, __ATOMIC_ACQ_REL, failed, changed)
FT_ATOMIC_SCOPES(atomicAdd, __ATOMIC_RELAXED, old + v)
FT_ATOMIC_SCOPES(atomicSub, __ATOMIC_RELAXED, old - v)
FT_ATOMIC_SCOPES(atomicExch, __ATOMIC_ACQUIRE, ((void)old, v))
FT_ATOMIC_SCOPES(atomicMin, __ATOMIC_RELAXED, old < v ? old : v)
FT_ATOMIC_SCOPES(atomicMax, __ATOMIC_RELAXED, old > v ? old : v)
FT_ATOMIC_SCOPES(atomicAnd, __ATOMIC_RELAXED, old & v)
FT_ATOMIC_SCOPES(atomicOr, __ATOMIC_RELAXED, old | v)
FT_ATOMIC_SCOPES(atomicXor, __ATOMIC_RELAXED, old ^ v)
#undef FT_ATOMIC_SCOPES
#undef FT_ATOMIC_FUNCTION
#define FT_CAS_FUNCTION(name, order) \
	template <class T> static inline T name(T *p, typename ft_same<T>::type compare, \
						typename ft_same<T>::type v) \
		{ return ft_compare_and_swap<order, T>(p, compare, v); }
FT_CAS_FUNCTION(atomicCAS, __ATOMIC_SEQ_CST)
FT_CAS_FUNCTION(atomicCAS_system, __ATOMIC_SEQ_CST)
FT_CAS_FUNCTION(atomicCAS_block, __ATOMIC_ACQ_REL)
#undef FT_CAS_FUNCTION

/* --- for the rewriter: shared memory --- */

#ifndef FLASHTWIN_PROGRAM
/* Grows; never freed. <vector> would take longer to compile than most kernels. */
struct ft_shared_records {
	struct kernel_shared *first;
	size_t count, capacity;

	void add(const struct kernel_shared &record)
	{
		if (count == capacity) {
			void *longer = ::operator new((2 * capacity + 8) * sizeof *first);

			if (count > 0)
				memcpy(longer, first, count * sizeof *first);
			first = (struct kernel_shared *)longer;
			capacity = 2 * capacity + 8;
		}
		first[count++] = record;
	}
};

/* A local static, because static members of templates are initialised in no particular order. */
static inline struct ft_shared_records &ft_shared_records_here()
{
	static struct ft_shared_records records;
	return records;
}

static size_t ft_shared_list(const struct sim_code *, struct kernel_shared **first)
	__attribute__((unused));
static size_t ft_shared_list(const struct sim_code *, struct kernel_shared **first)
{
	*first = ft_shared_records_here().first;
	return ft_shared_records_here().count;
}

/* A static shared variable of type T. Names is a different type in each instantiation of the
 * function, and has the alignment, which T loses as a template argument. */
template <class T, class Names> struct ft_shared_variable {
	static size_t offset;
	static bool recorded;

	static bool record()
	{
		ft_shared_records_here().add({ Names::function(), Names::name(), sizeof(T),
						Names::alignment(), &offset, "user" });
		return true;
	}
	static T *here()
	{
		(void)recorded;         /* instantiates it, so that record() runs at load time */
		return (T *)ft_shared_at(offset);
	}
};
template <class T, class Names> size_t ft_shared_variable<T, Names>::offset;
template <class T, class Names> bool ft_shared_variable<T, Names>::recorded = record();
#endif

/* --- for the rewriter: kernels --- */

template <class T> constexpr enum param_kind ft_kind()
{
	typedef typename std::remove_cv<T>::type U;
	constexpr bool is_signed = std::is_signed<U>::value;

	return std::is_pointer<U>::value || std::is_same<U, ft_texture_object>::value
		? PARAM_POINTER
		: std::is_same<U, float>::value ? PARAM_F32
		: std::is_same<U, double>::value ? PARAM_F64
		: std::is_integral<U>::value && sizeof(U) == 4 ? (is_signed ? PARAM_I32 : PARAM_U32)
		: std::is_integral<U>::value && sizeof(U) == 8 ? (is_signed ? PARAM_I64 : PARAM_U64)
		: PARAM_BLOB;
}

template <class T> constexpr typename std::enable_if<std::is_arithmetic<T>::value,
						     std::size_t>::type ft_bytes_of()
{
	return sizeof(T);
}
template <class T> constexpr typename std::enable_if<!std::is_arithmetic<T>::value,
						     std::size_t>::type ft_bytes_of()
{
	return 0;
}

/* What base/dtype.h calls a type, for struct kernel_param; 0 for a struct. Headers of small floats
 * add their types. */
template <class T> struct ft_element_of {
	typedef typename std::conditional<std::is_enum<T>::value, std::underlying_type<T>,
					  std::remove_cv<T>>::type::type U;

	static constexpr const char *name()
	{
		constexpr bool is_signed = std::is_signed<U>::value;
		constexpr std::size_t bytes = ft_bytes_of<U>();

		return std::is_same<U, float>::value ? "f32"
			: std::is_same<U, double>::value ? "f64"
			: std::is_same<U, bool>::value ? "bool"
			: !std::is_integral<U>::value ? 0
			: bytes == 1 ? (is_signed ? "i8" : "u8")
			: bytes == 2 ? (is_signed ? "i16" : "u16")
			: bytes == 4 ? (is_signed ? "i32" : "u32")
			: bytes == 8 ? (is_signed ? "i64" : "u64") : 0;
	}
};
#define FT_ELEMENT_IS(type, text) \
	template <> struct ft_element_of<type> { \
		static constexpr const char *name() { return text; } \
	};
#define FT_VECTOR_ELEMENT(name, text) \
	FT_ELEMENT_IS(name##1, text) FT_ELEMENT_IS(name##2, text) FT_ELEMENT_IS(name##3, text) \
	FT_ELEMENT_IS(name##4, text)
FT_VECTOR_ELEMENT(char, "i8")
FT_VECTOR_ELEMENT(uchar, "u8")
FT_VECTOR_ELEMENT(short, "i16")
FT_VECTOR_ELEMENT(ushort, "u16")
FT_VECTOR_ELEMENT(int, "i32")
FT_VECTOR_ELEMENT(uint, "u32")
FT_VECTOR_ELEMENT(float, "f32")
FT_VECTOR_ELEMENT(double, "f64")
FT_VECTOR_ELEMENT(longlong, "i64")
FT_VECTOR_ELEMENT(ulonglong, "u64")
#undef FT_VECTOR_ELEMENT

/* Of a value, an array's, or what a pointer points to. */
template <class T> constexpr const char *ft_element()
{
	typedef typename std::remove_all_extents<T>::type U;

	return ft_element_of<typename std::remove_cv<
		typename std::remove_pointer<U>::type>::type>::name();
}

/* The type at index I of a list. */
template <int I, class First, class... Rest> struct ft_nth {
	typedef typename ft_nth<I - 1, Rest...>::type type;
};
template <class First, class... Rest> struct ft_nth<0, First, Rest...> { typedef First type; };

template <int... I> struct ft_indices { };
template <int N, int... I> struct ft_count : ft_count<N - 1, N - 1, I...> { };
template <int... I> struct ft_count<0, I...> { typedef ft_indices<I...> type; };

/* Reading the arguments from the host is not checked. */
#define FT_ENTRY __attribute__((no_sanitize_thread, no_sanitize_coverage))

/* Selects the kernel among functions of one name: only a kernel returns void. */
template <class... P> constexpr auto ft_kernel_pointer(void (*kernel)(P...)) { return kernel; }

/* Derives from a kernel's pointer type its parameters and the function to call it that struct
 * sim_code needs. */
template <class F> struct ft_kernel;
template <class... P> struct ft_kernel<void (*)(P...)> {
	template <int I>
	static constexpr struct kernel_param param(const char *name, const char *type)
	{
		typedef typename ft_nth<I, P...>::type T;

		static_assert(!std::is_reference<T>::value,
			      "a kernel cannot have a reference parameter");
		return { name, type, ft_kind<T>(), sizeof(T), __alignof__(T),
			 ft_element<T>() };
	}
	template <int... I>
	FT_ENTRY static void call(void (*kernel)(P...), void *const *a, ft_indices<I...>)
	{
		(void)a;
		kernel(*(typename std::remove_cv<P>::type *)a[I]...);
	}
	FT_ENTRY static void run(void (*kernel)(P...), void *const *a)
	{
		call(kernel, a, typename ft_count<sizeof...(P)>::type());
	}
};

#endif
