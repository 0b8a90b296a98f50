/* device_launch.c - launches, capture and graphs: the checks every device shares, then the call.
 *
 * Arguments must match the kernel's parameters in number, name, kind and owner, and a block must
 * not be larger than the kernel allows: else a USAGE error before the device is called. Devices
 * check limits and report faults themselves, as CUDA does. Used by everything that launches.
 */
#include "engine/device.h"

#include <string.h>

#include "engine/device_check.h"

/* --- arguments --- */

static enum status check_blob(const struct device *device, const struct launch *launch, int at,
			      const struct kernel_param *param)
{
	const struct arg *arg = &launch->args[at];

	if (!arg->value.blob || arg->bytes != param->bytes)
		return fail(STATUS_USAGE, "launch %s: argument %s: expected %zu bytes (%s), got "
			    "%zu", launch->kernel->name, param->name, param->bytes, param->type,
			    arg->value.blob ? arg->bytes : 0);
	for (int i = 0; i < arg->field_count; i++) {
		const struct pointer_field *field = &arg->fields[i];

		if (field->at > arg->bytes || arg->bytes - field->at < sizeof(uint64_t))
			return fail(STATUS_USAGE, "launch %s: argument %s: the pointer at byte "
				    "%zu does not fit in %zu bytes", launch->kernel->name,
				    param->name, field->at, arg->bytes);
		TRY(check_pointer(device, field->buffer, field->offset, param->name));
	}
	return STATUS_OK;
}

