/* reference_gqa.c - attention of one query per sequence with grouped KV heads, in float64; see
 * references.h. */
#include "tui/lab/reference/references.h"

struct heads {
	const struct case_array *q, *k, *v;
	size_t n, d;
};

/* softmax(q[query] . k[kv, i] / sqrt(d)) . v[kv, i] over the first `length` keys; 0 if there are
 * none. */
static void attend(const struct heads *a, size_t query, size_t kv, size_t length, double *out)
{
	double max = -INFINITY, sum = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < length; i++) {
			size_t row = (kv * a->n + i) * a->d;
			double score = 0, p;

			for (size_t j = 0; j < a->d; j++)
				score += reference_value(a->q, query * a->d + j)
					* reference_value(a->k, row + j);
			score /= sqrt((double)a->d);
			if (pass == 0) {
				max = fmax(max, score);
				continue;
			}
			sum += p = exp(score - max);
			for (size_t j = 0; j < a->d; j++)
				out[j] += p * reference_value(a->v, row + j);
		}
	}
	for (size_t j = 0; j < a->d && sum > 0; j++)
		out[j] /= sum;
}

/* q[batch, heads, d], k and v [batch, kv_heads, n, d], lengths[batch]. out: out[batch, heads, d],
 * and if the lab has it refused[batch], which is 1 if the heads cannot be divided; then out may
 * hold anything. */
void reference_gqa(struct reference_job *job)
{
	struct heads a = {
		reference_array(job, "q"), reference_array(job, "k"), reference_array(job, "v"),
		(size_t)reference_size(job, "n"), (size_t)reference_size(job, "d"),
	};
	const struct case_array *lengths = reference_array(job, "lengths");
	double *out = reference_output(job, "out");
	double *refused = reference_optional(job, "refused");
	size_t batch = (size_t)reference_size(job, "batch");
	size_t heads = (size_t)reference_size(job, "heads");
	size_t kv_heads = (size_t)reference_size(job, "kv_heads");

	bool undivided;

	if (job->missing)
		return;
	undivided = heads % kv_heads != 0;
	for (size_t row = 0; row < batch * heads; row++) {
		size_t b = row / heads, h = row % heads;

		if (refused)
			refused[b] = undivided;
		for (size_t j = 0; j < a.d; j++)
			out[row * a.d + j] = undivided ? LAB_ANY : 0;
		if (!undivided)
			attend(&a, row, b * kv_heads + h / (heads / kv_heads),
			       (size_t)reference_value(lengths, b), out + row * a.d);
	}
}
