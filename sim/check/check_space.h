/* check_space.h - the reserved addresses of a checker and their shadow. Private to the checker. */
#ifndef CHECK_SPACE_H
#define CHECK_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct check;

/* The range is divided into granules of a power of two, at least MIN_GRANULE. Each contains at most
 * one buffer, and the gap between two buffers is at least MIN_GRANULE. */
#define MAX_GRANULES 8192
#define MIN_GRANULE ((size_t)64 << 10)

static inline size_t check_rounded(size_t bytes, size_t to)
{
	return (bytes + to - 1) / to * to;
}

/* Reserves as many addresses as limits allow, up to 8 TiB and their shadow. DEVICE (2) if they are
 * too few. */
enum status check_space_reserve(struct check *);
void check_space_free(struct check *);
/* Whether limits did not reduce the range. */
bool check_space_is_full(const struct check *);
size_t check_space_granule(const struct check *);       /* in bytes */
/* Addresses for the shared memory of one block, the gap included. */
size_t check_space_arena(size_t span);

/* Makes memory in the range usable, and the shadow that says which bytes are allocated and written.
 * False: out of memory, nothing has changed. */
bool check_space_map(struct check *, uintptr_t at, size_t bytes);
/* Makes all shadow of a range usable, to record accesses. False: out of memory. */
bool check_space_record(struct check *, uintptr_t at, size_t bytes);
/* Frees memory and all its shadow. The addresses stay reserved; their shadow is zero again. */
void check_space_unmap(struct check *, uintptr_t at, size_t bytes);

/* For the message of an allocation that failed: ", data is limited to 64 MiB (ulimit -d)" or "". */
const char *check_space_limit(void);

#endif