const char *param_kind_name(enum param_kind kind)
{
	static const char *const names[] = {
		[PARAM_I32] = "i32", [PARAM_U32] = "u32", [PARAM_I64] = "i64", [PARAM_U64] = "u64",
		[PARAM_F32] = "f32", [PARAM_F64] = "f64", [PARAM_POINTER] = "pointer",
		[PARAM_BLOB] = "blob",
	};

	return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

const char *launch_attribute_name(enum launch_attribute_id id)
{
	static const char *const names[] = {
		[ATTRIBUTE_MAX_DYNAMIC_SHARED] = "max_dynamic_shared",
		[ATTRIBUTE_COOPERATIVE] = "cooperative",
		[ATTRIBUTE_NONPORTABLE_CLUSTER] = "nonportable_cluster",
	};

	return names[id];
}

static enum status check_arg(const struct device *device, const struct launch *launch, int at,
			     const struct kernel_param *param)
{
	const struct arg *arg = &launch->args[at];

	if (arg->name && strcmp(arg->name, param->name) != 0)
		return fail(STATUS_USAGE, "launch %s: argument %d: expected %s, got %s",
			    launch->kernel->name, at, param->name, arg->name);
	if (arg->kind != param->kind)
		return fail(STATUS_USAGE, "launch %s: argument %s: expected %s (%s), got %s",
			    launch->kernel->name, param->name, param_kind_name(param->kind),
			    param->type, param_kind_name(arg->kind));
	if (arg->kind == PARAM_POINTER) {
		enum status status = check_pointer(device, arg->buffer, arg->offset, param->name);

		return status ? fail_context(status, "launch %s", launch->kernel->name) : STATUS_OK;
	}
	if (arg->kind == PARAM_BLOB)
		return check_blob(device, launch, at, param);
	return STATUS_OK;
}

/* --- launches --- */

/* Replaces sizes of 0 as struct launch says. No other code does this. */
static struct launch with_defaults(const struct launch *launch)
{
	struct launch out = *launch;

	if (out.cluster.x == 0)
		out.cluster = kernel_cluster(launch->kernel);
	out.grid.y += out.grid.y == 0;
	out.grid.z += out.grid.z == 0;
	out.block.y += out.block.y == 0;
	out.block.z += out.block.z == 0;
	out.cluster.y += out.cluster.y == 0;
	out.cluster.z += out.cluster.z == 0;
	return out;
}

static enum status check_launch(const struct device *device, const struct launch *launch,
				const char *what)
{
	const struct kernel_param *params;
	int count;

	TRY(check_given(launch, what, "launch"));
	TRY(check_given(launch->kernel, what, "kernel"));
	params = kernel_params(launch->kernel, &count);
	if (launch->arg_count != count || count > MAX_ARGS)
		return fail(STATUS_USAGE, "launch %s: expected %d arguments (the maximum is %d), "
			    "got %d", launch->kernel->name, count, MAX_ARGS, launch->arg_count);
	for (int i = 0; i < count; i++)
		TRY(check_arg(device, launch, i, &params[i]));
	for (int i = 0; i < launch->attribute_count; i++)
		if (launch->attributes[i].id < 1 || launch->attributes[i].id > ATTRIBUTE_COUNT)
			return fail(STATUS_USAGE, "launch %s: unknown attribute %d",
				    launch->kernel->name, (int)launch->attributes[i].id);
	return STATUS_OK;
}

/* Checks the kernel's own limit. Devices check theirs. */
static enum status check_threads(const struct launch *launch)
{
	struct dim3 block = launch->block;
	unsigned max = launch->kernel->max_threads;

	if (!max || (uint64_t)block.x * block.y <= max / block.z)
		return STATUS_OK;
	return fail(STATUS_USAGE, "launch %s: expected blocks of at most %u threads, got "
		    "(%u,%u,%u)", launch->kernel->name, max, block.x, block.y, block.z);
}

enum status device_launch(struct device *device, const struct launch *launch)
{
	struct launch complete;

	CHECK_OP(device, launch);
	TRY(check_launch(device, launch, "launch"));
	complete = with_defaults(launch);
	TRY(check_threads(&complete));
	return device->ops->launch(device, &complete);
}

enum status device_observe(struct device *device, const struct device_observer *observer)
{
	CHECK_OP(device, observe);
	return device->ops->observe(device, observer);
}

bool device_can_step_aside(const struct device *device)
{
	return device->ops->checker && device->ops->checker->step_aside;
}

enum status device_step_aside(struct device *device, bool aside)
{
	if (device_can_step_aside(device))
		return device->ops->checker->step_aside(device, aside);
	return aside ? device_sync(device, NULL) : STATUS_OK;
}

const void *device_peek(struct device *device, const struct buffer *buffer)
{
	return device->ops->peek ? device->ops->peek(device, buffer) : NULL;
}

size_t device_findings(struct device *device, const struct row_finding **out)
{
	*out = NULL;
	return device->ops->checker ? device->ops->checker->findings(device, out) : 0;
}

size_t device_counters(struct device *device, const struct row_counters **out)
{
	*out = NULL;
	return device->ops->checker ? device->ops->checker->counters(device, out) : 0;
}

enum status device_watch(struct device *device, const struct block_range *blocks, size_t count)
{
	const struct checker_ops *checker = device->ops->checker;

	if (!checker || !checker->watch)
		return fail(STATUS_USAGE, "loads and stores are recorded on the simulator only");
	return checker->watch(device, blocks, count);
}

void device_memory(struct device *device, struct row_memory *out)
{
	device->ops->checker->memory(device, out);
}

const char *device_spacing(struct device *device)
{
	for (; device; device = device->inner)
		if (device->ops->checker && device->ops->checker->spacing)
			return device->ops->checker->spacing(device);
	return NULL;
}

double device_last_launch_us(struct device *device)
{
	const struct device_ops *ops = device->ops;

	return ops->last_launch_us ? ops->last_launch_us(device) : -1.0;
}

enum status device_set_points(struct device *device, const struct buffer *records,
			      const struct buffer *counts, unsigned capacity)
{
	CHECK_OP(device, set_points);
	TRY(check_pointer(device, records, 0, "set_points"));
	TRY(check_pointer(device, counts, 0, "set_points"));
	if (!records != !counts)
		return fail(STATUS_USAGE, "set_points: no buffer for %s",
			    records ? "counts" : "records");
	return device->ops->set_points(device, records, counts, capacity);
}

/* --- capture and graphs --- */

enum status device_capture_begin(struct device *device, struct stream *stream,
				 enum capture_mode mode)
{
	CHECK_OP(device, capture_begin);
	if ((unsigned)mode > CAPTURE_RELAXED)
		return fail(STATUS_USAGE, "capture_begin: unknown mode %d", (int)mode);
	return device->ops->capture_begin(device, stream, mode);
}

enum status device_capture_end(struct device *device, struct stream *stream, struct graph **out)
{
	CHECK_OP(device, capture_end);
	return device->ops->capture_end(device, stream, out);
}

enum status device_capture_state(struct device *device, struct stream *stream,
				 enum capture_state *out)
{
	CHECK_OP(device, capture_state);
	return device->ops->capture_state(device, stream, out);
}

enum status device_capture_relax(struct device *device, bool relaxed)
{
	CHECK_OP(device, capture_relax);
	return device->ops->capture_relax(device, relaxed);
}

enum status device_graph_create(struct device *device, struct graph **out)
{
	CHECK_OP(device, graph_create);
	return device->ops->graph_create(device, out);
}

static enum status check_after(const int *after, int count, const char *what)
{
	if (count < 0 || (count > 0 && !after))
		return fail(STATUS_USAGE, "%s: expected 0 or more earlier nodes, got %d%s", what,
			    count, after ? "" : " and no list of them");
	return STATUS_OK;
}

enum status device_graph_add_launch(struct device *device, struct graph *graph,
				    const struct launch *launch, const int *after, int after_count,
				    int *node)
{
	struct launch complete;

	CHECK_OP(device, graph_add_launch);
	TRY(check_given(graph, "graph_add_launch", "graph"));
	TRY(check_launch(device, launch, "graph_add_launch"));
	TRY(check_after(after, after_count, "graph_add_launch"));
	complete = with_defaults(launch);
	TRY(check_threads(&complete));
	return device->ops->graph_add_launch(device, graph, &complete, after, after_count, node);
}

enum status device_graph_add_copy(struct device *device, struct graph *graph, struct buffer *to,
				  uint64_t to_offset, const struct buffer *from,
				  uint64_t from_offset, size_t bytes, const int *after,
				  int after_count, int *node)
{
	CHECK_OP(device, graph_add_copy);
	TRY(check_given(graph, "graph_add_copy", "graph"));
	TRY(check_copy(device, to, to_offset, from, from_offset, bytes));
	TRY(check_after(after, after_count, "graph_add_copy"));
	return device->ops->graph_add_copy(device, graph, to, to_offset, from, from_offset, bytes,
					   after, after_count, node);
}

enum status device_graph_instantiate(struct device *device, struct graph *graph,
				     struct graph_exec **out)
{
	CHECK_OP(device, graph_instantiate);
	TRY(check_given(graph, "graph_instantiate", "graph"));
	return device->ops->graph_instantiate(device, graph, out);
}

enum status device_graph_launch(struct device *device, struct graph_exec *exec,
				struct stream *stream)
{
	CHECK_OP(device, graph_launch);
	TRY(check_given(exec, "graph_launch", "executable graph"));
	return device->ops->graph_launch(device, exec, stream);
}

enum status device_graph_destroy(struct device *device, struct graph *graph)
{
	CHECK_OP(device, graph_destroy);
	TRY(check_given(graph, "graph_destroy", "graph"));
	return device->ops->graph_destroy(device, graph);
}

enum status device_graph_exec_destroy(struct device *device, struct graph_exec *exec)
{
	CHECK_OP(device, graph_exec_destroy);
	TRY(check_given(exec, "graph_exec_destroy", "executable graph"));
	return device->ops->graph_exec_destroy(device, exec);
}
