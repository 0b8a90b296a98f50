/* check_open.c - creates and destroys a checker. Its addresses are reserved by check_space.c. */
#include "config.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "sim/check/check_async.h"
#include "sim/check/check_cluster.h"
#include "sim/check/check_early.h"
#include "sim/check/check_find.h"
#include "sim/check/check_heap.h"
#include "sim/check/check_nan.h"
#include "sim/check/check_op.h"
#include "sim/check/check_order.h"
#include "sim/check/check_region.h"
#include "sim/check/check_segment.h"
#include "sim/check/check_shadow.h"
#include "sim/check/check_space.h"
#include "sim/check/check_state.h"
#include "sim/check/check_sync.h"
#include "sim/check/accesses.h"
#include "sim/check/counters.h"
#include "sim/exec/heap.h"

static const struct listener_calls calls = {
	.arena = check_arena,
	.heap = check_heap, .heap_use = check_heap_use,
	.block_begin = check_block_begin,
	.barrier_arrive = check_barrier_arrive,
	.barrier_release = check_barrier_release,
	.named_arrive = check_named_arrive,
	.named_leave = check_named_leave,
	.cluster_arrive = check_cluster_arrive,
	.cluster_release = check_cluster_release,
	.cluster_leave = check_cluster_leave,
	.cluster_exit = check_cluster_exit,
	.grid_release = check_grid_release,
	.let_next = check_let_next,
	.grid_waited = check_grid_waited,
	.collective_arrive = check_collective_arrive,
	.collective_finish = check_collective_finish,
	.shuffle_inactive = check_shuffle_inactive,
	.pause = check_pause,
	.fence = check_fence,
	.bulk_begin = check_bulk_begin,
	.async_begin = check_async_begin,
	.async_end = check_async_end,
	.deadlock = check_deadlock,
	.trap = check_trap,
	.stepped = check_stepped,
};

enum status check_create(struct check **out)
{
	struct check *check = xcalloc(1, sizeof *check);
	enum status status = check_space_reserve(check);

	if (status == STATUS_OK)
		status = check_slices_create(check);
	if (status != STATUS_OK) {
		check_destroy(check);
		return status;
	}
	check->listener.calls = &calls;
	check->hot.check = check;
	check->granules = xcalloc(MAX_GRANULES, sizeof *check->granules);
	check->reached = xcalloc(MAX_GRANULES, 1);
	check->hot.reached = check->reached;
	check->counters = counters_create();
	*out = check;
	return STATUS_OK;
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
	check_space_free(check);
	check_slices_free(check);
	heap_delete(check->heap);
	free(check->regions);
	free(check->images);
	free(check->granules);
	free(check->reached);
	free(check);
}

void check_count(struct check *check)
{
	check->counting = true;
}

void check_watch(struct check *check, const struct block_range *blocks, size_t count)
{
	accesses_watch(counters_accesses(check->counters), blocks, count);
}

void check_memory(struct check *check, struct row_memory *out)
{
	counters_memory(check->counters, out);
}

size_t check_counters(struct check *check, const struct row_counters **out)
{
	return counters_list(check->counters, out);
}
