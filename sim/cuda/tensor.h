/* tensor.h - tensor cores, for kernels on both devices: matrix multiplication of a warp.
 *
 * A kernel includes it as "sim/cuda/tensor.h", for the simulator as well as for nvcc.
 *
 *   tensor_multiply(id, d, a, b)       D = A B + D by the instruction `id` of tensor_list.h, for
 *                                      example f32_bf16_k16; d, a, b: uint32_t, the registers of a
 *                                      lane of mma.sync (PTX ISA). All lanes call it.
 *
 * On the simulator, results are those of base/math/mma_model.c. What follows there is also used by
 * inline PTX (sim/cuda/ptx/matrix.h) and by mma.h, with the loads and stores of 8 x 8 matrices.
 */
#ifndef SIM_TENSOR_H
#define SIM_TENSOR_H

#include "sim/cuda/tensor_list.h"

#ifdef FLASHTWIN_SIM

/* D = A B + C of 16 x k and k x 8 matrices; all lanes of the warp call it. */
static inline void ft_tensor_multiply(const struct ft_site *site, struct ft_matrix *m)
{
	ft_collective(site, FT_MATRIX, 0xffffffffu, (uintptr_t)m, 0);
}

/* The addresses that all lanes give. */
static inline void ft_tensor_rows(const struct ft_site *site, void *mine, struct ft_gather *rows)
{
	rows->mine = (uintptr_t)mine;
	ft_collective(site, FT_GATHER, 0xffffffffu, (uintptr_t)rows, 0);
}

/* Lane i gives the address of row i % 8 of matrix i / 8. A lane gets two neighbours of a row, or
 * with `transposed` of a column. */
static inline __attribute__((always_inline)) unsigned
ft_tensor_load(const struct ft_gather *rows, int matrix, unsigned lane, bool transposed)
{
	const uint64_t *row = &rows->all[8 * matrix];

	if (!transposed)
		return *(const unsigned *)(uintptr_t)(row[lane / 4] + 4 * (lane % 4));
	return *(const unsigned short *)(uintptr_t)(row[lane % 4 * 2] + lane / 4 * 2)
		| (unsigned)*(const unsigned short *)(uintptr_t)(row[lane % 4 * 2 + 1]
								 + lane / 4 * 2) << 16;
}

static inline __attribute__((always_inline)) void
ft_tensor_store(const struct ft_gather *rows, int matrix, unsigned lane, bool transposed,
		unsigned value)
{
	const uint64_t *row = &rows->all[8 * matrix];

	if (!transposed) {
		*(unsigned *)(uintptr_t)(row[lane / 4] + 4 * (lane % 4)) = value;
		return;
	}
	*(unsigned short *)(uintptr_t)(row[lane % 4 * 2] + lane / 4 * 2) = (unsigned short)value;
	*(unsigned short *)(uintptr_t)(row[lane % 4 * 2 + 1] + lane / 4 * 2)
		= (unsigned short)(value >> 16);
}

/* d: [registers_d]; a: [2 * registers_b]; b: [registers_b] */
static inline void ft_tensor_registers(const struct ft_site *site, struct ft_matrix *m, uint32_t *d,
				       const uint32_t *a, const uint32_t *b, int registers_d,
				       int registers_b)
{
	for (int i = 0; i < registers_d; i++)
		m->c[i] = d[i];
	for (int i = 0; i < 2 * registers_b; i++)
		m->a[i] = a[i];
	for (int i = 0; i < registers_b; i++)
		m->b[i] = b[i];
	ft_tensor_multiply(site, m);
	for (int i = 0; i < registers_d; i++)
		d[i] = m->d[i];
}

#define TENSOR_REGISTERS_F32 4
#define TENSOR_REGISTERS_F16 2
#define TENSOR_FN_OF(id, needs, shape, d, a, b, D, A, B, k, registers) \
	static inline void ft_tensor_##id(const struct ft_site *site, uint32_t *to, \
					  const uint32_t *left, const uint32_t *right) \
	{ \
		struct ft_matrix m = { FT_MATRIX_##A, FT_MATRIX_##B, FT_MATRIX_##D, k, 0, \
				       { 0 }, { 0 }, { 0 }, { 0 } }; \
	\
		ft_tensor_registers(site, &m, to, left, right, TENSOR_REGISTERS_##D, registers); \
	}
#define tensor_multiply(id, d, a, b) ft_tensor_##id(FT_SITE("tensor_multiply"), (d), (a), (b))

#else

#include <stdint.h>

/* The asm statement of a format of D and the registers of B. */
#define TENSOR_F32_2(needs, name) \
	TENSOR_##needs(name " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
		       : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) \
		       : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), \
			 "r"(right[0]), "r"(right[1]))
#define TENSOR_F32_1(needs, name) \
	TENSOR_##needs(name " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" \
		       : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) \
		       : "r"(left[0]), "r"(left[1]), "r"(right[0]))
#define TENSOR_F16_2(needs, name) \
	TENSOR_##needs(name " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};" \
		       : "+r"(to[0]), "+r"(to[1]) \
		       : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), \
			 "r"(right[0]), "r"(right[1]))
#define TENSOR_F16_1(needs, name) \
	TENSOR_##needs(name " {%0, %1}, {%2, %3}, {%4}, {%0, %1};" : "+r"(to[0]), "+r"(to[1]) \
		       : "r"(left[0]), "r"(left[1]), "r"(right[0]))
#define TENSOR_SM80(...) asm volatile(__VA_ARGS__)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
#define TENSOR_SM89(...) asm volatile(__VA_ARGS__)
#else
#define TENSOR_SM89(...) __trap()
#endif

/* f32 registers are floats to asm; two registers of f16 are not. */
#define TENSOR_TAKE_F32 \
	float c[4] = { __uint_as_float(to[0]), __uint_as_float(to[1]), __uint_as_float(to[2]), \
		       __uint_as_float(to[3]) };
#define TENSOR_GIVE_F32 for (int i = 0; i < 4; i++) to[i] = __float_as_uint(c[i]);
#define TENSOR_TAKE_F16
#define TENSOR_GIVE_F16
#define TENSOR_FN_OF(id, needs, shape, d, a, b, D, A, B, k, registers) \
	static __device__ __forceinline__ void tensor_##id(uint32_t *to, const uint32_t *left, \
							   const uint32_t *right) \
	{ \
		TENSOR_TAKE_##D \
		TENSOR_##D##_##registers(needs, "mma.sync.aligned." shape ".row.col." d "." a "." \
					 b "." d); \
		TENSOR_GIVE_##D \
	}
#define tensor_multiply(id, d, a, b) tensor_##id((d), (a), (b))

#endif

TENSOR_LIST(TENSOR_FN_OF)
#undef TENSOR_FN_OF

#endif
