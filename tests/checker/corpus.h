/* corpus.h - launches the kernels of the corpus, for test programs on the simulator and on a GPU.
 *
 * The kernels and their BUG marks are in the .cu files here, the list of cases in cases.h. oob.cu
 * describes the arguments of the launches.
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

/* Allocates a buffer of `count` elements and fills it with `values` unless they are NULL. */
enum status corpus_buffer(struct device *, const char *name, enum dtype, int count,
			  const void *values, struct buffer **out);
/* Launches the kernel or its clean twin and waits for it; y, unless NULL, receives the buffer y.
 * Frees the buffers, unless the device has faulted. Returns STATUS_DEVICE if the kernel faults. */
enum status corpus_launch(struct device *, const struct corpus_case *, bool clean,
			  uint32_t y[CORPUS_N]);

#endif
