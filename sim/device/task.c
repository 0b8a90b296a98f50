/* task.c - tasks: launches, moves and fills that are copied from their calls and run later.
 *
 * Launches have already been checked against limits, and queued.c runs them. Addresses are
 * checked again when a move runs, because a graph may outlive its buffers. queue.c decides which
 * task runs when. The device's observer is called for a launch with a ticket.
 */
#include "config.h"

#include "sim/device/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/check/check.h"
#include "sim/device/queued.h"
#include "sim/device/memory.h"

enum task_kind { TASK_LAUNCH, TASK_MOVE, TASK_FILL };

struct place {
	uint64_t address;
	bool host;
};

struct task {
	enum task_kind kind;
	int references;
	union {
		struct queued_launch *launch;
		struct {
			struct place to, from;
			size_t bytes;
		} move;
		struct {
			uint64_t to;
			uint32_t pattern;
			size_t words;
		} fill;
	};
};

/* --- creating tasks --- */

static struct task *task_new(enum task_kind kind)
{
	struct task *task = xcalloc(1, sizeof *task);

	task->kind = kind;
	task->references = 1;
	return task;
}

/* Without a buffer, the offset is the address. */
static uint64_t address_of(const struct buffer *buffer, uint64_t offset)
{
	return buffer ? buffer->address + offset : offset;
}

/* A copy with the addresses of its pointer fields filled in. */
static void *copy_blob(const struct arg *arg)
{
	unsigned char *blob = xcheck(aligned_alloc(128, (arg->bytes + 127) / 128 * 128));

	memcpy(blob, arg->value.blob, arg->bytes);
	for (int i = 0; i < arg->field_count; i++) {
		const struct pointer_field *field = &arg->fields[i];
		uint64_t address = address_of(field->buffer, field->offset);

		memcpy(blob + field->at, &address, sizeof address);
	}
	return blob;
}

static void copy_arg(struct queued_launch *launch, int i, const struct arg *arg)
{
	_Static_assert(sizeof arg->value == sizeof launch->values[0], "a value is eight bytes");

	launch->args[i] = &launch->values[i];
	launch->live[i] = arg->live;
	if (arg->kind == PARAM_POINTER) {
		launch->values[i] = address_of(arg->buffer, arg->offset);
	} else if (arg->kind == PARAM_BLOB) {
		launch->args[i] = copy_blob(arg);
		launch->owned[i] = true;
	} else {
		memcpy(&launch->values[i], &arg->value, sizeof arg->value);
	}
}

struct task *task_launch(const struct device_simulated *sim, const struct launch *asked,
			 bool cooperative, const struct sim_code *code)
{
	struct task *task = task_new(TASK_LAUNCH);
	struct queued_launch *launch = xcalloc(1, sizeof *launch);

	launch->code = code;
	launch->grid = asked->grid;
	launch->block = asked->block;
	launch->cluster = asked->cluster;
	launch->dynamic_bytes = asked->shared_bytes;
	launch->independent = asked->kernel->independent;
	launch->cooperative = cooperative;
	launch->programmatic = asked->kernel->programmatic;
	launch->lint = asked->kernel->lint;
	launch->probed = asked->probed;
	launch->points = sim->points;
	launch->ticket = asked->ticket;
	launch->arg_count = asked->arg_count;
	for (int i = 0; i < asked->arg_count; i++)
		copy_arg(launch, i, &asked->args[i]);
	task->launch = launch;
	return task;
}

static struct task *task_move(struct place to, struct place from, size_t bytes)
{
	struct task *task = task_new(TASK_MOVE);

	task->move.to = to;
	task->move.from = from;
	task->move.bytes = bytes;
	return task;
}

static struct place on_device(const struct buffer *buffer, uint64_t offset)
{
	return (struct place){ address_of(buffer, offset), false };
}

static struct place on_host(const void *memory)
{
	return (struct place){ (uint64_t)(uintptr_t)memory, true };
}

