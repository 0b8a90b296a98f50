/* verify_math.cu - hashes of float functions over ranges of inputs, one kernel per function.
 *
 * One kernel math_<id> for each entry of kernels/math_list.h. Thread t of T takes inputs
 * first + k * stride for k = t, t + T, ... below count, and writes its part of the hash to sums[t].
 * Any one-dimensional grid and block. On a GPU an entry is the hardware's instruction or CUDA's
 * function; on the simulator it is what sim/cuda/cuda_c.h maps the same name to. So equal hashes
 * verify the arithmetic that kernels get from the simulator.
 */
#include "kernels/kernel.h"
#include "kernels/math_list.h"
#include "kernels/verify_kernel.h"

/* --- functions with several results, one at a time --- */

static __device__ float math_sincos(float x, int cosine)
{
	float s, c;

	sincosf(x, &s, &c);
	return cosine ? c : s;
}

static __device__ float math_fast_sincos(float x, int cosine)
{
	float s, c;

	__sincosf(x, &s, &c);
	return cosine ? c : s;
}

static __device__ float math_sincospi(float x, int cosine)
{
	float s, c;

	sincospif(x, &s, &c);
	return cosine ? c : s;
}

static __device__ float math_fraction(float x)
{
	int exponent;

	return frexpf(x, &exponent);
}

static __device__ int math_exponent(float x)
{
	int exponent;

	(void)frexpf(x, &exponent);
	return exponent;
}

static __device__ float math_modff(float x, int integer)
{
	float whole, fraction = modff(x, &whole);

	return integer ? whole : fraction;
}

/* --- kernels --- */

#ifdef __CUDACC__
#define PTX1(instruction, x) \
	([](float x_) { float r_; \
		asm(instruction " %0, %1;" : "=f"(r_) : "f"(x_)); return r_; }(x))
#define PTX2(instruction, x, y) \
	([](float x_, float y_) { float r_; \
		asm(instruction " %0, %1, %2;" : "=f"(r_) : "f"(x_), "f"(y_)); return r_; }(x, y))
#define PTX_KERNEL(id, name, arguments, model, instruction) \
	MATH_KERNEL(id, name, arguments, F, instruction)
#else
#define PTX_KERNEL(id, name, arguments, model, instruction) \
	MATH_KERNEL(id, name, arguments, F, model)
#endif

static __device__ unsigned float_result(float r)
{
	return r != r ? 0x7fffffffu : __float_as_uint(r);
}

#define RESULT_F(expression) float_result(expression)
#define RESULT_L(expression) \
	((unsigned)((long long)(expression) ^ (long long)(expression) >> 32))
#define RESULT_I(expression) ((unsigned)(expression))

#define MATH_KERNEL(id, name, arguments, kind, expression) \
	VERIFY_KERNEL(id, \
		uint32_t a, b; \
		math_input(arguments, i, &a, &b); \
		float x = __uint_as_float(a), y = __uint_as_float(b); \
		float z = __uint_as_float(math_third(a, b)); \
		float t = __uint_as_float(math_third(b, a)); \
		(void)x, (void)y, (void)z, (void)t; \
		sum += RESULT_##kind(expression) * (2 * i + 1);)

MATH_PTX_LIST(PTX_KERNEL)
MATH_CUDA_LIST(MATH_KERNEL)
MATH_EXACT_LIST(MATH_KERNEL)
MATH_MORE_LIST(MATH_KERNEL)
MATH_ROUNDED_LIST(MATH_KERNEL)
