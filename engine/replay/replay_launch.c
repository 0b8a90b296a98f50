/* replay_launch.c - turns launches of a trace into launches of this build's kernels.
 *
 * Arguments, blobs with their pointers, and attributes are looked up and checked against the kernel
 * table. The caller decides whether a launch goes to the device or into a graph. Used by replay.c
 * and replay_graph.c.
 */
#include "engine/replay/replay_launch.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/record/recorder.h"
#include "engine/replay/replay_state.h"

/* The pointer fields of all blob arguments of a launch. */
struct fields {
	struct pointer_field *items;
	int count;
};

static enum status kind_from_name(const char *name, enum param_kind *out)
{
	for (int kind = PARAM_I32; kind <= PARAM_BLOB; kind++)
		if (!strcmp(param_kind_name((enum param_kind)kind), name)) {
			*out = (enum param_kind)kind;
			return STATUS_OK;
		}
	return fail(STATUS_DAMAGED, "unknown kind of argument '%s'", name);
}

static void build_fields(const struct replay *r, const struct row_arg *from, struct arg *arg,
			 struct fields *fields)
{
	struct pointer_field *first = fields->items + fields->count;

	for (int i = 0; i < from->pointer_count; i++)
		fields->items[fields->count++] = (struct pointer_field){
			from->pointers[i].at, buffer_of(r, from->pointers[i].buffer),
			from->pointers[i].offset,
		};
	arg->fields = first;
	arg->field_count = from->pointer_count;
}

static enum status build_arg(const struct replay *r, const struct kernel_param *param,
			     const struct row_arg *from, struct arg *arg, struct fields *fields)
{
	uint32_t half = (uint32_t)from->bits;

	*arg = (struct arg){ .name = from->name };
	TRY(kind_from_name(from->kind, &arg->kind));
	switch (arg->kind) {
	case PARAM_POINTER:
		arg->buffer = buffer_of(r, from->buffer);
		arg->offset = from->offset;
		break;
	case PARAM_BLOB:
		arg->value.blob = from->blob;
		arg->bytes = from->blob_bytes;
		arg->alignment = param->alignment;
		build_fields(r, from, arg, fields);
		break;
	case PARAM_I32: case PARAM_U32: case PARAM_F32:
		memcpy(&arg->value, &half, sizeof half);
		break;
	case PARAM_I64: case PARAM_U64: case PARAM_F64:
		arg->value.u64 = from->bits;
		break;
	}
	/* The trace only has whether it was live, and only that is recorded again. */
	arg->live = from->live ? from : NULL;
	return STATUS_OK;
}

static struct dim3 dim3_of(const uint32_t d[3])
{
	return (struct dim3){ d[0], d[1], d[2] };
}

static enum status build_attributes(const char *text, struct launch_attribute *out, int *count)
{
	json_t *object;

	*count = 0;
	if (!text)
		return STATUS_OK;
	object = json_loads(text, 0, NULL);
	if (!object)
		return fail(STATUS_DAMAGED, "attributes of a launch are not JSON: %s", text);
	for (int i = 1; i <= ATTRIBUTE_COUNT; i++) {
		enum launch_attribute_id id = (enum launch_attribute_id)i;
		const json_t *value = json_object_get(object, launch_attribute_name(id));

		if (value)
			out[(*count)++] = (struct launch_attribute){ id,
				json_integer_value(value) };
	}
	json_decref(object);
	return STATUS_OK;
}

/* Builds the arguments of a launch: as many as the kernel has parameters. */
static enum status build_args(const struct replay *r, const struct row_launch *from,
			      const struct kernel *kernel, struct arg *args, int *count,
			      struct fields *fields)
{
	const struct kernel_param *param = kernel_params(kernel, count);
	int later = *count - from->arg_count;

	if (later < 0 || later > kernel->later_params || *count > MAX_ARGS)
		return fail(STATUS_USAGE,
			    "kernel %s has %d parameters in this build, %d in the trace",
			    from->kernel, *count, from->arg_count);
	for (int i = 0; i < from->arg_count; i++)
		TRY(build_arg(r, &param[i], &from->args[i], &args[i], fields));
	for (int i = from->arg_count; i < *count; i++)
		args[i] = ARG_I32(1);
	for (int i = *count - kernel->later_params; i < from->arg_count; i++)
		if (args[i].value.i32 < 1)
			return fail(STATUS_DAMAGED, "argument %s of kernel %s is %d, not a count",
				    param[i].name, from->kernel, (int)args[i].value.i32);
	return STATUS_OK;
}

static enum status build_and_give(struct replay *r, const struct row_op *op,
				const struct kernel *kernel, struct fields *fields,
				give_launch *give)
{
	const struct row_launch *from = op->launch;
	struct launch_attribute attributes[ATTRIBUTE_COUNT];
	struct arg args[MAX_ARGS];
	int attribute_count;
	struct launch launch = {
		.kernel = kernel, .grid = dim3_of(from->grid), .block = dim3_of(from->block),
		.cluster = dim3_of(from->cluster), .shared_bytes = from->shared_bytes,
		.stream = stream_of(r, op), .attributes = attributes, .args = args,
		.layer = from->layer,
	};

	TRY(build_args(r, from, kernel, args, &launch.arg_count, fields));
	TRY(build_attributes(from->attributes, attributes, &attribute_count));
	launch.attribute_count = attribute_count;
	return give(r, op, &launch);
}

enum status replay_build_launch(struct replay *r, const struct row_op *op, give_launch *give)
{
	const struct row_launch *from = op->launch;
	const struct kernel *kernel = kernel_find(from->kernel);
	struct fields fields = { 0 };
	enum status status;
	size_t count = 0;

	if (!kernel)
		return fail(STATUS_USAGE, "kernel %s of the trace is not in this build",
			    from->kernel);
	for (int i = 0; i < from->arg_count; i++)
		count += (size_t)from->args[i].pointer_count;
	fields.items = xcalloc(count, sizeof *fields.items);
	status = build_and_give(r, op, kernel, &fields, give);
	free(fields.items);
	return status;
}

static enum status launch_now(struct replay *r, const struct row_op *op,
			      const struct launch *launch)
{
	if (r->recording)
		TRY(recorder_next_launch(r->target, op->launch->number));
	return device_launch(r->target, launch);
}

enum status replay_launch(struct replay *r, const struct row_op *op)
{
	return replay_build_launch(r, op, launch_now);
}