struct task *task_copy(const struct buffer *to, uint64_t to_offset, const struct buffer *from,
		       uint64_t from_offset, size_t bytes)
{
	return task_move(on_device(to, to_offset), on_device(from, from_offset), bytes);
}

struct task *task_upload(const struct buffer *buffer, uint64_t offset, const void *source,
			 size_t bytes)
{
	return task_move(on_device(buffer, offset), on_host(source), bytes);
}

struct task *task_download(const struct buffer *buffer, uint64_t offset, void *destination,
			   size_t bytes)
{
	return task_move(on_host(destination), on_device(buffer, offset), bytes);
}

struct task *task_fill(const struct buffer *buffer, uint64_t offset, uint32_t pattern, size_t words)
{
	struct task *task = task_new(TASK_FILL);

	task->fill.to = address_of(buffer, offset);
	task->fill.pattern = pattern;
	task->fill.words = words;
	return task;
}

/* "is 3 in the graph, and its source holds 4 now" */
static void format_values(enum param_kind kind, const uint64_t *was, const uint64_t *is, char *out,
			  size_t size)
{
	double f[2];

	if (kind == PARAM_F32 || kind == PARAM_F64) {
		for (int i = 0; i < 2; i++) {
			float narrow;

			memcpy(&narrow, i ? is : was, sizeof narrow);
			memcpy(&f[i], i ? is : was, sizeof f[i]);
			f[i] = kind == PARAM_F32 ? (double)narrow : f[i];
		}
		snprintf(out, size, "is %g in the graph, and its source holds %g now", f[0], f[1]);
	} else if (kind == PARAM_I32) {
		snprintf(out, size, "is %d in the graph, and its source holds %d now",
			 (int32_t)*was, (int32_t)*is);
	} else {
		snprintf(out, size, "is %lld in the graph, and its source holds %lld now",
			 (long long)*was, (long long)*is);
	}
}

void task_check_live(const struct device_simulated *sim, const struct task *task, int node,
		     int stream)
{
	const struct queued_launch *launch = task->launch;

	for (int i = 0; task->kind == TASK_LAUNCH && i < launch->arg_count; i++) {
		const struct kernel_param *param = &launch->code->params[i];
		uint64_t was = 0, is = 0;
		char values[120];

		if (!launch->live[i] || param->kind == PARAM_BLOB || param->bytes > sizeof is)
			continue;
		memcpy(&was, &launch->values[i], param->bytes);
		memcpy(&is, launch->live[i], param->bytes);
		if (was == is)
			continue;
		format_values(param->kind, &was, &is, values, sizeof values);
		check_stale(sim->check, launch->code->name, param->name, node, stream, values);
	}
}

bool task_is_launch(const struct task *task)
{
	return task->kind == TASK_LAUNCH;
}

bool task_may_overlap(const struct task *task)
{
	return task->kind == TASK_LAUNCH && task->launch->programmatic;
}

struct task *task_keep(struct task *task)
{
	task->references++;
	return task;
}

void task_drop(struct task *task)
{
	if (--task->references > 0)
		return;
	if (task->kind == TASK_LAUNCH) {
		for (int i = 0; i < task->launch->arg_count; i++)
			if (task->launch->owned[i])
				free(task->launch->args[i]);
		free(task->launch);
	}
	free(task);
}

/* --- running tasks --- */

