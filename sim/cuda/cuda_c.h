/* cuda_c.h - the CUDA C built-ins that the simulator supports, for the system's C compiler.
 *
 * Included before a .cu file that is compiled for the simulator (-include). Defines all of CUDA C
 * that a kernel may use but __global__, __shared__ and __launch_bounds__, which the rewriter
 * handles (sim/cu2c/rewrite.c). Anything else is a compile error, which names an alternative where
 * there is an obvious one.
 */
#ifndef CUDA_C_H
#define CUDA_C_H

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sim/cuda/runtime.h"
#include "sim/cuda/vectors.h"

/* --- the basic-block hook, inlined --- */

/* Where its fast path ends; and the block's cell. */
#define FT_BLOCK_CELL \
	".Lft_block\\@:\n" \
	"	.pushsection ft_cells, \"aw\", @progbits\n" \
	"	.balign 8\n" \
	".Lft_cell\\@:\n" \
	"	.long 0, .Lft_code\\@ - .Lft_cell\\@\n" \
	"	.quad 0\n" \
	"	.popsection\n"

/* The hooks of accesses that are neither volatile nor atomic. In one list, because an .irp inside
 * another drops the backslash before the inner one's name. */
#define FT_HOOKS(what) \
	"__tsan_" what "1, __tsan_" what "2, __tsan_" what "4, __tsan_" what "8, __tsan_" what "16"
#define FT_PLAIN_HOOKS \
	FT_HOOKS("read") ", " FT_HOOKS("write") ", " FT_HOOKS("unaligned_read") ", " \
	FT_HOOKS("unaligned_write") ", __tsan_read_range, __tsan_write_range"

#ifdef __aarch64__
#include "sim/cuda/aarch64.h"
#endif

/* The assembler prefers a macro to an instruction of the same name, so this replaces the compiler's
 * call of the hook by the hook's fast path (see sim/check/check_hooks.c): it increments the counter
 * in the block's cell (sim/check/lines.h), and calls the hook only if the block is new to the
 * launch or something is pending. It may use the registers that a call may change. */
#if defined(FLASHTWIN_CHECK) && defined(__x86_64__)
__asm__(".hidden __start_ft_cells\n"
	".hidden __stop_ft_cells\n"
	".macro ft_basic_block\n"
	".Lft_code\\@:\n"
	"	leaq 0(%rip), %rax\n"
	"	movq ft_check_block@GOTPCREL(%rip), %rcx\n"
	"	movq %rax, (%rcx)\n"
	"	incq .Lft_cell\\@+8(%rip)\n"
	"	movl 12(%rcx), %eax\n"
	"	xorl .Lft_cell\\@(%rip), %eax\n"
	"	orl 8(%rcx), %eax\n"
	"	je .Lft_block\\@\n"
	"	leaq .Lft_cell\\@(%rip), %rdi\n"
	"	leaq __start_ft_cells(%rip), %rsi\n"
	"	leaq __stop_ft_cells(%rip), %rdx\n"
	"	callq ft_basic_block@PLT\n"
	FT_BLOCK_CELL
	".endm\n"
	".macro call target:vararg\n"
	"	.ifc \\target,__sanitizer_cov_trace_pc@PLT\n"
	"	ft_basic_block\n"
	"	.else\n"
	"	.ifc \\target,__sanitizer_cov_trace_pc\n"
	"	ft_basic_block\n"
	"	.else\n"
	"	callq \\target\n"
	"	.endif\n"
	"	.endif\n"
	".endm\n");
#elif defined(FLASHTWIN_USER) && defined(__x86_64__)
/* In an unchecked build of a file with volatile accesses, only these and atomics call hooks. */
__asm__(".ifdef ft_polls\n"
	".macro call target:vararg\n"
	"	.set .Lft_call, 1\n"
	"	.irp hook, " FT_PLAIN_HOOKS "\n"
	"	.ifc \\target,\\hook\n"
	"	.set .Lft_call, 0\n"
	"	.endif\n"
	"	.ifc \\target,\\hook@PLT\n"
	"	.set .Lft_call, 0\n"
	"	.endif\n"
	"	.endr\n"
	"	.if .Lft_call\n"
	"	callq \\target\n"
	"	.endif\n"
	".endm\n"
	".endif\n");
#endif
#undef FT_BLOCK_CELL
#undef FT_PLAIN_HOOKS
#undef FT_HOOKS

/* The compiler's own copy, for the macros below; a kernel's copies are checked. */
static inline __attribute__((always_inline, unused)) void ft_copy_bits(void *to, const void *from,
								       size_t bytes)
{
	__builtin_memcpy(to, from, bytes);
}

