/* recorder_launch.c - records launches: kernel, arguments, status, points.
 *
 * What a launch writes is asked of the kernel table before it runs, since the answer may lie in
 * device memory that it changes. Digests of it are recorder_digest.c's part, what an attention
 * kernel's output means is recorder_decode.c's.
 */
#include "config.h"

#include "engine/recorder.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/recorder_internal.h"
#include "traces/xalloc.h"

/* A launch while it is being recorded. */
struct recording {
	struct recorder *recorder;
	const struct launch *launch;
	const struct kernel_param *params;
	struct kernel_value values[MAX_ARGS];
	struct kernel_call call;
	struct written written[MAX_ARGS];
	int written_count;
};

/* --- the call as the kernel table wants it --- */

static bool call_read(void *context, int param, uint64_t offset, size_t bytes, void *out)
{
	struct recording *rec = context;
	const struct arg *arg = &rec->launch->args[param];

	struct device *inner = rec->recorder->device.inner;

	return arg->buffer && device_download(inner, rec->launch->stream, arg->buffer,
					      arg->offset + offset, out, bytes) == STATUS_OK;
}

static struct kernel_value value_of(const struct arg *arg)
{
	switch (arg->kind) {
	case PARAM_I32: return (struct kernel_value){ arg->value.i32, arg->value.i32 };
	case PARAM_U32: return (struct kernel_value){ arg->value.u32, arg->value.u32 };
	case PARAM_I64: return (struct kernel_value){ arg->value.i64, (double)arg->value.i64 };
	case PARAM_U64:
		return (struct kernel_value){ (int64_t)arg->value.u64, (double)arg->value.u64 };
	case PARAM_F32: return (struct kernel_value){ 0, arg->value.f32 };
	case PARAM_F64: return (struct kernel_value){ 0, arg->value.f64 };
	case PARAM_POINTER:
		return (struct kernel_value){
			arg->buffer ? (int64_t)(arg->buffer->bytes - arg->offset) : 0, 0.0
		};
	case PARAM_BLOB: break;
	}
	return (struct kernel_value){ 0, 0.0 };
}

static void recording_begin(struct recording *rec, struct recorder *r, const struct launch *launch)
{
	int count;

	*rec = (struct recording){ .recorder = r, .launch = launch };
	rec->params = kernel_params(launch->kernel, &count);
	for (int i = 0; i < launch->arg_count; i++)
		rec->values[i] = value_of(&launch->args[i]);
	rec->call = (struct kernel_call){
		.grid = launch->grid, .block = launch->block,
		.shared_bytes = launch->shared_bytes, .values = rec->values,
		.read = call_read, .context = rec,
	};
}

/* --- what it writes --- */

static void add_extent(void *context, int param, uint64_t offset, uint64_t bytes)
{
	struct recording *rec = context;
	const struct arg *arg = &rec->launch->args[param];
	struct shadow *shadow = arg->buffer ? shadow_find(rec->recorder, arg->buffer) : NULL;
	uint64_t begin = arg->offset + offset;
	int i = 0;

	if (!shadow || begin >= shadow->buffer->bytes)
		return;
	/* A launch that leaves its buffer fails on the device; the digest then never happens. */
	if (bytes > shadow->buffer->bytes - begin)
		bytes = shadow->buffer->bytes - begin;
	while (i < rec->written_count && rec->written[i].shadow != shadow)
		i++;
	if (i == rec->written_count)
		rec->written[rec->written_count++] = (struct written){ .shadow = shadow };
	ranges_add(&rec->written[i].ranges, begin, bytes);
}

/* A kernel that does not say what it writes may write everything it has a non-const pointer to. */
static void find_written(struct recording *rec)
{
	const struct kernel *kernel = rec->launch->kernel;

	if (kernel->writes) {
		kernel->writes(&rec->call, add_extent, rec);
		return;
	}
	for (int i = 0; i < rec->launch->arg_count; i++)
		if (rec->params[i].kind == PARAM_POINTER && !strstr(rec->params[i].type, "const"))
			add_extent(rec, i, 0, (uint64_t)rec->values[i].i);
}

