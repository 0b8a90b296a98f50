/* check_region.h - placement of memory, and which bytes are written. Private to the checker. */
#ifndef CHECK_REGION_H
#define CHECK_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct check;
struct check_region;
struct listener;

/* The region that contains an address, otherwise the nearest one below, otherwise the first; NULL
 * if there are no regions. */
const struct check_region *check_region_at(const struct check *, uintptr_t address);

/* How far the first buffers are apart, in bytes. */
size_t check_region_distance(const struct check *);
/* Makes the accesses of a buffer recordable, at the first launch that can access it. False: out of
 * memory. */
bool check_recordable(struct check *, uintptr_t at, size_t bytes);
/* Addresses for the shadow of an object's variables; 0: too few are left. False: out of memory. */
bool check_image_of(struct check *, uintptr_t data, size_t bytes, uintptr_t *out);
/* How many of the bytes from `at` on are allocated, up to `bytes`. */
size_t check_is_allocated(const struct check *, uintptr_t at, size_t bytes);

/* Marks bytes as unwritten; as allocated, for a block's shared memory. */
void check_unwritten(struct check *, const void *memory, size_t bytes);
void check_allocated(struct check *, const void *memory, size_t bytes);
/* Marks bytes as not allocated, in a heap. */
void check_deallocated(struct check *, const void *memory, size_t bytes);
/* Memory for a heap, of which no byte is allocated; NULL if out of memory. */
void *check_map_heap(struct check *, size_t bytes);
/* Shared memory of a block; NULL if out of memory. */
void *check_arena(struct listener *, size_t bytes);

#endif
