/* head_sizes.h - the head sizes for which kernels with tiles in registers are built: those of the
 * ladder from rung 5 up, and attention_prefill_tiled. For the host. */
#ifndef HEAD_SIZES_H
#define HEAD_SIZES_H

#include <stdbool.h>

#define HEAD_SIZES 64, 80, 96, 128, 256         /* elements of an array */
#define HEAD_SIZE_COUNT 5
#define HEAD_SIZES_AND "64, 80, 96, 128 and 256"
#define HEAD_SIZES_OR "64, 80, 96, 128 or 256"

static inline bool head_size_has(int D)
{
	const int sizes[HEAD_SIZE_COUNT] = { HEAD_SIZES };
	bool found = false;

	for (int i = 0; i < HEAD_SIZE_COUNT; i++)
		found = found || sizes[i] == D;
	return found;
}

#endif