/* --- qualifiers --- */

#define __device__
#define __host__
#define __constant__ static __attribute__((section("ft_constant")))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __restrict__ restrict
#define __align__(n) __attribute__((aligned(n)))

/* --- thread and block indices --- */

typedef struct dim3 dim3;
#ifdef FLASHTWIN_USER
/* Names that host code and CUDA's headers give to other things too: the rewriter replaces them in
 * device code only. */
extern const struct dim3 threadIdx __attribute__((weak)), blockIdx __attribute__((weak));
extern const struct dim3 blockDim __attribute__((weak)), gridDim __attribute__((weak));
static const int warpSize __attribute__((unused)) = 32;
#else
#define threadIdx ft_thread_index()
#define blockIdx  ft_block_index()
#define blockDim  ft_block_dim()
#define gridDim   ft_grid_dim()
#define warpSize  32
#endif

/* --- barriers, votes, shuffles --- */

#define FT_SITE(name) \
	({ static const struct ft_site ft_site_ = { name, __FILE__, __LINE__, __COUNTER__ }; \
	   &ft_site_; })

#define __syncthreads() \
	((void)ft_block_barrier(FT_SITE("__syncthreads"), FT_BLOCK_SYNC, 0))
#define __syncthreads_count(p) \
	ft_block_barrier(FT_SITE("__syncthreads_count"), FT_BLOCK_COUNT, !!(p))
#define __syncthreads_and(p) \
	ft_block_barrier(FT_SITE("__syncthreads_and"), FT_BLOCK_AND, !!(p))
#define __syncthreads_or(p) \
	ft_block_barrier(FT_SITE("__syncthreads_or"), FT_BLOCK_OR, !!(p))

#define __barrier_sync(number) \
	((void)ft_named_barrier(FT_SITE("__barrier_sync"), (number), 0, FT_BLOCK_SYNC, 0))
#define __barrier_sync_count(number, count) \
	((void)ft_named_barrier(FT_SITE("__barrier_sync_count"), (number), (count), \
				FT_BLOCK_SYNC, 0))

/* CUDA's defaults: mask = all lanes, width = 32. */
#define FT_FIRST(a, ...) a
#define __syncwarp(...) \
	((void)ft_collective(FT_SITE("__syncwarp"), FT_SYNC, \
		FT_FIRST(__VA_ARGS__ __VA_OPT__(,) 0xffffffffu), 0, 0))

#define FT_SHUFFLE(name, kind, mask, var, lane, ...) \
	FT_SHUFFLE_AT(FT_SITE(name), kind, mask, var, lane, __VA_ARGS__)
#define FT_SHUFFLE_AT(site, kind, mask, var, lane, ...) ({ \
	__typeof__((var) + 0) ft_value_ = (var); \
	uint64_t ft_bits_ = 0; \
	_Static_assert(sizeof ft_value_ == 4 || sizeof ft_value_ == 8, \
		       "a shuffle: expected a value of 4 or 8 bytes"); \
	ft_copy_bits(&ft_bits_, &ft_value_, sizeof ft_value_); \
	ft_bits_ = ft_collective(site, kind, (mask), ft_bits_, \
		((unsigned)(lane) & 0xffffu) \
		| (unsigned)FT_FIRST(__VA_ARGS__ __VA_OPT__(,) 32) << 16); \
	ft_copy_bits(&ft_value_, &ft_bits_, sizeof ft_value_); \
	ft_value_; })
#define __shfl_sync(m, v, l, ...) \
	FT_SHUFFLE("__shfl_sync", FT_SHUFFLE_IDX, m, v, l, __VA_ARGS__)
#define __shfl_up_sync(m, v, l, ...) \
	FT_SHUFFLE("__shfl_up_sync", FT_SHUFFLE_UP, m, v, l, __VA_ARGS__)
#define __shfl_down_sync(m, v, l, ...) \
	FT_SHUFFLE("__shfl_down_sync", FT_SHUFFLE_DOWN, m, v, l, __VA_ARGS__)
#define __shfl_xor_sync(m, v, l, ...) \
	FT_SHUFFLE("__shfl_xor_sync", FT_SHUFFLE_XOR, m, v, l, __VA_ARGS__)

/* Each lane's x after x = op(x, __shfl_xor_sync(~0u, x, step)) with steps 16, 8, 4, 2 and 1, op
 * fmaxf() or +, at one meeting instead of five. All 32 lanes of the warp call it. */
