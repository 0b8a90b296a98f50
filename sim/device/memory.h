/* memory.h - device memory of a simulated device: one mapping per allocation, guarded. */
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include <stddef.h>

#include "base/status.h"

/* The real size of an allocation of `bytes`: rounded up to a multiple of 256. */
size_t memory_size(size_t bytes);

/* DEVICE with error_code() 2 if this machine does not have so much memory. */
enum status memory_check(size_t bytes);
/* Maps `bytes`, rounded up to 256, directly before a guard page. DEVICE with error_code() 2 if out
 * of memory. A size of 0 gives a valid address. */
enum status memory_map(size_t bytes, void **out);
void memory_unmap(void *memory, size_t bytes);

/* Writes `words` copies of a 32-bit pattern. */
void memory_fill(void *memory, unsigned pattern, size_t words);

#endif
