/* bench_launches.c - copies the launches that an attention path makes, and launches them again.
 *
 * While a step runs, the launch entry of the device's table is replaced by one that also keeps a
 * copy, so that what is counted and timed is exactly what the path does, including arguments.
 */
#include "config.h"

#include "tui/bench/bench_rig.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/attention/prefill.h"
#include "engine/launch_copy.h"
#include "tui/bench/bench_sample.h"

/* --- copying --- */

struct tap {
	struct device_ops ops;          /* must be first; the device's own, except launch */
	const struct device_ops *real;
	unsigned roles;
	struct launches *list;
};

static void keep(struct launches *list, const struct launch *launch)
{
	list->items = xreallocarray(list->items, (size_t)list->count + 1, sizeof *list->items);
	list->items[list->count++] = launch_copy(launch);
}

static enum status tap_launch(struct device *device, const struct launch *launch)
{
	const struct tap *tap = (const struct tap *)device->ops;

	TRY(tap->real->launch(device, launch));
	if (tap->roles >> launch->kernel->role & 1)
		keep(tap->list, launch);
	return STATUS_OK;
}

enum status launches_take(struct rig *rig, unsigned roles, rig_work *work, void *context,
			  struct launches *out)
{
	struct tap tap = {
		.ops = *rig->device->ops, .real = rig->device->ops, .roles = roles, .list = out,
	};
	enum status status;

	*out = (struct launches){ 0 };
	tap.ops.launch = tap_launch;
	rig->device->ops = &tap.ops;
	status = work(rig, context);
	rig->device->ops = tap.real;
	return status;
}

void launches_free(struct launches *list)
{
	for (int i = 0; i < list->count; i++)
		launch_copy_free(&list->items[i]);
	free(list->items);
	*list = (struct launches){ 0 };
}

/* --- a step --- */

/* The values do not matter: attention takes the same time for any. */
enum status step_run(struct rig *rig, void *context)
{
	struct attention *a = context;
	const struct attention_shape *s = &a->shape;
	size_t rows = (size_t)attention_rows(s) * (size_t)s->heads * (size_t)s->head_dim;
	float *q = bench_random(rows, &(unsigned){ 1 }), *out = xcalloc(rows, sizeof *out);
	enum status status = STATUS_OK;

	(void)rig;
	for (int layer = 0; status == STATUS_OK && layer < s->layers; layer++)
		status = attention_step(a, &(struct attention_step){
			.layer = layer, .q = q, .k = q, .v = q, .out = out });
	free(q);
	free(out);
	return status;
}

enum status step_prepare(struct rig *rig, struct attention *a, int keys)
{
	for (int layer = 0; layer < a->shape.layers; layer++) {
		TRY(rig_fill_random(rig, a->cache->k[layer]));
		TRY(rig_fill_random(rig, a->cache->v[layer]));
		for (int slot = 0; slot < a->shape.slots; slot++)
			kv_cache_append(a->cache, layer, slot, keys - 1);
	}
	return STATUS_OK;
}

enum status launches_of_step(struct rig *rig, struct attention *a, int keys, unsigned roles,
			     struct launches *out)
{
	*out = (struct launches){ 0 };
	TRY(step_prepare(rig, a, keys));
	return launches_take(rig, roles, step_run, a, out);
}

/* --- a prompt --- */

enum { Q, K, V, OUT, TENSORS };

struct prompt {
	struct prefill prefill;
	struct buffer *buffers[TENSORS];
};

static enum status launch_prompt(struct rig *rig, void *context)
{
	struct prompt *p = context;

	return prefill_launch(rig->device, &p->prefill, ARG_BUFFER(p->buffers[Q]),
			      ARG_BUFFER(p->buffers[K]), ARG_BUFFER(p->buffers[V]),
			      ARG_BUFFER(p->buffers[OUT]));
}

enum status launches_of_prefill(struct rig *rig, int heads, int rows, int head_dim,
				bool tiled, struct launches *out)
{
	static const char *const names[TENSORS] = { "q", "k", "v", "out" };
	struct prompt p = { .prefill = {
		.heads = heads, .kv_heads = heads, .queries = rows, .keys = rows, .stride = rows,
		.head_dim = head_dim, .value_dim = head_dim, .mask = MASK_BOTTOM_RIGHT,
		.scale = attention_scale(head_dim), .layer = -1, .tiled = tiled } };

	*out = (struct launches){ 0 };
	for (int i = 0; i < TENSORS; i++) {
		const struct buffer_spec spec = { names[i], DTYPE_F32, 3,
						  { heads, rows, head_dim } };

		TRY(device_alloc(rig->device, &spec, &p.buffers[i]));
		TRY(rig_fill_random(rig, p.buffers[i]));
	}
	return launches_take(rig, ROLES_ATTEND, launch_prompt, &p, out);
}

/* --- launching again --- */

static enum status run(struct rig *rig, const struct launches *list, bool waiting)
{
	for (int i = 0; i < list->count; i++) {
		struct launch launch = list->items[i];

		launch.stream = rig->stream;
		TRY(device_launch(rig->device, &launch));
		if (waiting && launch.kernel->role == ROLE_CHUNK)
			TRY(device_sync(rig->device, rig->stream));
	}
	return STATUS_OK;
}

enum status launches_run(struct rig *rig, void *list)
{
	return run(rig, list, false);
}

enum status launches_run_waiting(struct rig *rig, void *list)
{
	return run(rig, list, true);
}
