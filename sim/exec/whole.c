/* whole.c - the order of threads, and their variables, in blocks that run on one stack; see
 * whole.h. */
#include "config.h"

#include "sim/exec/whole.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "sim/exec/cluster.h"
#include "sim/exec/worker.h"

struct whole {
	struct ft_whole view;           /* first: the kernel has its address */
	struct block *block;
	void **arrays;
	size_t *bytes;                  /* of each array */
	unsigned array_count;
	const struct ft_thread_view *views[MAX_WARPS * WARP_LANES];
};

static void add_run(struct ft_whole *view, unsigned from, unsigned to)
{
	if (from >= to)
		return;
	view->runs[view->run_count].from = from;
	view->runs[view->run_count++].to = to;
}

void whole_begin(struct block *block, const struct grid *grid)
{
	struct whole *whole = block->whole;

	block->view.whole = NULL;
	if (grid->seed != 0 || grid->listener || grid->cluster_size > 1 || !grid->code->shared)
		return;
	if (!whole) {
		whole = block->whole = xcalloc(1, sizeof *whole);
		whole->block = block;
		whole->view.views = whole->views;
		for (unsigned t = 0; t < MAX_WARPS * WARP_LANES; t++)
			whole->views[t] = &block->warps[t / WARP_LANES].lanes[t % WARP_LANES].view;
	}
	whole->view.run_count = 0;
	add_run(&whole->view, 0, block->threads);
	block->view.whole = &whole->view;
}

void whole_free(struct block *block)
{
	for (unsigned i = 0; block->whole && i < block->whole->array_count; i++)
		free(block->whole->arrays[i]);
	if (block->whole) {
		free(block->whole->arrays);
		free(block->whole->bytes);
	}
	free(block->whole);
	block->whole = NULL;
}

/* --- called by kernels --- */

/* With a stack each, the thread that arrives last goes on, then the others of its warp, then those
 * of the first warp that can run. */
void ft_whole_barrier(struct ft_whole *view)
{
	unsigned threads = ((struct whole *)view)->block->threads;
	unsigned last = view->runs[view->run_count - 1].to - 1;
	unsigned warp = last / WARP_LANES * WARP_LANES, end = warp + WARP_LANES;

	end = end < threads ? end : threads;
	view->run_count = 0;
	add_run(view, last, last + 1);
	add_run(view, warp, last);
	add_run(view, last + 1, end);
	add_run(view, 0, warp);
	add_run(view, end, threads);
}

void *ft_whole_array(struct ft_whole *view, unsigned number, size_t bytes)
{
	struct whole *whole = (struct whole *)view;

	if (number >= whole->array_count) {
		whole->arrays = xreallocarray(whole->arrays, number + 1, sizeof *whole->arrays);
		whole->bytes = xreallocarray(whole->bytes, number + 1, sizeof *whole->bytes);
		for (; whole->array_count <= number; whole->array_count++) {
			whole->arrays[whole->array_count] = NULL;
			whole->bytes[whole->array_count] = 0;
		}
	}
	if (whole->bytes[number] < bytes) {
		free(whole->arrays[number]);
		/* For all threads that a block can have, and any type. */
		whole->arrays[number] = xcheck(aligned_alloc(128, MAX_WARPS * WARP_LANES * bytes));
		whole->bytes[number] = bytes;
	}
	return whole->arrays[number];
}

/* The first thread, which has the stack, is the last to exit: schedule.c does that. */
void ft_whole_end(struct ft_whole *view)
{
	struct block *block = ((struct whole *)view)->block;

	for (unsigned i = 0; i < block->warp_count; i++) {
		block->warps[i].runnable = 0;
		block->warps[i].exited = UINT32_MAX;
	}
	block->alive = block->cluster->alive = block->cluster->missing = 1;
	ft_self = view->views[0];
}
