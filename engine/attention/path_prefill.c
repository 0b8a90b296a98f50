/* path_prefill.c - decode attention with a prefill kernel, which then gets a single query.
 *
 * Processes one sequence at a time, directly on the cache. For many queries at once see
 * engine/attention/prefill.h, which all paths use for prompts.
 */
#include "engine/attention/prefill.h"
#include "engine/attention/step_io.h"

static size_t shared(const struct attention_shape *shape)
{
	return prefill_shared_bytes(shape->head_dim, shape->head_dim);
}

static size_t tiled_shared(const struct attention_shape *shape)
{
	return prefill_tiled_shared_bytes(shape->head_dim);
}

static enum status check_tiled(const struct attention_shape *shape)
{
	return prefill_check_tiled("prefill-tiled", shape->head_dim, shape->head_dim);
}

static enum status attend_slot(struct attention *a, int layer, int slot)
{
	const struct attention_shape *s = &a->shape;
	uint64_t row = (uint64_t)slot * (uint64_t)s->heads * (uint64_t)s->head_dim * sizeof(float);
	uint64_t cache = (uint64_t)slot * (uint64_t)kv_cache_stride(a->cache) * sizeof(float);
	const struct prefill prefill = {
		.heads = s->heads, .kv_heads = s->kv_heads, .queries = 1,
		.keys = a->io->lens_now[slot], .head_dim = s->head_dim, .value_dim = s->head_dim,
		.stride = s->max_len, .mask = MASK_BOTTOM_RIGHT, .scale = s->scale, .layer = layer,
		.tiled = a->path->tiled,
	};

	if (prefill.keys == 0)
		return STATUS_OK;
	TRY(prefill_check(a->path->name, &prefill));
	return prefill_launch(a->device, &prefill, ARG_AT(a->io->q, row),
			      ARG_AT(a->cache->k[layer], cache), ARG_AT(a->cache->v[layer], cache),
			      ARG_AT(a->io->out, row));
}

static enum status launch(struct attention *a, int layer)
{
	for (int slot = 0; slot < a->shape.slots; slot++) {
		TRY(step_io_scatter_slot(a, layer, slot));
		TRY(attend_slot(a, layer, slot));
	}
	return STATUS_OK;
}

const struct path path_prefill = {
	.name = "prefill",
	.summary = "tiled attention of many queries; in decode, of one query at a time",
	.size = sizeof(struct attention), .shared = shared, .launch = launch,
};

const struct path path_prefill_tiled = {
	.name = "prefill-tiled",
	.summary = "prefill with tiles in registers, several times as fast; bits of its own",
	.size = sizeof(struct attention), .tiled = true,
	.check = check_tiled, .shared = tiled_shared, .launch = launch,
};