static inline float ft_butterfly(const struct ft_site *site, enum ft_collective kind, float x)
{
	uint64_t bits = 0;

	ft_copy_bits(&bits, &x, sizeof x);
	bits = ft_collective(site, kind, 0xffffffffu, bits, 0);
	ft_copy_bits(&x, &bits, sizeof x);
	return x;
}

#define FT_WARP(name, kind, m, v) ft_collective(FT_SITE(name), kind, (m), (v), 0)
#define __all_sync(m, p)     ((int)FT_WARP("__all_sync", FT_ALL, m, !!(p)))
#define __any_sync(m, p)     ((int)FT_WARP("__any_sync", FT_ANY, m, !!(p)))
#define __uni_sync(m, p)     ((int)FT_WARP("__uni_sync", FT_UNIFORM, m, !!(p)))
#define __ballot_sync(m, p)  ((unsigned)FT_WARP("__ballot_sync", FT_BALLOT, m, !!(p)))
#define __match_any_sync(m, v) ((unsigned)FT_WARP("__match_any_sync", FT_MATCH_ANY, m, FT_BITS(v)))
#define __match_all_sync(m, v, p) ({ \
	unsigned ft_match_ = (unsigned)FT_WARP("__match_all_sync", FT_MATCH_ALL, m, FT_BITS(v)); \
	*(p) = ft_match_ != 0; \
	ft_match_; })
#define FT_BITS(v) ({ \
	__typeof__(v) ft_value_ = (v); \
	uint64_t ft_bits_ = 0; \
	ft_copy_bits(&ft_bits_, &ft_value_, sizeof ft_value_); \
	ft_bits_; })
