/* program.h - included before each .cu file of a program that `flashtwin run` compiles.
 *
 * A file is compiled twice. In the host pass (FLASHTWIN_HOST) functions have the meaning of the C
 * library, and the rewriter has replaced each kernel by a stub that launches it. In the device pass
 * kernels are real, and host functions are there only to be parsed, because they instantiate
 * templates. The objects refer to each other by symbol names: kernel K's `ft_entry` is a local
 * static of K in the device's object (tui/launch/program_code.c).
 */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H

#pragma GCC system_header

#define FLASHTWIN_PROGRAM

#include "sim/cuda/user.h"
#include "sim/cuda/texture.h"

/* --- host code: functions that CUDA adds to the C library's, and main() --- */

#ifdef FLASHTWIN_HOST
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
static inline double rcbrt(double x) { return 1.0 / cbrt(x); }
static inline float norm3df(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }
#endif


static inline int ft_call_main(int (*f)(), int, char **, char **) { return f(); }
static inline int ft_call_main(int (*f)(int), int argc, char **, char **) { return f(argc); }
template <class T>
static inline int ft_call_main(int (*f)(int, T **), int argc, char **argv, char **)
{
	return f(argc, (T **)argv);
}
template <class T, class U>
static inline int ft_call_main(int (*f)(int, T **, U **), int argc, char **argv, char **variables)
{
	return f(argc, (T **)argv, (U **)variables);
}

#ifndef FLASHTWIN_HOST

namespace std {                 /* std::printf becomes std::ft_printf */
using ::ft_printf;
using ::ft_memcpy;
using ::ft_memset;
}

/* --- device code: kernels --- */

template <class F> struct ft_signature;
template <class... P> struct ft_signature<void (*)(P...)> {
	static constexpr unsigned count = sizeof...(P);
	static constexpr struct kernel_param params[sizeof...(P) + 1] = {
		{ 0, 0, ft_kind<P>(), sizeof(P), __alignof__(P), ft_element<P>() }...,
		{ 0, 0, PARAM_BLOB, 0, 0, 0 }
	};
	template <void (*Kernel)(P...)> FT_ENTRY static void run(void *const *args)
	{
		ft_kernel<void (*)(P...)>::run(Kernel, args);
	}
};
template <class... P>
constexpr struct kernel_param ft_signature<void (*)(P...)>::params[sizeof...(P) + 1];

/* --- device code: calls of CUDA's runtime that store a result, which the checker must see --- */

static inline __attribute__((always_inline, unused)) cudaError_t ft_device_malloc(void **out,
										  size_t bytes)
{
	*out = ft_malloc(bytes);
	return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}
static inline __attribute__((always_inline, unused)) cudaError_t ft_device_stream(cudaStream_t *out,
										  unsigned flags)
{
	if (flags != cudaStreamNonBlocking)
		return cudaErrorInvalidValue;
	*out = (cudaStream_t)ft_nested_stream();
	return cudaSuccess;
}
/* The handle is an address (engine/runtime/runtime_condition.c). Many threads may set it. */
static inline __attribute__((always_inline, unused)) void
cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value)
{
	atomicExch((unsigned *)handle, value);
}
/* A copy in a stream is a launch of one thread. */
static inline void ft_device_copy_kernel(unsigned char *to, const unsigned char *from, size_t bytes)
{
	typedef ft_signature<void (*)(unsigned char *, const unsigned char *, size_t)> signature;
	static const struct kernel_entry copy_entry = {
		"cudaMemcpyAsync", "cudaMemcpyAsync", "cuda_runtime.h", "to\nfrom\nbytes",
		"unsigned char *\nconst unsigned char *\nsize_t", signature::params,
		signature::count, 0, signature::template run<&ft_device_copy_kernel>, false, false,
		{ 0, 0, 0 }
	};
	void *arguments[] = { &to, &from, &bytes, 0 };

	if (!ft_nested_take(&copy_entry, arguments))
		memcpy(to, from, bytes);
}
static inline __attribute__((unused)) cudaError_t ft_device_copy(void *to, const void *from,
	size_t bytes, enum cudaMemcpyKind, cudaStream_t stream = 0)
{
	ft_configure(dim3(1), dim3(1), 0, stream);
	ft_device_copy_kernel((unsigned char *)to, (const unsigned char *)from, bytes);
	return cudaSuccess;
}
#define cudaMemcpyAsync(to, from, ...) ft_device_copy(to, from, __VA_ARGS__)
#define cudaMalloc(out, ...) ft_device_malloc((void **)(void *)(out), __VA_ARGS__)
#define cudaStreamCreateWithFlags(out, ...) ft_device_stream(out, __VA_ARGS__)

/* --- device code: static shared memory --- */

/* A static shared variable of type T. Names is a different type in each instantiation of the
 * function. The loader finds the records that a kernel reaches by their symbols. */
template <class T, class Names> struct ft_shared_variable {
	static size_t offset;
	static const struct kernel_shared record;

	static T *here()
	{
		__asm__ volatile("" : : "r"(&record));  /* the reference that the loader follows */
		return (T *)ft_shared_of(&offset);
	}
};
template <class T, class Names> size_t ft_shared_variable<T, Names>::offset;
template <class T, class Names> const struct kernel_shared ft_shared_variable<T, Names>::record = {
	Names::function(), Names::name(), sizeof(T), Names::alignment(),
	&ft_shared_variable<T, Names>::offset, "program"
};

#endif
#endif
