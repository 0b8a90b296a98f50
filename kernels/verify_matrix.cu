/* verify_matrix.cu - sums of what tensor cores compute of ranges of inputs, one kernel for each
 * instruction.
 *
 * One kernel math_<id> for each entry of sim/cuda/tensor_list.h, with the parameters of those in
 * verify_math.cu and inputs as in kernels/matrix_list.h. A warp takes every so many of the inputs.
 * Blocks of whole warps.
 */
#include "kernels/kernel.h"
#include "kernels/matrix_list.h"
#include "sim/cuda/tensor.h"

#define MATRIX_WARP 32u

/* What the lane's registers of D add to the sum. */
MATH_FN uint64_t matrix_term(const uint32_t *d, int registers, uint64_t input, unsigned lane)
{
	uint64_t sum = 0;

	for (int i = 0; i < registers; i++)
		sum += math_mix(d[i] + (((input * MATRIX_WARP + lane) * 4 + (uint64_t)i) << 32));
	return sum;
}

/* Fills the lane's registers of A, B and C. Of the kind "cancel", the second half of A is the
 * negative of the first, and that of B equals it. */
MATH_FN void matrix_fill(uint32_t *a, uint32_t *b, uint32_t *d, uint64_t input, unsigned lane,
			 int registers, int d_registers, const int *bits, const int *fraction)
{
	for (int i = 0; i < 2 * registers; i++)
		a[i] = matrix_register(input, lane * 12 + (unsigned)i, bits[0], fraction[0]);
	for (int i = 0; i < registers; i++)
		b[i] = matrix_register(input, lane * 12 + 4 + (unsigned)i, bits[1], fraction[1]);
	for (int i = 0; i < d_registers; i++)
		d[i] = matrix_register(input, lane * 12 + 8 + (unsigned)i, bits[2], fraction[2]);
	if (input % MATRIX_KINDS == MATRIX_CANCEL && registers == 2) {
		a[2] = a[0] ^ MATRIX_SIGNS(bits[0]);
		a[3] = a[1] ^ MATRIX_SIGNS(bits[0]);
		b[1] = b[0];
	}
}

#define MATRIX_KERNEL(id, needs, shape, d_name, a_name, b_name, D, A, B, k, registers) \
	KERNEL math_##id(unsigned long long *sums, unsigned long long first, \
			 unsigned long long count, unsigned stride) \
	{ \
		unsigned thread = blockIdx.x * blockDim.x + threadIdx.x; \
		unsigned lane = thread % MATRIX_WARP; \
		unsigned warps = gridDim.x * blockDim.x / MATRIX_WARP; \
		const int d_registers = MATRIX_BITS_##D == 32 ? 4 : 2; \
		const int bits[] = { MATRIX_BITS_##A, MATRIX_BITS_##B, MATRIX_BITS_##D }; \
		const int fraction[] = { MATRIX_FRACTION_##A, MATRIX_FRACTION_##B, \
					 MATRIX_FRACTION_##D }; \
		unsigned long long sum = 0; \
	\
		for (unsigned long long n = thread / MATRIX_WARP; n < count; n += warps) { \
			unsigned long long input = first + n * stride; \
			uint32_t a[4], b[2], d[4]; \
	\
			matrix_fill(a, b, d, input, lane, registers, d_registers, bits, fraction); \
			tensor_multiply(id, d, a, b); \
			sum += matrix_term(d, d_registers, input, lane); \
		} \
		sums[thread] = sum; \
	}

TENSOR_LIST(MATRIX_KERNEL)
