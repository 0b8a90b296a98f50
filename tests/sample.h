/* sample.h - for tests: reads the sample model's prompts and reference vectors. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "tests/support.h"

#include <math.h>

#include "base/npy.h"

#define SAMPLE_DIRECTORY SOURCE_DATADIR "/samples/shakespeare"

/* reference/<which>/<name>.npy */
static inline struct npy sample_npy(const char *which, const char *name, enum dtype dtype)
{
	char path[4096];
	struct npy array;

	snprintf(path, sizeof path, "%s/reference/%s/%s.npy", SAMPLE_DIRECTORY, which, name);
	OK(npy_read(path, &array));
	ck_assert_int_eq(array.dtype, dtype);
	return array;
}

/* Returns the prompt of a reference as bytes, which the caller frees. */
static inline unsigned char *sample_prompt(const char *which, size_t *count)
{
	struct npy tokens = sample_npy(which, "tokens", DTYPE_I32);
	unsigned char *prompt = malloc(tokens.count);

	ck_assert_ptr_nonnull(prompt);
	for (size_t i = 0; i < tokens.count; i++)
		prompt[i] = (unsigned char)((const int32_t *)tokens.data)[i];
	*count = tokens.count;
	npy_free(&tokens);
	return prompt;
}

static inline double max_difference(const float *a, const float *b, size_t count)
{
	double max = 0.0;

	for (size_t i = 0; i < count; i++)
		max = fmax(max, isnan(a[i]) ? INFINITY : fabs((double)a[i] - b[i]));
	return max;
}

#endif