static void recording_end(struct recording *rec)
{
	for (int i = 0; i < rec->written_count; i++)
		ranges_clear(&rec->written[i].ranges);
}

static void mark_written(struct recording *rec)
{
	for (int i = 0; i < rec->written_count; i++) {
		const struct written *w = &rec->written[i];

		for (size_t k = 0; k < w->ranges.count; k++)
			shadow_written(rec->recorder, w->shadow, w->ranges.items[k].begin,
				       w->ranges.items[k].end - w->ranges.items[k].begin);
	}
}

/* --- the row of the launch --- */

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

/* The pointer fields of a blob, with its addresses blanked: they are no part of the value. */
static void describe_blob(struct recorder *r, const struct arg *arg, struct event_arg *out)
{
	struct event_pointer *pointers = xcalloc((size_t)arg->field_count, sizeof *pointers);
	char *blob = xmalloc(arg->bytes);

	memcpy(blob, arg->value.blob, arg->bytes);
	for (int i = 0; i < arg->field_count; i++) {
		const struct pointer_field *field = &arg->fields[i];

		memset(blob + field->at, 0, sizeof(uint64_t));
		pointers[i] = (struct event_pointer){
			.at = field->at, .buffer = shadow_id(r, field->buffer),
			.offset = field->offset,
		};
	}
	out->blob = blob;
	out->blob_bytes = arg->bytes;
	out->pointers = pointers;
	out->pointer_count = arg->field_count;
}

static void describe_args(struct recording *rec, struct event_arg *out)
{
	for (int i = 0; i < rec->launch->arg_count; i++) {
		const struct arg *arg = &rec->launch->args[i];

		out[i] = (struct event_arg){
			.name = rec->params[i].name, .type = rec->params[i].type,
			.kind = param_kind_name(arg->kind), .bits = bits_of(arg),
			.live = arg->live != NULL,
		};
		if (arg->kind == PARAM_POINTER) {
			out[i].buffer = shadow_id(rec->recorder, arg->buffer);
			out[i].offset = arg->buffer ? arg->offset : 0;
		} else if (arg->kind == PARAM_BLOB) {
			describe_blob(rec->recorder, arg, &out[i]);
		}
	}
}

static void release_args(struct event_arg *args, int count)
{
	for (int i = 0; i < count; i++) {
		free((void *)args[i].blob);
		free((void *)args[i].pointers);
	}
}

const char *recorder_attribute_name(enum launch_attribute_id id)
{
	static const char *const names[] = {
		[ATTRIBUTE_MAX_DYNAMIC_SHARED] = "max_dynamic_shared",
		[ATTRIBUTE_COOPERATIVE] = "cooperative",
	};

	return names[id];
}

