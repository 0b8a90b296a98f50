/* words.h - launches of the kernels in tests/words.cu, for tests on the simulator and on a GPU. */
#ifndef WORDS_H
#define WORDS_H

#include "engine/device.h"

const struct kernel *word_kernel(const char *name);

/* Opens a device, or prints the error and exits. */
struct device *word_device(const char *name, uint64_t seed, int jobs);

/* A buffer of `count` 4-byte elements holding `values` (NULL: left as poison). */
struct buffer *word_buffer(struct device *, const char *name, size_t count, const void *values);
void word_read(struct device *, const struct buffer *, void *out);

/* Launches NAME over grid and block with the arguments, and returns the status. */
enum status word_launch(struct device *, const char *name, struct dim3 grid, struct dim3 block,
			unsigned shared, const struct arg *args, int arg_count);

/* What a lane gives in each part of the case "butterflies". */
enum { BUTTERFLY_CASES = 9 };
float butterfly_value(int number, int lane);

/* Runs case `index`, a kernel that must succeed, with its inputs. *out receives the result, which
 * the caller frees. Returns the name of the case, NULL after the last one. */
const char *word_case(struct device *, int index, uint32_t **out, size_t *words);

#endif
