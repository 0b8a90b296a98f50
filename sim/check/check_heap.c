/* check_heap.c - the heap of checked launches: which of its bytes are in use.
 *
 * The heap is one region that every launch reaches. Bytes that malloc() did not give out, or that
 * were freed, count as not allocated; those that it gives out are unwritten. What a kernel does not
 * free is no leak: CUDA keeps it for later launches.
 */
#include "config.h"

#include "sim/check/check_heap.h"

#include "sim/check/check.h"
#include "sim/check/check_reach.h"
#include "sim/check/check_region.h"
#include "sim/check/check_settle.h"
#include "sim/check/check_state.h"
#include "sim/check/check_volatile.h"
#include "sim/exec/heap.h"

struct heap *check_heap(struct listener *listener, size_t bytes)
{
	struct check *check = check_of(listener);
	void *memory;

	if (check->heap)
		return check->heap;
	memory = check_map_heap(check, bytes);
	if (!memory)
		return NULL;
	check->heap = heap_new(memory, bytes);
	check->heap_at = (uintptr_t)memory;
	return check_reach_heap(check) ? check->heap : NULL;
}

void check_free_heap(struct check *check)
{
	if (!check->heap)
		return;
	check_unmap(check, (void *)check->heap_at);
	heap_delete(check->heap);
	check->heap = NULL;
}

void check_heap_use(struct listener *listener, const void *memory, size_t bytes, bool used)
{
	struct check *check = check_of(listener);

	check_settle(check);
	check_release_held(false);
	if (used) {
		check_unwritten(check, memory, bytes);
		check_allocated(check, memory, bytes);
	} else {
		check_deallocated(check, memory, bytes);
	}
}
