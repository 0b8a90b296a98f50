/* corpus.h - the kernels of the corpus as launches, for the simulator's and the GPU's programs.
 *
 * Kernels and markers are in the .cu files here, the list of them in cases.h. What all of them are
 * launched with is told in oob.cu.
 */
#ifndef CORPUS_H
#define CORPUS_H

#include "engine/device.h"

enum { CORPUS_N = 60 };                  /* elements of x and y */

struct corpus_case {
	const char *file, *name, *class;
	unsigned blocks, threads;
};

extern const struct corpus_case corpus_cases[];
extern const int corpus_count;

/* A buffer of `count` elements with these values; NULL: left as it is. */
enum status corpus_buffer(struct device *, const char *name, enum dtype, int count,
			  const void *values, struct buffer **out);
/* Launches the kernel, or its clean twin, and waits for it. y: gets what the kernel left in y, unless
 * it is NULL. Buffers are freed, but on a device that faulted. DEVICE when the kernel faults. */
enum status corpus_launch(struct device *, const struct corpus_case *, bool clean,
			  uint32_t y[CORPUS_N]);

#endif