#define FT_REDUCE(name, kind, m, v) ((__typeof__((v) + 0))FT_WARP(name, kind, m, (uint32_t)(v)))
#define FT_MIN_MAX(name, kind, m, v) \
	FT_REDUCE(name, ((__typeof__((v) + 0))-1 < 0 ? kind##_SIGNED : kind), m, v)
#define __reduce_add_sync(m, v) FT_REDUCE("__reduce_add_sync", FT_REDUCE_ADD, m, v)
#define __reduce_min_sync(m, v) FT_MIN_MAX("__reduce_min_sync", FT_REDUCE_MIN, m, v)
#define __reduce_max_sync(m, v) FT_MIN_MAX("__reduce_max_sync", FT_REDUCE_MAX, m, v)
#define __reduce_and_sync(m, v) FT_REDUCE("__reduce_and_sync", FT_REDUCE_AND, m, v)
#define __reduce_or_sync(m, v)  FT_REDUCE("__reduce_or_sync", FT_REDUCE_OR, m, v)
#define __reduce_xor_sync(m, v) FT_REDUCE("__reduce_xor_sync", FT_REDUCE_XOR, m, v)
#define __activemask() ft_active_mask(FT_SITE("__activemask"))

/* --- memory: fences, cached loads, atomics --- */

#define __threadfence()        ft_fence(1)
#define __threadfence_block()  ft_fence(0)
#define __threadfence_system() ft_fence(1)      /* one device is the whole system here */
#define __nanosleep(ns)        ((void)(ns), ft_yield())
#define __ldg(p)  (*(p))
#define __ldcg(p) (*(p))
#define __ldca(p) (*(p))
#define __ldcs(p) (*(p))
#define __ldlu(p) (*(p))
#define __ldcv(p) (*(p))
#define __stcg(p, v) ((void)(*(p) = (v)))
#define __stcs(p, v) ((void)(*(p) = (v)))
#define __stwt(p, v) ((void)(*(p) = (v)))
#define __stwb(p, v) ((void)(*(p) = (v)))

/* cuda_pipeline.h */
#define __pipeline_memcpy_async(to, from, bytes, ...) \
	ft_async_copy((to), (from), (bytes), FT_FIRST(__VA_ARGS__ __VA_OPT__(,) 0))
#define __pipeline_commit()      ft_async_commit()
#define __pipeline_wait_prior(n) ft_async_wait(n)

#include "sim/cuda/cuda_atomic.h"

/* --- arithmetic: the GPU's bits --- */

#ifdef FLASHTWIN_CHECK
/* The models of the GPU's functions are not checked. */
#define FT_UNCHECKED no_sanitize_thread, no_sanitize_coverage, \
	no_sanitize("bounds,alignment,object-size")
#define MUFU_FN static __attribute__((unused, noinline, FT_UNCHECKED))
#else
#define MUFU_FN static inline __attribute__((unused))
#endif
#define MUFU_TABLE static const __attribute__((unused))
#include "base/math/double_model.c"
#include "base/math/float_model.c"
#include "sim/cuda/checked_models.h"

#ifdef FLASHTWIN_CHECK
#define FT_INLINE static inline __attribute__((always_inline, unused))
#else
#define FT_INLINE static inline
#endif

/* maximumNumber and minimumNumber of IEEE 754-2019, like max.f32 and min.f32: they return the
 * number if the other operand is a NaN, and +0 is greater than -0. */
FT_INLINE float ft_fmaxf(float a, float b)
{
	if (a != a)
		return b;
	if (a == b)
		return signbit(a) ? b : a;
	return b > a ? b : a;
}

FT_INLINE float ft_fminf(float a, float b)
{
	if (a != a)
		return b;
	if (a == b)
		return signbit(a) ? a : b;
	return b < a ? b : a;
}

/* Float to int saturates and converts NaN to 0; in C both are undefined. */
FT_INLINE int ft_float_to_int(float x)
{
	if (x != x)
		return 0;
	if (x >= 2147483648.0f)
		return INT_MAX;
	return x <= -2147483648.0f ? INT_MIN : (int)x;
}

FT_INLINE int ft_double_to_int(double x)
{
	if (x != x)
		return INT_MIN;         /* as cvt.s32.f64 does, unlike cvt.s32.f32 */
	if (x >= 2147483648.0)
		return INT_MAX;
	return x <= -2147483648.0 ? INT_MIN : (int)x;
}

FT_INLINE unsigned ft_float_to_uint(float x)
{
	if (!(x > 0.0f))
		return 0;
	return x >= 4294967296.0f ? UINT_MAX : (unsigned)x;
}

#ifndef FLASHTWIN_HOST          /* host code has these from the C library */
#define exp2f(x)  FT_MODEL(ex2_approx_noftz, x)
#define expf(x)   FT_MODEL(ex2_expf, x)
#define exp10f(x) FT_MODEL(cuda_exp10f, x)
#define expm1f(x) FT_MODEL(cuda_expm1f, x)
#define logf(x)   FT_MODEL(cuda_logf, x)
#define log2f(x)  FT_MODEL(cuda_log2f, x)
#define log10f(x) FT_MODEL(cuda_log10f, x)
#define log1pf(x) FT_MODEL(cuda_log1pf, x)
#define powf(x, y) FT_MODEL(cuda_powf, (x), (y))
#define sinf(x)   FT_MODEL(cuda_sinf, x)
#define cosf(x)   FT_MODEL(cuda_cosf, x)
#define tanhf(x)  FT_MODEL(cuda_tanhf, x)
#define erff(x)   FT_MODEL(cuda_erff, x)
#define rsqrtf(x) FT_MODEL(rsqrt_approx_noftz, x)
#ifdef __cplusplus              /* programs overload these for vectors of floats */
#define fmaxf ft_fmaxf
#define fminf ft_fminf
#else
#define fmaxf(a, b) ft_fmaxf((a), (b))
#define fminf(a, b) ft_fminf((a), (b))
#endif
#endif
#define __expf(x) FT_MODEL(ex2_cuda__expf, x)
#define __logf(x)   FT_MODEL(cuda__logf, x)
#define __log2f(x)  FT_MODEL(lg2_approx_noftz, x)
#define __log10f(x) FT_MODEL(cuda__log10f, x)
#define __powf(x, y) FT_MODEL(cuda__powf, (x), (y))
#define __sinf(x) FT_MODEL(sin_approx, x)
#define __cosf(x) FT_MODEL(cos_approx, x)
#define __fdividef(a, b) FT_MODEL(div_approx_noftz, (a), (b))
#define __fmaf_rn(a, b, c) fmaf((a), (b), (c))
#define __fadd_rn(a, b) ((float)(a) + (float)(b))
#define __fsub_rn(a, b) ((float)(a) - (float)(b))
#define __fmul_rn(a, b) ((float)(a) * (float)(b))
#define __fdiv_rn(a, b) ((float)(a) / (float)(b))
#define __fsqrt_rn(a) sqrtf(a)
#define __float2int_rn(x) ft_float_to_int(rintf(x))
#define __float2int_rz(x) ft_float_to_int(truncf(x))
#define __float2int_rd(x) ft_float_to_int(floorf(x))
#define __float2int_ru(x) ft_float_to_int(ceilf(x))
#define __float2uint_rn(x) ft_float_to_uint(rintf(x))
#define __float2uint_rz(x) ft_float_to_uint(truncf(x))
#define __float2uint_rd(x) ft_float_to_uint(floorf(x))
#define __float2uint_ru(x) ft_float_to_uint(ceilf(x))
#define __double2int_rn(x) ft_double_to_int(rint(x))
#define __double2int_rz(x) ft_double_to_int(trunc(x))
#define __double2int_rd(x) ft_double_to_int(floor(x))
#define __double2int_ru(x) ft_double_to_int(ceil(x))
#define __double2float_rn(x) ((float)(double)(x))
#define __int2double_rn(x) ((double)(int)(x))
#define __int2float_rn(x) ((float)(int)(x))
#define __uint2float_rn(x) ((float)(unsigned)(x))

#define FT_CAST(to, from, x) ({ \
	from ft_from_ = (x); \
	to ft_to_; \
	ft_copy_bits(&ft_to_, &ft_from_, sizeof ft_to_); \
	ft_to_; })
