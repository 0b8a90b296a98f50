/* matrix.c - tensor-core instructions: mma.sync m16n8k*; see matrix.h.
 *
 * Lanes hold the matrices as the PTX ISA defines it. Numbers follow base/math/mma_model.c; integers
 * are exact. Values of lanes that have exited are zeros. Called by meeting.c.
 */
#include "config.h"

#include "sim/exec/matrix.h"

#include <limits.h>

#include "base/math/mma_model.c"
#include "sim/exec/lane.h"

enum { ROWS = 16, COLUMNS = 8, MAX_K = 32 };

/* The matrices of one instruction: values, and integers instead for integer formats. */
struct matrices {
	struct mma_value a[ROWS][MAX_K], b[COLUMNS][MAX_K];
	int ia[ROWS][MAX_K], ib[COLUMNS][MAX_K];
};

static const struct {
	enum mma_kind kind;
	int bits;
	bool integer, is_signed;
} formats[] = {
	[FT_MATRIX_BF16] = { MMA_BF16, 16, false, true },
	[FT_MATRIX_F16] = { MMA_F16, 16, false, true },
	[FT_MATRIX_TF32] = { MMA_TF32, 32, false, true },
	[FT_MATRIX_E4M3] = { MMA_E4M3, 8, false, true },
	[FT_MATRIX_E5M2] = { MMA_E5M2, 8, false, true },
	[FT_MATRIX_S8] = { MMA_F32, 8, true, true },
	[FT_MATRIX_U8] = { MMA_F32, 8, true, false },
};

static struct ft_matrix *of_lane(const struct warp *warp, unsigned lane)
{
	return (struct ft_matrix *)(uintptr_t)warp->values[lane];
}

/* --- operands --- */

/* Stores one element of A (row, k) or B (column, k). */
static void place(enum ft_matrix_format format, uint32_t bits, struct mma_value *value,
		  int *integer)
{
	if (formats[format].integer)
		*integer = formats[format].is_signed ? (int8_t)bits : (uint8_t)bits;
	else
		*value = mma_decode(formats[format].kind, bits);
}

/* Register r of a lane holds `per` neighbours along k, which begin at its number in the group of
 * four; further registers have the row 8 below, then the next k. */
static void read_lane(const struct ft_matrix *m, unsigned lane, struct matrices *out)
{
	int group = (int)lane >> 2, in_group = lane & 3, bits = formats[m->a_format].bits;
	int per = 32 / bits, registers = m->k / (4 * per);
	uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;

	for (int r = 0; r < 2 * registers; r++)
		for (int i = 0; i < per; i++) {
			int row = group + 8 * (r & 1), k = (in_group + (r >> 1) * 4) * per + i;

			place(m->a_format, m->a[r] >> i * bits & mask, &out->a[row][k],
			      &out->ia[row][k]);
		}
	for (int r = 0; r < registers; r++)
		for (int i = 0; i < per; i++) {
			int k = (in_group + r * 4) * per + i;

			place(m->b_format, m->b[r] >> i * bits & mask, &out->b[group][k],
			      &out->ib[group][k]);
		}
}

/* --- results --- */

static uint32_t integer_element(const struct ft_matrix *m, const int *a, const int *b, uint32_t c)
{
	int64_t sum = (int32_t)c;

	for (int k = 0; k < m->k; k++)
		sum += a[k] * b[k];
	if (m->saturates)
		sum = sum > INT_MAX ? INT_MAX : sum < INT_MIN ? INT_MIN : sum;
	return (uint32_t)sum;
}

static uint32_t element(const struct ft_matrix *m, const struct matrices *all, int row, int column,
			uint32_t c)
{
	const struct mma_op op = {
		formats[m->a_format].kind, formats[m->b_format].kind,
		m->d_format == FT_MATRIX_F16 ? MMA_F16 : MMA_F32, m->k, 25,
		formats[m->a_format].bits == 8,
	};

	if (formats[m->a_format].integer)
		return integer_element(m, all->ia[row], all->ib[column], c);
	return mma_element(&op, all->a[row], all->b[column], c);
}

static void write_lane(struct ft_matrix *m, unsigned lane, const struct matrices *all)
{
	int group = (int)lane >> 2, in_group = lane & 3;
	bool halves = m->d_format == FT_MATRIX_F16;

	for (int i = 0; i < 4; i++) {
		int row = group + 8 * (i >> 1), column = 2 * in_group + (i & 1);
		uint32_t c = halves ? m->c[i >> 1] >> 16 * (i & 1) & 0xffff : m->c[i];
		uint32_t d = element(m, all, row, column, c);

		if (!halves)
			m->d[i] = d;
		else if (i & 1)
			m->d[i >> 1] |= d << 16;
		else
			m->d[i >> 1] = d;
	}
}

void matrix_multiply(struct warp *warp)
{
	static __thread struct matrices all;

	memset(&all, 0, sizeof all);
	for (unsigned i = 0; i < WARP_LANES; i++)
		if (!(warp->exited >> i & 1))
			read_lane(of_lane(warp, i), i, &all);
	for (unsigned i = 0; i < WARP_LANES; i++)
		if (!(warp->exited >> i & 1))
			write_lane(of_lane(warp, i), i, &all);
}

void matrix_gather(struct warp *warp)
{
	uint64_t values[WARP_LANES] = { 0 };

	for (unsigned i = 0; i < WARP_LANES; i++)
		if (!(warp->exited >> i & 1))
			values[i] = ((struct ft_gather *)(uintptr_t)warp->values[i])->mine;
	for (unsigned i = 0; i < WARP_LANES; i++)
		if (!(warp->exited >> i & 1))
			memcpy(((struct ft_gather *)(uintptr_t)warp->values[i])->all, values,
			       sizeof values);
}
