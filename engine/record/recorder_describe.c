/* recorder_describe.c - the rows of launches (kernel, arguments, attributes) and of kernels.
 *
 * A kernel's row, with its source, is stored once per run. recorder_launch.c handles the execution
 * and the results of launches. Used by launches, nodes of graphs and the launches that these make.
 */
#include "engine/record/recorder_describe.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/record/recorder_note.h"
#include "engine/record/recorder_state.h"
#include "engine/record/shadow.h"
#include "traces/store/store.h"

/* --- arguments --- */

static uint64_t bits_of(const struct arg *arg)
{
	uint32_t half;

	switch (arg->kind) {
	case PARAM_I32: case PARAM_U32: case PARAM_F32:
		memcpy(&half, &arg->value, sizeof half);
		return half;
	case PARAM_I64: case PARAM_U64: case PARAM_F64:
		return arg->value.u64;
	case PARAM_POINTER: case PARAM_BLOB:
		break;
	}
	return 0;
}

/* Describes the pointer fields of a blob and sets its addresses to 0, because they are not part of
 * the value. */
static void describe_blob(struct recorder *r, const struct arg *arg, struct row_arg *out)
{
	struct row_pointer *pointers = xcalloc((size_t)arg->field_count, sizeof *pointers);
	char *blob = xmalloc(arg->bytes);

	memcpy(blob, arg->value.blob, arg->bytes);
	for (int i = 0; i < arg->field_count; i++) {
		const struct pointer_field *field = &arg->fields[i];

		memset(blob + field->at, 0, sizeof(uint64_t));
		pointers[i] = (struct row_pointer){
			.at = field->at, .buffer = shadow_id(r, field->buffer),
			.offset = field->offset,
		};
	}
	out->blob = blob;
	out->blob_bytes = arg->bytes;
	out->pointers = pointers;
	out->pointer_count = arg->field_count;
}

static void describe_args(struct recorder *r, const struct launch *launch, struct row_arg *out)
{
	int count;
	const struct kernel_param *params = kernel_params(launch->kernel, &count);

	for (int i = 0; i < launch->arg_count; i++) {
		const struct arg *arg = &launch->args[i];

		out[i] = (struct row_arg){
			.name = params[i].name, .type = params[i].type,
			.kind = param_kind_name(arg->kind), .bits = bits_of(arg),
			.live = arg->live != NULL,
		};
		if (arg->kind == PARAM_POINTER) {
			out[i].buffer = shadow_id(r, arg->buffer);
			out[i].offset = arg->buffer ? arg->offset : 0;
		} else if (arg->kind == PARAM_BLOB) {
			describe_blob(r, arg, &out[i]);
		}
	}
}

/* How many arguments are recorded: those that older traces lack, only if they have an effect. */
static int recorded_args(const struct launch *launch)
{
	int count = launch->arg_count, first = count - launch->kernel->later_params;

	while (count > first && launch->args[count - 1].value.i32 == 1)
		count--;
	return count;
}

static void release_args(struct row_arg *args, int count)
{
	for (int i = 0; i < count; i++) {
		free((void *)args[i].blob);
		free((void *)args[i].pointers);
	}
}

/* A JSON object, or NULL if there are no attributes; the caller frees it. */
static char *describe_attributes(const struct launch *launch)
{
	json_t *object;
	char *text;

	if (!launch->attribute_count)
		return NULL;
	object = json_object();
	for (int i = 0; i < launch->attribute_count; i++)
		json_object_set_new(object, launch_attribute_name(launch->attributes[i].id),
				    json_integer(launch->attributes[i].value));
	text = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	return text;
}

static void dim3_to(uint32_t out[3], struct dim3 d)
{
	out[0] = d.x;
	out[1] = d.y;
	out[2] = d.z;
}

/* --- the row --- */

enum status recorder_note_launch(struct recorder *r, const struct launch *launch, int64_t number,
				 struct row_op *row, enum status done, int64_t *op)
{
	struct row_arg args[MAX_ARGS];
	int count = recorded_args(launch);
	char *attributes = describe_attributes(launch);
	struct row_launch event = {
		.number = number, .kernel = launch->kernel->name,
		.shared_bytes = launch->shared_bytes, .layer = launch->layer,
		.args = args, .arg_count = count,
		.attributes = attributes,
	};

	dim3_to(event.grid, launch->grid);
	dim3_to(event.block, launch->block);
	dim3_to(event.cluster, launch->cluster);
	describe_args(r, launch, args);
	row->launch = &event;
	done = recorder_note(r, row, done, op);
	row->launch = NULL;
	release_args(args, launch->arg_count);
	free(attributes);
	return done;
}

/* --- the kernel's row, once per run --- */

static char *params_json(const struct kernel *kernel)
{
	int count;
	const struct kernel_param *params = kernel_params(kernel, &count);
	json_t *array = json_array();
	char *text;

	for (int i = 0; i < count; i++)
		json_array_append_new(array, json_pack("{s:s, s:s}", "name", params[i].name,
						       "type", params[i].type));
	text = json_dumps(array, JSON_COMPACT);
	json_decref(array);
	return text;
}

static int describe_sources(const struct kernel *kernel, struct row_source **out)
{
	const struct kernel_source *sources = kernel_sources(kernel);
	int count = 0;

	while (sources[count].file)
		count++;
	*out = xcalloc((size_t)count, sizeof **out);
	for (int i = 0; i < count; i++)
		(*out)[i] = (struct row_source){ sources[i].file, sources[i].text };
	return count;
}

enum status recorder_store_kernel(struct recorder *r, const struct kernel *kernel)
{
	struct row_source *sources;
	struct row_kernel event;
	enum status status;
	char *params;

	for (int i = 0; i < r->kernel_count; i++)
		if (r->kernels[i] == kernel)
			return STATUS_OK;
	params = params_json(kernel);
	event = (struct row_kernel){
		.name = kernel->name, .params = params, .origin = kernel->origin,
		.independent = kernel->independent,
	};
	event.source_count = describe_sources(kernel, &sources);
	event.sources = sources;
	status = store_kernel(r->store, r->run, &event);
	free(sources);
	free(params);
	r->kernels = xreallocarray(r->kernels, (size_t)r->kernel_count + 1, sizeof *r->kernels);
	r->kernels[r->kernel_count++] = kernel;
	return status;
}
