/* check_open.c - creates and destroys a checker: its reserved address range and shadow memory.
 *
 * Shadow memory uses physical memory only where it is touched. check_region.c places memory in the
 * range.
 */
#include "config.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/xalloc.h"
#include "sim/check/check_async.h"
#include "sim/check/check_find.h"
#include "sim/check/check_nan.h"
#include "sim/check/check_op.h"
#include "sim/check/check_order.h"
#include "sim/check/check_region.h"
#include "sim/check/check_shadow.h"
#include "sim/check/check_state.h"
#include "sim/check/check_sync.h"
#include "sim/check/counters.h"

#define ARENA_SHARE 64                  /* 1/64 of the range is for shared memory */
#define MAX_SPAN ((size_t)1 << 43)
#define MIN_SPAN ((size_t)1 << 28)

static const struct listener_calls calls = {
	.arena = check_arena,
	.block_begin = check_block_begin,
	.barrier_arrive = check_barrier_arrive,
	.barrier_release = check_barrier_release,
	.collective_arrive = check_collective_arrive,
	.collective_finish = check_collective_finish,
	.shuffle_inactive = check_shuffle_inactive,
	.pause = check_pause,
	.fence = check_fence,
	.async_begin = check_async_begin,
	.async_end = check_async_end,
	.deadlock = check_deadlock,
	.trap = check_trap,
	.stepped = check_stepped,
};

/* Bytes of shadow for `span` bytes: cells, the other reader, state. */
static size_t shadow_bytes(size_t span)
{
	return span * 4 + span * 2 + span / 4;
}

static void lay_out(struct check *check, unsigned char *memory, size_t span)
{
	struct check_hot *hot = &check->hot;
	unsigned char *at = memory + span;

	check->reserved = memory;
	hot->base = (uintptr_t)memory;
	hot->span = span;
	hot->shared_span = span / ARENA_SHARE;
	hot->cell = (struct check_cell *)(void *)at;
	hot->cells = (uintptr_t)at - 4 * hot->base;
	hot->words = span / 4;
	hot->shared_words = hot->shared_span / 4;
	at += span * 4;
	hot->reader = (uint64_t *)(void *)at;
	at += span * 2;
	hot->state = at;
	hot->check = check;
	hot->granule = (unsigned)__builtin_ctzll(span / GRANULES / 4);
	check->reached = xcalloc(GRANULES, 1);
	hot->reached = check->reached;
}

/* Reserves as much as possible: a debugger or a limit may leave little. */
enum status check_create(struct check **out)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	const size_t slices = MAX_SLICES * sizeof(struct check_slice);
	struct check *check = xcalloc(1, sizeof *check);

	for (size_t span = MAX_SPAN; span >= MIN_SPAN; span /= 2) {
		size_t bytes = span + shadow_bytes(span);
		void *memory = mmap(NULL, bytes, PROT_NONE, flags, -1, 0);

		if (memory == MAP_FAILED)
			continue;
		check->reserved_bytes = bytes;
		lay_out(check, memory, span);
		check->slices = mmap(NULL, slices, PROT_READ | PROT_WRITE, flags, -1, 0);
		if (check->slices != MAP_FAILED
		    && mprotect((unsigned char *)memory + span, bytes - span,
				PROT_READ | PROT_WRITE) == 0) {
			check->listener.calls = &calls;
			check->next_slice = 1;
			check->counters = counters_create();
			*out = check;
			return STATUS_OK;
		}
		if (check->slices != MAP_FAILED)
			munmap(check->slices, slices);
		munmap(memory, bytes);
	}
	free(check);
	return fail_device(2, "--check: cannot reserve %zu bytes of addresses for device memory "
			   "and its shadow", MIN_SPAN + shadow_bytes(MIN_SPAN));
}

void check_destroy(struct check *check)
{
	if (!check)
		return;
	check_alloc_end(check);
	check_find_free(check);
	check_ops_free(check);
	check_forget(check);
	counters_free(check->counters);
	munmap(check->reserved, check->reserved_bytes);
	munmap(check->slices, MAX_SLICES * sizeof(struct check_slice));
	free(check->regions);
	free(check->images);
	free(check->reached);
	free(check);
}

void check_count(struct check *check)
{
	check->hot.counters = check->counters;
}

size_t check_counters(struct check *check, const struct row_counters **out)
{
	return counters_list(check->counters, out);
}