#define __float_as_int(x)  FT_CAST(int, float, x)
#define __float_as_uint(x) FT_CAST(unsigned, float, x)
#define __int_as_float(x)  FT_CAST(float, int, x)
#define __uint_as_float(x) FT_CAST(float, unsigned, x)

#define __popc(x)   __builtin_popcount(x)
#define __popcll(x) __builtin_popcountll(x)
#define __ffs(x)    __builtin_ffs(x)
#define __ffsll(x)  __builtin_ffsll(x)
#define __clz(x)    ({ unsigned ft_x_ = (x); ft_x_ ? __builtin_clz(ft_x_) : 32; })
#define __clzll(x)  ({ unsigned long long ft_x_ = (x); ft_x_ ? __builtin_clzll(ft_x_) : 64; })
#define __umulhi(a, b) ((unsigned)((uint64_t)(unsigned)(a) * (unsigned)(b) >> 32))
#define __mulhi(a, b)  ((int)((int64_t)(int)(a) * (int)(b) >> 32))

#include "sim/cuda/cuda_double.h"
#include "sim/cuda/cuda_integer.h"
#ifndef __cplusplus             /* C++ has overloads */
#define __dp4a(a, b, c) _Generic((a), int: ft_dp4a, unsigned: ft_dp4a_unsigned)((a), (b), (c))
#endif

#define FT_PICK(float_call, operator, a, b) ({ \
	__typeof__((a) + (b)) ft_a_ = (a), ft_b_ = (b); \
	_Generic(ft_a_, float: float_call(ft_a_, ft_b_), \
		 default: ft_a_ operator ft_b_ ? ft_a_ : ft_b_); })
#define min(a, b) FT_PICK(ft_fminf, <, a, b)
#define max(a, b) FT_PICK(ft_fmaxf, >, a, b)

/* --- copies, because loads and stores of the C library are not instrumented --- */

#ifdef FLASHTWIN_CHECK
#define memcpy(...) ft_memcpy(__VA_ARGS__)
#define memmove(...) ft_memcpy(__VA_ARGS__)
#define memset(...) ft_memset(__VA_ARGS__)
#define __builtin_memcpy(...) ft_memcpy(__VA_ARGS__)
#define __builtin_memmove(...) ft_memcpy(__VA_ARGS__)
#define __builtin_memset(...) ft_memset(__VA_ARGS__)
#endif

/* --- diagnostics --- */

#define __trap() ft_trap(719, "__trap()", __FILE__, __LINE__)
#ifndef FLASHTWIN_HOST
#define printf(...) ft_printf(__VA_ARGS__)
#undef assert
#ifdef NDEBUG
#define assert(x) ((void)0)
#else
#define assert(x) ((x) ? (void)0 : ft_trap(710, "assert(" #x ")", __FILE__, __LINE__))
#endif
#endif

/* --- functions without an exact model, and what to use instead --- */

#ifdef FLASHTWIN_PROGRAM
/* Host code may call the C library's functions of these names, so only a call that a kernel can
 * reach is an error: by the name of the symbol that it refers to (tui/launch/imports.c). */
#define FT_ABSENT(name, instead) FT_ABSENT_AT(__COUNTER__, name)
#define FT_ABSENT_AT(number, name) FT_ABSENT_SYMBOL(number, name)
#define FT_ABSENT_SYMBOL(number, name) [] { \
	extern float ft_absent_##number() __asm__("ft_absent_" name); \
	return ft_absent_##number(); }()
#else
#define FT_ABSENT(name, instead) ({ \
	_Static_assert(0, name " has no bit-exact model in the simulator: use " instead); 0.0f; })
#endif
#ifndef FLASHTWIN_HOST
#include "sim/cuda/float_api.h"
#include "sim/cuda/double_api.h"
#define clock()   ((clock_t)ft_clock())
#endif
#define clock64() ft_clock()

#endif
