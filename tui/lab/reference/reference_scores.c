/* reference_scores.c - references that begin with a query and keys, and those of one reduction, in
 * float64; see references.h. The kernels' `scale` is a float, so it is rounded to one here. */
#include "tui/lab/reference/references.h"

static double dot(const struct case_array *a, size_t i, const struct case_array *b, size_t k,
		  size_t count)
{
	double sum = 0;

	for (size_t j = 0; j < count; j++)
		sum += reference_value(a, i + j) * reference_value(b, k + j);
	return sum;
}

/* Weights of one query: q[d], keys[n, d], scale. out: scores = scale * keys . q, and
 * p = softmax(scores). */
void reference_safe_softmax(struct reference_job *job)
{
	const struct case_array *q = reference_array(job, "q");
	const struct case_array *keys = reference_array(job, "keys");
	double scale = (float)reference_size(job, "scale"), max = -INFINITY, sum = 0;
	double *scores = reference_output(job, "scores"), *p = reference_output(job, "p");
	size_t n, d;

	if (job->missing)
		return;
	n = (size_t)keys->shape[0];
	d = (size_t)keys->shape[1];
	for (size_t i = 0; i < n; i++) {
		scores[i] = scale * dot(q, 0, keys, i * d, d);
		max = fmax(max, scores[i]);
	}
	for (size_t i = 0; i < n; i++)
		sum += p[i] = exp(scores[i] - max);
	for (size_t i = 0; i < n; i++)
		p[i] /= sum;
}

/* Of each row of x[rows, n]. out: m, the maximum, and l, the sum of exp(x - m). */
void reference_max_and_sum(struct reference_job *job)
{
	const struct case_array *x = reference_array(job, "x");
	double *m = reference_output(job, "m"), *l = reference_output(job, "l");
	size_t n;

	if (job->missing)
		return;
	n = (size_t)x->shape[1];
	for (size_t row = 0; row < (size_t)x->shape[0]; row++) {
		m[row] = -INFINITY;
		l[row] = 0;
		for (size_t i = row * n; i < (row + 1) * n; i++)
			m[row] = fmax(m[row], reference_value(x, i));
		for (size_t i = row * n; i < (row + 1) * n; i++)
			l[row] += exp(reference_value(x, i) - m[row]);
	}
}

struct split {
	const struct case_array *q, *keys, *values;
	double scale;
	size_t row, first, end;         /* keys `first` to end - 1 */
};

/* One partial: o[d] = sum of exp(s - m) * value, not divided by l. */
static void attend_split(const struct split *s, double *o, double *m, double *l)
{
	size_t n = (size_t)s->keys->shape[1], d = (size_t)s->keys->shape[2];
	double max = -INFINITY;

	for (size_t i = s->first; i < s->end; i++)
		max = fmax(max, s->scale * dot(s->q, s->row * d, s->keys, (s->row * n + i) * d, d));
	*m = max;
	for (size_t i = s->first; i < s->end; i++) {
		size_t at = (s->row * n + i) * d;
		double p = exp(s->scale * dot(s->q, s->row * d, s->keys, at, d) - max);

		*l += p;
		for (size_t j = 0; j < d; j++)
			o[j] += p * reference_value(s->values, at + j);
	}
}

/* Partials of q[rows, d] over keys and values [rows, n, d]; split s has the keys from s * chunk on.
 * A split without keys has o = 0, m = -infinity, l = 0. out: o[rows, splits, d], m[rows, splits],
 * l[rows, splits]. */
void reference_decode_partials(struct reference_job *job)
{
	const struct case_array *lengths = reference_array(job, "lengths");
	struct split s = {
		.q = reference_array(job, "q"), .keys = reference_array(job, "keys"),
		.values = reference_array(job, "values"),
		.scale = (float)reference_size(job, "scale"),
	};
	size_t chunk = (size_t)reference_size(job, "chunk");
	size_t splits = (size_t)reference_size(job, "splits");
	double *o = reference_output(job, "o");
	double *m = reference_output(job, "m"), *l = reference_output(job, "l");

	if (job->missing)
		return;
	for (size_t i = 0; i < lengths->count * splits; i++) {
		size_t length = (size_t)reference_value(lengths, i / splits);

		s.row = i / splits;
		s.first = i % splits * chunk;
		s.end = s.first + chunk < length ? s.first + chunk : length;
		attend_split(&s, o + i * (size_t)s.keys->shape[2], &m[i], &l[i]);
	}
}
