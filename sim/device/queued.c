/* queued.c - runs one launch on the simulator; see queued.h.
 *
 * Under the checker the launch may run again under other seeds. What its kernel launches runs when
 * the kernel is over, each launch after those before it in its stream, which CUDA allows: a grid
 * may not wait for what it launches. Used by task.c.
 */
#include "config.h"

#include "sim/device/queued.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/check/check.h"
#include "sim/device/again.h"
#include "sim/device/limits.h"
#include "sim/exec/grid.h"
#include "sim/exec/mix.h"
#include "sim/exec/nested.h"
#include "sim/exec/steps.h"

/* As CUDA's. */
#define MAX_DEPTH 24

/* Basic blocks of a launch that runs again under another seed: there a loop that polls may wait for
 * a block that the simulator does not start. */
#define STEPS_AGAIN (1u << 25)

/* One run of a launch. */
struct run {
	struct device_simulated *sim;
	const struct queued_launch *launch;
	struct check_launch checked;
	const struct point_sink *points;
	uint64_t steps, seed;
	unsigned depth;                 /* of launches by device code that led to it */
};

static enum status run_under(const struct run *run);

static bool has_clusters(struct dim3 cluster)
{
	return cluster.x > 1 || cluster.y > 1 || cluster.z > 1;
}

/* --- launches by device code --- */

/* Device code is not told of an error, so the grid fails. */
static enum status check_made(const struct device_simulated *sim,
			      const struct queued_launch *launch)
{
	const struct sim_code *code = launch->code;
	const struct launch made = {
		.grid = launch->grid, .block = launch->block, .cluster = launch->cluster,
		.shared_bytes = (unsigned)launch->dynamic_bytes,
	};
	struct error_record record;

	if (limits_check(sim->profile, &made, code, grid_static_shared(code), -1) == STATUS_OK
	    && limits_check_cluster(sim->profile, &made, code, false) == STATUS_OK)
		return STATUS_OK;
	error_save(&record);
	return fail_device(719, "launch of %s in device code: %s", code->name, record.text);
}

/* The code of a kernel that device code launches. It has the layout of shared memory of the kernel
 * that the host launched, which can reach what it reaches. */
struct made_code {
	struct sim_code code;           /* first */
	const struct sim_code *maker;
	const struct kernel_entry *entry;
	struct made_code *next;
};

static size_t shared_of_maker(const struct sim_code *code, struct kernel_shared **first)
{
	const struct made_code *made = (const struct made_code *)code;

	return made->maker->shared(made->maker, first);
}

/* The checker refers to it until the device closes. */
static const struct sim_code *made_code(struct device_simulated *sim, const struct sim_code *maker,
					const struct kernel_entry *entry)
{
	struct made_code *made;

	if (maker->shared == shared_of_maker)
		maker = ((const struct made_code *)maker)->maker;
	for (made = sim->made_codes; made; made = made->next)
		if (made->maker == maker && made->entry == entry)
			return &made->code;
	made = xmalloc(sizeof *made);
	*made = (struct made_code){ *maker, maker, entry, sim->made_codes };
	made->code.name = entry->name;
	made->code.file = entry->file;
	made->code.params = entry->params;
	made->code.param_count = (int)entry->param_count;
	made->code.max_threads = entry->max_threads;
	made->code.cluster = entry->cluster;
	made->code.run = entry->run;
	made->code.shared = shared_of_maker;
	sim->made_codes = made;
	return &made->code;
}

void queued_close(struct device_simulated *sim)
{
	for (struct made_code *next, *made = sim->made_codes; made; made = next) {
		next = made->next;
		free(made);
	}
}

/* A trace has them as part of the launch that made them: they have its number. */
static enum status run_made(void *context, const struct nested_launch *made)
{
	const struct run *parent = context;
	const struct sim_code *code = made_code(parent->sim, parent->launch->code, made->entry);
	struct queued_launch launch = {
		.code = code, .grid = made->grid, .block = made->block,
		.cluster = kernel_code_cluster(code),
		.dynamic_bytes = made->shared, .arg_count = (int)made->entry->param_count,
	};
	struct run run = *parent;

