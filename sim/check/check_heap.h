/* check_heap.h - the heap of checked launches. Private to the checker. */
#ifndef CHECK_HEAP_H
#define CHECK_HEAP_H

#include <stdbool.h>
#include <stddef.h>

struct heap;
struct listener;

/* See struct listener_calls. */
struct heap *check_heap(struct listener *, size_t bytes);
void check_heap_use(struct listener *, const void *memory, size_t bytes, bool used);

#endif
