/* reference_combine.c - the merge of the partials of splits, in float64; see references.h. */
#include "tui/lab/reference/references.h"

struct layout {
	size_t o_row, o_split, ml_row, ml_split;
};

/* One row; splits with a sum of 0 have no keys, and no accumulator to read. */
static void merge_row(const struct case_array *o, const struct case_array *m,
		      const struct case_array *l, const struct layout *at, size_t row,
		      size_t splits, size_t d, double *out, double *lse)
{
	double max = -INFINITY, sum = 0;

	for (size_t s = 0; s < splits; s++)
		max = fmax(max, reference_value(m, row * at->ml_row + s * at->ml_split));
	for (size_t j = 0; j < d; j++)
		out[j] = 0;
	for (size_t s = 0; s < splits; s++) {
		size_t place = row * at->ml_row + s * at->ml_split;
		double l_s = reference_value(l, place), factor;

		if (l_s == 0)
			continue;
		factor = exp(reference_value(m, place) - max);
		sum += factor * l_s;
		for (size_t j = 0; j < d; j++)
			out[j] += factor * reference_value(o, row * at->o_row
							   + s * at->o_split + j);
	}
	for (size_t j = 0; j < d && sum > 0; j++)
		out[j] /= sum;
	*lse = max + log(sum);
}

/* out: out[rows, d], lse[rows]; a row without keys gives 0 and -infinity. */
void reference_combine(struct reference_job *job)
{
	const struct case_array *o = reference_array(job, "part_o");
	const struct case_array *m = reference_array(job, "part_m");
	const struct case_array *l = reference_array(job, "part_l");
	double *out = reference_output(job, "out"), *lse = reference_output(job, "lse");
	size_t rows = (size_t)reference_size(job, "rows"), d = (size_t)reference_size(job, "d");
	size_t splits = (size_t)reference_size(job, "splits");
	const struct layout at = {
		(size_t)reference_size(job, "o_row"), (size_t)reference_size(job, "o_split"),
		(size_t)reference_size(job, "ml_row"), (size_t)reference_size(job, "ml_split"),
	};

	if (job->missing)
		return;
	for (size_t row = 0; row < rows; row++)
		merge_row(o, m, l, &at, row, splits, d, out + row * d, &lse[row]);
}
