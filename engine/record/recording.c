/* recording.c - a launch while it is being recorded; see recording.h. */
#include "engine/record/recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/launch_value.h"
#include "engine/record/graph_shadow.h"
#include "engine/record/recorder_state.h"
#include "engine/record/shadow.h"

/* --- the call in the kernel table's form --- */

enum status recording_read(const struct recording *rec, const struct buffer *buffer,
			   uint64_t offset, void *out, uint64_t bytes)
{
	struct recorder *r = rec->recorder;

	if (rec->node)
		return graph_read(r, rec->node, buffer, offset, out, bytes);
	return device_download(r->device.inner, NULL, buffer, offset, out, bytes);
}

static bool call_read(void *context, int param, uint64_t offset, size_t bytes, void *out)
{
	const struct recording *rec = context;
	const struct arg *arg = &rec->launch->args[param];
	struct device *inner = rec->recorder->device.inner;

	if (!arg->buffer)
		return false;
	if (rec->node)
		return recording_read(rec, arg->buffer, arg->offset + offset, out,
				      bytes) == STATUS_OK;
	return device_download(inner, rec->launch->stream, arg->buffer, arg->offset + offset, out,
			       bytes) == STATUS_OK;
}

void recording_begin(struct recording *rec, struct recorder *r, const struct launch *launch,
		     const struct node *node)
{
	int count;

	/* The arrays are large, and most of their entries are never used. */
	rec->recorder = r;
	rec->launch = launch;
	rec->node = node;
	rec->op = rec->number = 0;
	rec->written = NULL;
	rec->written_count = 0;
	rec->params = kernel_params(launch->kernel, &count);
	for (int i = 0; i < launch->arg_count; i++)
		rec->values[i] = launch_value(&launch->args[i]);
	rec->call = (struct kernel_call){
		.grid = launch->grid, .block = launch->block,
		.shared_bytes = launch->shared_bytes, .values = rec->values,
		.read = call_read, .context = rec,
	};
}

void recording_end(struct recording *rec)
{
	for (int i = 0; i < rec->written_count; i++)
		ranges_clear(&rec->written[i].ranges);
	free(rec->written);
	rec->written = NULL;
	rec->written_count = 0;
}

/* --- what the launch writes --- */

static void add_written(struct recording *rec, struct shadow *shadow)
{
	rec->written = xreallocarray(rec->written, (size_t)rec->written_count + 1,
				     sizeof *rec->written);
	rec->written[rec->written_count++] = (struct written){
		.shadow = shadow, .element = DTYPE_COUNT,
	};
}

/* Parameters of different types may point to one buffer. */
static void add_element(struct recording *rec, const struct shadow *shadow, const char *element)
{
	enum dtype type = DTYPE_COUNT;

	if (element && !dtype_from_name(element, &type))
		type = DTYPE_COUNT;
	for (int i = 0; i < rec->written_count; i++) {
		struct written *w = &rec->written[i];

		if (w->shadow != shadow)
			continue;
		w->element = !w->typed || w->element == type ? type : DTYPE_U8;
		w->typed = true;
	}
}

static void add_range(struct recording *rec, struct shadow *shadow, uint64_t begin, uint64_t bytes)
{
	int i = 0;

	if (begin >= shadow->buffer->bytes)
		return;
	/* Writes outside of a buffer fail on the device, and there is no digest then. */
	if (bytes > shadow->buffer->bytes - begin)
		bytes = shadow->buffer->bytes - begin;
	while (i < rec->written_count && rec->written[i].shadow != shadow)
		i++;
	if (i == rec->written_count)
		add_written(rec, shadow);
	ranges_add(&rec->written[i].ranges, begin, bytes);
}

static void add_extent(void *context, int param, uint64_t offset, uint64_t bytes)
{
	struct recording *rec = context;
	const struct arg *arg = &rec->launch->args[param];
	struct shadow *shadow = arg->buffer ? shadow_find(rec->recorder, arg->buffer) : NULL;

	if (!shadow)
		return;
	add_range(rec, shadow, arg->offset + offset, bytes);
	add_element(rec, shadow, rec->params[param].element);
}

static void add_fields(struct recording *rec, const struct arg *arg)
{
	for (int i = 0; i < arg->field_count; i++) {
		struct shadow *shadow = shadow_find(rec->recorder, arg->fields[i].buffer);

		if (!shadow)
			continue;
		add_range(rec, shadow, arg->fields[i].offset, UINT64_MAX);
		add_element(rec, shadow, NULL);
	}
}

/* Device variables that the caller has made buffers of. */
static void add_variables(struct recording *rec)
{
	const struct kernel_variable *v = rec->launch->kernel->variables;
	struct recorder *r = rec->recorder;

	for (; v && v->name; v++)
		for (int i = 0; i < r->shadow_count; i++)
			if (r->shadows[i].buffer->variable == v->address)
				add_range(rec, &r->shadows[i], 0, v->bytes);
}

/* A kernel without a list of writes may write every buffer to which it has a non-const pointer, and
 * others whose addresses it finds in memory. */
void recording_find_written(struct recording *rec)
{
	const struct kernel *kernel = rec->launch->kernel;

	if (kernel->writes) {
		kernel->writes(&rec->call, add_extent, rec);
		return;
	}
	rec->recorder->unlisted = true;
	for (int i = 0; i < rec->launch->arg_count; i++) {
		if (rec->params[i].kind == PARAM_POINTER && !strstr(rec->params[i].type, "const"))
			add_extent(rec, i, 0, (uint64_t)rec->values[i].i);
		add_fields(rec, &rec->launch->args[i]);
	}
	add_variables(rec);
}

void recording_mark_written(const struct recording *rec)
{
	for (int i = 0; i < rec->written_count; i++) {
		const struct written *w = &rec->written[i];

		for (size_t k = 0; k < w->ranges.count; k++)
			shadow_written(rec->recorder, w->shadow, w->ranges.items[k].begin,
				       w->ranges.items[k].end - w->ranges.items[k].begin);
	}
}