static void *host(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static enum status check_place(const struct device_simulated *sim, struct place place,
			       uint64_t bytes)
{
	if (place.host || simulated_holds(sim, place.address, bytes))
		return STATUS_OK;
	return fail_device(700, "a copy or fill of %llu bytes at 0x%llx, which is in no buffer",
			   (unsigned long long)bytes, (unsigned long long)place.address);
}

/* Ignores an observer's own moves: they are not part of the checked program. */
static void note_moved(const struct device_simulated *sim, const char *what, uint64_t address,
		       size_t bytes, bool write)
{
	if (sim->check && !sim->observing)
		check_op_moved(sim->check, what, (uintptr_t)address, bytes, write);
}

static const char *move_name(const struct task *task)
{
	return task->move.from.host ? "upload" : task->move.to.host ? "download" : "copy";
}

static enum status run_move(const struct device_simulated *sim, const struct task *task)
{
	TRY(check_place(sim, task->move.to, task->move.bytes));
	TRY(check_place(sim, task->move.from, task->move.bytes));
	note_moved(sim, move_name(task), task->move.from.address, task->move.bytes, false);
	note_moved(sim, move_name(task), task->move.to.address, task->move.bytes, true);
	memmove(host(task->move.to.address), host(task->move.from.address), task->move.bytes);
	if (!sim->check || task->move.to.host)
		return STATUS_OK;
	if (task->move.from.host)
		check_written(sim->check, host(task->move.to.address), task->move.bytes);
	else
		check_copied(sim->check, host(task->move.to.address),
			     host(task->move.from.address), task->move.bytes);
	return STATUS_OK;
}

static enum status run_fill(const struct device_simulated *sim, const struct task *task)
{
	TRY(check_place(sim, (struct place){ task->fill.to, false }, 4 * task->fill.words));
	note_moved(sim, "fill", task->fill.to, 4 * task->fill.words, true);
	memory_fill(host(task->fill.to), task->fill.pattern, task->fill.words);
	if (sim->check)
		check_written(sim->check, host(task->fill.to), 4 * task->fill.words);
	return STATUS_OK;
}

/* --- waiting for the host --- */

static bool has_host_memory(const struct device_simulated *sim, const struct queued_launch *launch)
{
	for (int i = 0; i < launch->arg_count; i++) {
		const struct kernel_param *param = &launch->code->params[i];

		if (param->kind == PARAM_POINTER && simulated_is_managed(sim, launch->values[i]))
			return true;
	}
	return false;
}

/* Tries the launch if it may poll memory of the host. */
bool task_waits_for_host(struct device_simulated *sim, const struct task *task)
{
	return task->kind == TASK_LAUNCH && !sim->sticky && task->launch->code->orders_seen
		&& has_host_memory(sim, task->launch)
		&& queued_ends_in_deadlock(sim, task->launch);
}

/* Calls the observer and preserves the launch's error for the caller. */
static void observe_after(struct device_simulated *sim, void *ticket, enum status status)
{
	struct error_record record;

	error_save(&record);
	sim->observing = true;
	sim->observer.after(sim->observer.context, ticket, status);
	sim->observing = false;
	error_restore(&record);
}

/* Keeps the first error as the sticky error. Running out of memory for stacks is not sticky if the
 * caller gets the error directly; with a seed it is, because queued work is lost. */
static void remember(struct device_simulated *sim, enum status status)
{
	if (status == STATUS_OK || sim->sticky || (error_code() == 2 && sim->seed == 0))
		return;
	sim->sticky = error_code();
	sim->sticky_status = status;
	snprintf(sim->sticky_text, sizeof sim->sticky_text, "%s", error_text());
}

static enum status run_observed(struct device_simulated *sim, const struct queued_launch *launch)
{
	bool observed = launch->ticket && sim->observer.before;
	enum status status;

	if (!observed) {
		status = queued_run(sim, launch, &launch->points);
		remember(sim, status);
		return status;
	}
	sim->observing = true;
	sim->observer.before(sim->observer.context, launch->ticket);
	sim->observing = false;
	status = queued_run(sim, launch, &sim->points);
	remember(sim, status);
	observe_after(sim, launch->ticket, status);
	return status;
}

enum status task_run(struct device_simulated *sim, const struct task *task)
{
	enum status status;

	if (task->kind == TASK_LAUNCH)
		return run_observed(sim, task->launch);
	status = task->kind == TASK_MOVE ? run_move(sim, task) : run_fill(sim, task);
	remember(sim, status);
	return status;
}
