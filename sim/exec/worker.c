/* worker.c - the worker of each OS thread, and how a launch is aborted; see worker.h. */
#include "config.h"

#undef _FORTIFY_SOURCE                  /* its longjmp check rejects a fiber's stack */

#include "sim/exec/worker.h"

#include <pthread.h>
#include <stdio.h>

_Thread_local const struct ft_thread_view *ft_self;
_Thread_local struct worker *worker_self;

static pthread_mutex_t failure_lock = PTHREAD_MUTEX_INITIALIZER;

void worker_fail(struct grid *grid, uint64_t order, int code, const char *text)
{
	pthread_mutex_lock(&failure_lock);
	if (grid->failed_code == 0 || order < grid->failed_order) {
		grid->failed_order = order;
		grid->failed_code = code;
		snprintf(grid->failed_text, sizeof grid->failed_text, "%s", text);
		atomic_store(&grid->stop, order);
	}
	pthread_mutex_unlock(&failure_lock);
}

void worker_abort(struct worker *w, int code, const char *text)
{
	/* Report the block of the lane that ran last; in a deadlock no lane is running. */
	uint64_t order = w->resident ? w->blocks[0]->order : 0;

	if (ft_self && lane_current()->warp->block->alive)
		order = lane_current()->warp->block->order;
	worker_fail(w->grid, order, code, text);
	siglongjmp(w->landing, 1);
}

/* A lane's stack is too small to look up its line. */
void worker_abort_at(struct worker *w, int code, uintptr_t pc, const char *text)
{
	w->fault = (struct fault){ .pc = (void *)(pc - 1), .code = code }; /* in the call */
	snprintf(w->fault.text, sizeof w->fault.text, "%s", text);
	siglongjmp(w->landing, 1);
}
