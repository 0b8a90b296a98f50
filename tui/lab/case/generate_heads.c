/* generate_heads.c - a KV cache whose values show which head was read; see generators.h. */
#include "tui/lab/case/generators.h"

#include <math.h>

/* v[batch, kv_heads, n, d], filled with numbers from 0 to 1, becomes g to g + 0.9 for KV head g.
 * Keys and values from lengths[b] on were never written. */
enum status generate_numbered_heads(struct lab_case *c)
{
	struct case_array *k, *v, *lengths;
	size_t heads, n, d;

	TRY(generator_array(c, "k", &k));
	TRY(generator_array(c, "v", &v));
	TRY(generator_array(c, "lengths", &lengths));
	heads = (size_t)v->shape[1];
	n = (size_t)v->shape[2];
	d = (size_t)v->shape[3];
	for (size_t i = 0; i < v->count; i++) {
		float *value = (float *)v->data + i;
		size_t row = i / d, length = (size_t)((int32_t *)lengths->data)[row / n / heads];

		*value = (float)(row / n % heads) + 0.9f * *value;
		if (row % n >= length)
			*value = ((float *)k->data)[i] = (float)LAB_UNWRITTEN;
	}
	return STATUS_OK;
}
