/* grid.c - one launch: hands the blocks of a grid to workers and collects the first failure.
 *
 * Only independent blocks run on several OS threads. Blocks are taken in order and a failure stops
 * only later blocks, so the failure reported does not depend on the number of jobs.
 */
#include "config.h"

#include "sim/exec/grid.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/device.h"
#include "sim/exec/fault.h"
#include "sim/exec/schedule.h"
#include "sim/exec/shared.h"

/* Below this many blocks a job is not worth an OS thread. */
#define BLOCKS_PER_JOB 4

struct grid_runner {
	int jobs;
	struct worker *workers;
};

struct grid_runner *grid_runner_create(int jobs)
{
	struct grid_runner *runner = xcalloc(1, sizeof *runner);

	fault_install();
	runner->jobs = jobs > 1 ? jobs : 1;
	runner->workers = xcalloc((size_t)runner->jobs, sizeof *runner->workers);
	for (int i = 0; i < runner->jobs; i++)
		schedule_open(&runner->workers[i]);
	return runner;
}

void grid_runner_destroy(struct grid_runner *runner)
{
	if (!runner)
		return;
	for (int i = 0; i < runner->jobs; i++)
		schedule_close(&runner->workers[i]);
	free(runner->workers);
	free(runner);
}

struct job {
	struct worker *worker;
	struct grid *grid;
};

static void *job_main(void *argument)
{
	struct job *job = argument;

	fault_thread_begin();
	schedule_run(job->worker, job->grid);
	/* The next launch may use this worker on another OS thread, so its fibers must start
	 * fresh. */
	fiber_pool_reset(&job->worker->pool);
	fiber_forget(&job->worker->thread);
	job->worker->thread = (struct fiber){ 0 };
	fault_thread_end();
	return NULL;
}

/* The calling thread is job 0. If a thread cannot be created, the launch runs with one job
 * fewer. */
static void run_jobs(struct grid_runner *runner, struct grid *grid, int jobs)
{
	pthread_t threads[jobs];
	struct job job[jobs];
	bool made[jobs];

	for (int i = 1; i < jobs; i++) {
		job[i] = (struct job){ &runner->workers[i], grid };
		made[i] = pthread_create(&threads[i], NULL, job_main, &job[i]) == 0;
	}
	schedule_run(&runner->workers[0], grid);
	for (int i = 1; i < jobs; i++)
		if (made[i])
			pthread_join(threads[i], NULL);
}

enum status grid_run(struct grid_runner *runner, const struct grid_launch *launch)
{
	uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
	uint64_t max_jobs = blocks / BLOCKS_PER_JOB + 1;
	struct grid grid = {
		.code = launch->code,
		.args = launch->args,
		.dim = launch->grid,
		.block = launch->block,
		.cluster = launch->cluster,
		.cluster_size = launch->cluster.x * launch->cluster.y * launch->cluster.z,
		.blocks = blocks,
		.static_bytes = shared_place(launch->code, true),
		.dynamic_bytes = launch->dynamic_bytes,
		.points = launch->points,
		.independent = launch->independent,
		.cooperative = launch->cooperative,
		.other_clock = launch->other_clock,
		.seed = launch->seed,
		.stop = blocks,
		.listener = launch->listener,
		.nested = launch->nested,
		.heap = launch->heap,
	};
	int jobs = launch->independent && !launch->cooperative && !launch->listener
		? runner->jobs : 1;
	fault_thread_begin();
	run_jobs(runner, &grid, (uint64_t)jobs < max_jobs ? jobs : (int)max_jobs);
	if (grid.failed_code == 0)
		return STATUS_OK;
	return fail_device(grid.failed_code, "%s (%d): %s", cuda_error_name(grid.failed_code),
			   grid.failed_code, grid.failed_text);
}

size_t grid_static_shared(const struct sim_code *code)
{
	return shared_place(code, false);
}

/* --- built-ins that end a kernel --- */

void ft_trap(int code, const char *what, const char *file, int line)
{
	struct worker *w = worker_self;
	const struct ft_thread_view *self = ft_self;
	char text[512];

	snprintf(text, sizeof text, "%s in %s, block (%u,%u,%u) thread (%u,%u,%u), %s:%d", what,
		 w->grid->code->name, self->block->index.x, self->block->index.y,
		 self->block->index.z, self->index.x, self->index.y, self->index.z, file, line);
	worker_abort(w, code, text);
}