/* JSON object, or NULL when there are none; the caller frees. */
static char *describe_attributes(const struct launch *launch)
{
	json_t *object;
	char *text;

	if (!launch->attribute_count)
		return NULL;
	object = json_object();
	for (int i = 0; i < launch->attribute_count; i++)
		json_object_set_new(object, recorder_attribute_name(launch->attributes[i].id),
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

/* Device time of the launch that just ended. */
static double launch_us(const struct recorder *r)
{
	double us = device_last_launch_us(r->device.inner);

	return us < 0.0 ? NAN : us;
}

static enum status note_launch(struct recording *rec, enum status done, int64_t *op)
{
	const struct launch *launch = rec->launch;
	struct recorder *r = rec->recorder;
	struct event_arg args[MAX_ARGS];
	char *attributes = describe_attributes(launch);
	struct event_launch event = {
		.number = r->launches, .kernel = launch->kernel->name,
		.shared_bytes = launch->shared_bytes, .layer = launch->layer,
		.args = args, .arg_count = launch->arg_count,
		.attributes = attributes,
	};
	struct event_op row = {
		.kind = OP_LAUNCH, .stream = numbers_find(&r->streams, launch->stream),
		.object = -1,
		.start_us = NAN, .duration_us = done == STATUS_OK ? launch_us(r) : NAN,
		.launch = &event,
	};

	dim3_to(event.grid, launch->grid);
	dim3_to(event.block, launch->block);
	dim3_to(event.cluster, launch->cluster);
	describe_args(rec, args);
	done = recorder_note(r, &row, done, op);
	release_args(args, launch->arg_count);
	free(attributes);
	return done;
}

/* --- the kernel's row, once a run --- */

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

static int describe_sources(const struct kernel *kernel, struct event_source **out)
{
	const struct kernel_source *sources = kernel_sources(kernel);
	int count = 0;

	while (sources[count].file)
		count++;
	*out = xcalloc((size_t)count, sizeof **out);
	for (int i = 0; i < count; i++)
		(*out)[i] = (struct event_source){ sources[i].file, sources[i].text };
	return count;
}

static enum status store_kernel_once(struct recorder *r, const struct kernel *kernel)
{
	struct event_source *sources;
	struct event_kernel event;
	enum status status;
	char *params;

	for (int i = 0; i < r->kernel_count; i++)
		if (r->kernels[i] == kernel)
			return STATUS_OK;
	params = params_json(kernel);
	event = (struct event_kernel){
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

/* --- launching --- */

static enum status store_probed(struct recorder *r)
{
	struct event_point *points;
	uint64_t dropped;
	enum status status;
	size_t count;

	TRY(probe_collect(r->probe, r->points, &points, &count, &dropped));
	status = store_points(r->store, r->run, r->launches, points, count, dropped);
	free(points);
	return status;
}

/* Everything the level asks for about a launch that succeeded. */
static enum status record_results(struct recording *rec, int64_t op, bool probed)
{
	struct recorder *r = rec->recorder;
	enum kernel_role role = rec->launch->kernel->role;
	/* Partials and results of attention are kept whole. */
	bool keep = r->level >= LEVEL_PARTIALS
		&& (role == ROLE_REDUCE || role == ROLE_ATTENTION);

	for (int i = 0; i < rec->written_count; i++)
		if (rec->written[i].ranges.count)
			TRY(recorder_digest_written(r, &rec->written[i], op, keep));
	TRY(recorder_decode(r, rec->launch, &rec->call));
	return probed ? store_probed(r) : STATUS_OK;
}

static enum status launch_recorded(struct recording *rec)
{
	struct recorder *r = rec->recorder;
	struct launch launch = *rec->launch;
	enum status done;
	int64_t op;

	TRY(store_kernel_once(r, launch.kernel));
	if (r->probe)
		TRY(probe_prepare(r->probe, launch.kernel, &rec->call, &launch.probed));
	done = device_launch(r->device.inner, &launch);
	if (done == STATUS_OK)
		done = device_sync(r->device.inner, launch.stream);
	TRY(note_launch(rec, done, &op));
	TRY(record_results(rec, op, launch.probed));
	mark_written(rec);
	return STATUS_OK;
}

enum status recorder_launch(struct device *device, const struct launch *launch)
{
	struct recorder *r = recorder_of(device);
	struct recording rec;
	enum status done;

	TRY(recorder_window(r, 'L', r->launches));
	recording_begin(&rec, r, launch);
	find_written(&rec);
	if (r->storing) {
		done = launch_recorded(&rec);
	} else {
		done = device_launch(device->inner, launch);
		if (done == STATUS_OK)
			mark_written(&rec);
	}
	recording_end(&rec);
	if (!recorder_refused(done))
		r->launches++;
	return done;
}

enum status recorder_next_launch(struct device *device, int64_t number)
{
	struct recorder *r = recorder_of(device);

	if (number < r->launches)
		return fail(STATUS_DAMAGED, "launch %lld comes after launch %lld",
			    (long long)number, (long long)r->launches - 1);
	r->launches = number;
	return STATUS_OK;
}
