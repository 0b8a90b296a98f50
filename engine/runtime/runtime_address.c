/* runtime_address.c - the memory that the program may pass to the API, sorted by address.
 *
 * Addresses of all devices differ, so one list serves them all. A kernel's argument or an operand
 * of a copy may point anywhere into an allocation.
 */
#include "config.h"

#include "engine/runtime/runtime_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* The number of allocations that begin at or before the address. */
static size_t begin_before(uint64_t address)
{
	size_t low = 0, high = runtime.allocation_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (runtime.allocations[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct allocation *address_find(const void *pointer)
{
	uint64_t address = (uint64_t)(uintptr_t)pointer;
	size_t count = begin_before(address);
	struct allocation *found = count ? &runtime.allocations[count - 1] : NULL;

	return found && address - found->address < found->bytes ? found : NULL;
}

void address_add(struct allocation allocation)
{
	size_t at = begin_before(allocation.address), count = runtime.allocation_count;

	runtime.allocations = xreallocarray(runtime.allocations, count + 1,
					    sizeof *runtime.allocations);
	memmove(runtime.allocations + at + 1, runtime.allocations + at,
		(count - at) * sizeof *runtime.allocations);
	runtime.allocations[at] = allocation;
	runtime.allocation_count++;
}

void address_remove(struct allocation *allocation)
{
	size_t at = (size_t)(allocation - runtime.allocations);

	memmove(allocation, allocation + 1,
		(runtime.allocation_count - at - 1) * sizeof *allocation);
	runtime.allocation_count--;
}
