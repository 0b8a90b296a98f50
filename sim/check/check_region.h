/* check_region.h - where memory lies, and what of it was written. Private to the checker. */
#ifndef CHECK_REGION_H
#define CHECK_REGION_H

#include <stddef.h>
#include <stdint.h>

struct check;
struct check_region;
struct listener;

/* The region an address belongs to, the nearest one below otherwise, else the first. */
const struct check_region *check_region_at(const struct check *, uintptr_t address);

/* Addresses for the shadow of the variables of an object; 0: there are none left. */
uintptr_t check_image_of(struct check *, uintptr_t code, size_t bytes);

/* Nobody has written these bytes; a block may use these of its shared memory. */
void check_unwritten(struct check *, const void *memory, size_t bytes);
void check_allocated(struct check *, const void *memory, size_t bytes);
/* Shared memory of a block; NULL without one. */
void *check_arena(struct listener *, size_t bytes);

#endif
