/* reference_softmax.c - softmax, attention of rows of scores, in float64; see
 * references.h. */
#include "tui/lab/reference/references.h"

static double max_of(const struct case_array *a, size_t first, size_t count)
{
	double max = -INFINITY;

	for (size_t i = 0; i < count; i++)
		max = fmax(max, reference_value(a, first + i));
	return max;
}

/* softmax(x) of each row of x[..., n]. out: p. */
void reference_softmax_rows(struct reference_job *job)
{
	const struct case_array *x = reference_array(job, "x");
	double *p = reference_output(job, "p");
	size_t n;

	if (job->missing)
		return;
	n = (size_t)x->shape[x->rank - 1];
	for (size_t first = 0; first < x->count; first += n) {
		double max = max_of(x, first, n), sum = 0;

		for (size_t i = first; i < first + n; i++)
			sum += p[i] = exp(reference_value(x, i) - max);
		for (size_t i = first; i < first + n; i++)
			p[i] /= sum;
	}
}

/* One row of scores[rows, n] and values[rows, n, d]; no keys give 0, -infinity and 0. */
static void attend_row(const struct case_array *scores, const struct case_array *values, size_t row,
		       size_t length, double *out, double *m, double *l)
{
	size_t n = (size_t)scores->shape[1], d = (size_t)values->shape[2];

	*m = max_of(scores, row * n, length);
	*l = 0;
	for (size_t j = 0; j < d; j++)
		out[j] = 0;
	for (size_t i = 0; i < length; i++) {
		double p = exp(reference_value(scores, row * n + i) - *m);

		*l += p;
		for (size_t j = 0; j < d; j++)
			out[j] += p * reference_value(values, (row * n + i) * d + j);
	}
	for (size_t j = 0; j < d && length > 0; j++)
		out[j] /= *l;
}

/* softmax(scores) . values over the first lengths[row] keys. out: out, m, l. */
void reference_online_softmax(struct reference_job *job)
{
	const struct case_array *scores = reference_array(job, "scores");
	const struct case_array *values = reference_array(job, "values");
	const struct case_array *lengths = reference_array(job, "lengths");
	double *out = reference_output(job, "out");
	double *m = reference_output(job, "m"), *l = reference_output(job, "l");

	if (job->missing)
		return;
	for (size_t row = 0; row < lengths->count; row++)
		attend_row(scores, values, row, (size_t)reference_value(lengths, row),
			   out + row * (size_t)values->shape[2], &m[row], &l[row]);
}
