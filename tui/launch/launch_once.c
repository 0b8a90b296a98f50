/* launch_once.c - buffers for the arguments, the launch, the outputs; see launch_once.h. */
#include "config.h"

#include "tui/launch/launch_once.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* More dynamic shared memory needs the attribute that allows it. */
#define PLAIN_SHARED (48 << 10)
/* So do clusters of more blocks. */
#define PORTABLE_CLUSTER 8

/* The argument's bytes: of its array, or of its value. */
static const void *bytes_of(const struct launch_arg *a)
{
	if (a->is_array)
		return a->reads ? a->array.data : NULL;
	return a->small ? (const void *)a->bytes : &a->value.value;
}

static enum status make_buffer(struct device *device, struct launch_arg *a)
{
	struct buffer_spec spec = {
		.name = a->name, .dtype = a->array.dtype, .rank = a->array.rank,
	};
	const void *bytes = bytes_of(a);

	memcpy(spec.shape, a->array.shape, sizeof spec.shape);
	if (a->variable && !a->is_array)
		spec.dtype = launch_arg_dtype(a);
	TRY(a->variable ? device_alloc_variable(device, &spec, a->variable, &a->buffer)
	    : device_alloc(device, &spec, &a->buffer));
	/* A variable keeps the value that it has in the file. */
	if (!bytes && a->variable)
		bytes = a->variable->address;
	return bytes ? device_upload(device, NULL, a->buffer, 0, bytes, a->buffer->bytes)
		: STATUS_OK;
}

static bool is_given(const struct launch_args *args, const struct kernel_variable *v)
{
	for (int i = args->param_count; i < args->count; i++)
		if (args->items[i].variable == v)
			return true;
	return false;
}

/* The other variables begin with what the file gives them, also in a replay. */
static enum status make_rest(struct launch_once *c, struct device *device)
{
	const struct kernel_variable *v = c->kernel->variables;

	c->rest_count = 0;
	if (!c->variables)
		return STATUS_OK;
	for (; v && v->name && c->rest_count < MAX_VARIABLES; v++) {
		enum dtype dtype = DTYPE_U8;
		struct buffer_spec spec = { .name = v->name, .rank = 1 };
		struct buffer **buffer = &c->rest[c->rest_count];

		if (is_given(c->args, v))
			continue;
		if (v->element)
			dtype_from_name(v->element, &dtype);
		spec.dtype = v->bytes % dtype_bytes(dtype) ? DTYPE_U8 : dtype;
		spec.shape[0] = (int64_t)(v->bytes / dtype_bytes(spec.dtype));
		TRY(device_alloc_variable(device, &spec, v, buffer));
		c->rest_count++;
		TRY(device_upload(device, NULL, *buffer, 0, v->address, v->bytes));
	}
	return STATUS_OK;
}

static bool has_buffer(const struct launch_arg *a)
{
	return a->is_array || a->variable;
}

static enum status launch(const struct launch_once *c, struct device *device)
{
	struct dim3 cluster = c->cluster.x ? c->cluster : kernel_cluster(c->kernel);
	struct launch_attribute attributes[2];
	struct arg args[MAX_ARGS];
	struct launch launch = {
		.kernel = c->kernel, .grid = c->grid, .block = c->block, .cluster = cluster,
		.layer = -1, .shared_bytes = (unsigned)c->shared_bytes, .attributes = attributes,
		.args = args, .arg_count = c->args->param_count,
	};

	if (launch.arg_count > MAX_ARGS)
		return fail(STATUS_USAGE, "kernel %s has %d parameters; the maximum is %d",
			    c->kernel->name, launch.arg_count, MAX_ARGS);
	if (c->shared_bytes > PLAIN_SHARED)
		attributes[launch.attribute_count++] = (struct launch_attribute){
			ATTRIBUTE_MAX_DYNAMIC_SHARED, c->shared_bytes };
	if ((uint64_t)cluster.x * cluster.y * cluster.z > PORTABLE_CLUSTER)
		attributes[launch.attribute_count++] = (struct launch_attribute){
			ATTRIBUTE_NONPORTABLE_CLUSTER, 1 };

	for (int i = 0; i < c->args->param_count; i++) {
		const struct launch_arg *a = &c->args->items[i];

		args[i] = a->is_array ? ARG_BUFFER(a->buffer) : a->value;
		args[i].name = a->name;
	}
	TRY(device_launch(device, &launch));
	return device_sync(device, NULL);
}

/* Keeps the outputs of the first run; later ones are downloaded too, for their traces. */
static enum status download(struct launch_once *c, struct device *device)
{
	for (int i = 0; i < c->args->count; i++) {
		struct launch_arg *a = &c->args->items[i];
		enum status status;
		void *bytes;

		if (!a->is_array || !a->writes)
			continue;
		if (a->result_bytes < a->buffer->bytes)
			return fail(STATUS_DEVICE, "no memory for the output %s, %zu bytes",
				    a->name, a->buffer->bytes);
		bytes = c->kept[i] || !a->result ? xmalloc(a->buffer->bytes + 1) : a->result;
		status = device_download(device, NULL, a->buffer, 0, bytes, a->buffer->bytes);
		if (bytes != a->result)
			free(bytes);
		c->kept[i] = true;
		TRY(status);
	}
	return STATUS_OK;
}

/* Keeps an earlier error: a device that faulted cannot free its buffers. */
static void free_buffers(struct launch_once *c, struct device *device)
{
	struct error_record error;

	error_save(&error);
	for (int i = 0; i < c->args->count; i++)
		if (has_buffer(&c->args->items[i]))
			device_free(device, c->args->items[i].buffer);
	while (c->rest_count)
		device_free(device, c->rest[--c->rest_count]);
	error_restore(&error);
}

enum status launch_once(struct launch_once *c, struct device *device)
{
	enum status status;

	for (int i = 0; i < c->args->count; i++)
		if (has_buffer(&c->args->items[i]))
			TRY(make_buffer(device, &c->args->items[i]));
	TRY(make_rest(c, device));
	status = launch(c, device);
	if (status == STATUS_OK)
		status = download(c, device);
	free_buffers(c, device);
	return status;
}
