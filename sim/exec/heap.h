/* heap.h - memory that kernels allocate: malloc(), free(), new and delete in device code. */
#ifndef SIM_HEAP_H
#define SIM_HEAP_H

#include <stdbool.h>
#include <stddef.h>

struct heap;

#define HEAP_BYTES ((size_t)8 << 20)    /* CUDA's default for cudaLimitMallocHeapSize */

/* The heap of a device. Its size is fixed once a kernel called malloc(). */
struct device_heap {
	size_t bytes;
	bool used;
	struct heap *plain;             /* of launches that are not checked; NULL: not created */
};

#define HEAP_ALIGNMENT 16               /* of its size too: the checker places its end */

/* Frees the heap of launches that are not checked, with its memory. */
void device_heap_close(struct device_heap *);

/* A heap in `memory`, which stays the caller's and holds what it should hold at first; `bytes` is a
 * multiple of HEAP_ALIGNMENT. */
struct heap *heap_new(void *memory, size_t bytes);
void heap_delete(struct heap *);          /* NULL is allowed */

#endif
