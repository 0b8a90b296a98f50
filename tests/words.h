/* words.h - the kernels of tests/words.cu as launches, shared by the simulator's and the GPU's tests. */
#ifndef WORDS_H
#define WORDS_H

#include "engine/device.h"

const struct kernel *word_kernel(const char *name);

/* Opens a device or stops the test program with the error. */
struct device *word_device(const char *name, uint64_t seed, int jobs);

/* A buffer of `count` 4-byte elements holding `values` (NULL: left as poison). */
struct buffer *word_buffer(struct device *, const char *name, size_t count, const void *values);
void word_read(struct device *, const struct buffer *, void *out);

/* Launches NAME over grid and block with the arguments, and returns the status. */
enum status word_launch(struct device *, const char *name, struct dim3 grid, struct dim3 block,
			unsigned shared, const struct arg *args, int arg_count);

/* Every word kernel that ends well, each with its inputs; case `index` writes its result to *out, which
 * the caller frees. Returns the case's name, NULL past the last. */
const char *word_case(struct device *, int index, uint32_t **out, size_t *words);

#endif
