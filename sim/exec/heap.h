/* heap.h - memory that kernels allocate: malloc(), free(), new and delete in device code. */
#ifndef SIM_HEAP_H
#define SIM_HEAP_H

#include <stddef.h>

struct heap;

#define HEAP_BYTES ((size_t)8 << 20)    /* CUDA's default for cudaLimitMallocHeapSize */

/* A heap in `memory`, which stays the caller's. */
struct heap *heap_new(void *memory, size_t bytes);
void heap_delete(struct heap *);          /* NULL is allowed */

#endif
