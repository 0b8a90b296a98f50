/* check_region.h - placement of memory, and which bytes are written. Private to the checker. */
#ifndef CHECK_REGION_H
#define CHECK_REGION_H

#include <stddef.h>
#include <stdint.h>

struct check;
struct check_region;
struct listener;

/* The region that contains an address, otherwise the nearest one below, otherwise the first; NULL
 * if there are no regions. */
const struct check_region *check_region_at(const struct check *, uintptr_t address);

/* Addresses for the shadow of an object's variables; 0: none left. */
uintptr_t check_image_of(struct check *, uintptr_t code, size_t bytes);

/* Marks bytes as unwritten; as allocated, for a block's shared memory. */
void check_unwritten(struct check *, const void *memory, size_t bytes);
void check_allocated(struct check *, const void *memory, size_t bytes);
/* Shared memory of a block; NULL if out of memory. */
void *check_arena(struct listener *, size_t bytes);

#endif