	TRY(check_made(run.sim, &launch));
	memcpy(launch.args, made->args, made->entry->param_count * sizeof launch.args[0]);
	run.launch = &launch;
	run.points = NULL;
	run.depth++;
	run.seed = run.seed ? mix(run.seed, made->number) | 1 : 0;
	run.checked.code = code;
	run.checked.grid = launch.grid;
	run.checked.block = launch.block;
	run.checked.clusters = has_clusters(launch.cluster);
	run.checked.args = launch.args;
	run.checked.lint = NULL;
	run.checked.part = true;
	return run_under(&run);
}

static enum status run_all_made(const struct run *run, struct nested *nested)
{
	if (nested->made_count > 0 && run->depth == MAX_DEPTH)
		return fail_device(719, "%s: a launch in device code: the maximum nesting depth is "
				   "%d", run->launch->code->name, MAX_DEPTH);
	return nested_run(nested, run->seed, run_made, (void *)(uintptr_t)run);
}

/* --- one run --- */

static enum status run_under(const struct run *run)
{
	const struct queued_launch *launch = run->launch;
	struct device_simulated *sim = run->sim;
	struct nested nested = { 0 };
	struct grid_launch grid = {
		.code = launch->code, .args = launch->args, .grid = launch->grid,
		.block = launch->block, .cluster = launch->cluster,
		.dynamic_bytes = launch->dynamic_bytes,
		.independent = launch->independent, .cooperative = launch->cooperative,
		.points = launch->probed ? run->points : NULL, .other_clock = sim->other_clock,
		.seed = run->seed ? mix(run->seed, (uint64_t)run->checked.number) | 1 : 0,
		.nested = &nested, .heap = &sim->heap,
	};
	enum status status;

	if (sim->check)
		TRY(check_launch_begin(sim->check, &run->checked, &grid.listener));
	steps_begin(run->steps);
	status = grid_run(sim->runner, &grid);
	if (steps_end() && status == STATUS_DEVICE)
		status = STATUS_STEPS;
	if (sim->check)
		check_launch_end(sim->check, status == STATUS_OK);
	if (status == STATUS_OK)
		status = run_all_made(run, &nested);
	nested_free(&nested);
	return status;
}

static void run_again(void *context, uint64_t seed)
{
	struct run run = *(const struct run *)context;

	run.points = NULL;
	run.seed = seed;
	check_watch(run.sim->check, NULL, 0);
	if (!run.steps || run.steps > STEPS_AGAIN)
		run.steps = STEPS_AGAIN;
	run_under(&run);
}

/* The first run of the device's next launch. */
static struct run run_of(struct device_simulated *sim, const struct queued_launch *launch,
			 const struct point_sink *points)
{
	return (struct run){
		.sim = sim, .launch = launch, .points = points, .steps = sim->steps,
		.seed = sim->seed,
		.checked = {
			.number = (int64_t)sim->launches, .code = launch->code,
			.grid = launch->grid, .block = launch->block,
			.clusters = has_clusters(launch->cluster), .args = launch->args,
			.lint = launch->lint,
		},
	};
}

enum status queued_run(struct device_simulated *sim, const struct queued_launch *launch,
		       const struct point_sink *points)
{
	struct run run = run_of(sim, launch, points);
	struct again again = { 0 };
	enum status status;

	sim->launches++;
	if (sim->check_orders && launch->code->orders_seen)
		again_prepare(&again, sim->check, sim->seed, sim->check_orders, run_again, &run);
	status = run_under(&run);
	again_finish(&again, sim->check, sim->check && check_order_happened(sim->check));
	return status;
}

/* --- a trial --- */

static bool ends_in_deadlock(void *context)
{
	return run_under(context) == STATUS_DEVICE && error_code() == 702;
}

bool queued_ends_in_deadlock(struct device_simulated *sim, const struct queued_launch *launch)
{
	struct run run = run_of(sim, launch, &launch->points);

	return again_try(ends_in_deadlock, &run);
}
