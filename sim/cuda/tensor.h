/* tensor.h - tensor cores for the simulator: matrix multiplication of a warp, and the loads and
 * stores of 8 x 8 matrices that go with it.
 *
 * Used by inline PTX (sim/cuda/ptx/matrix.h) and by mma.h. The registers of lanes are those of the
 * PTX ISA; results are those of base/math/mma_model.c.
 */
#ifndef SIM_TENSOR_H
#define SIM_TENSOR_H

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

#endif
