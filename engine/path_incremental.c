/* path_incremental.c - decode attention without chunks: one warp, or four, attend to all keys of a
 * query head.
 *
 * A sequence at a time: each slot has scatter and attention launches of its own, with its length by
 * value. That is what the batched path is measured against.
 */
#include "engine/path_parts.h"

size_t tile_bytes(const struct attention_shape *shape, unsigned warps)
{
	return (size_t)warps * WARP * ((size_t)shape->head_dim + 1) * sizeof(float);
}

static enum status attend_slot(struct attention *a, int layer, int slot, unsigned warps)
{
	const struct attention_shape *s = &a->shape;
	uint64_t row = (uint64_t)slot * (uint64_t)s->heads * (uint64_t)s->head_dim * sizeof(float);
	uint64_t cache = (uint64_t)slot * (uint64_t)kv_cache_stride(a->cache) * sizeof(float);
	const struct arg args[] = {
		ARG_AT(a->io->q, row), ARG_AT(a->cache->k[layer], cache),
		ARG_AT(a->cache->v[layer], cache), ARG_AT(a->io->out, row), ARG_I32(s->kv_heads),
		ARG_I32(s->head_dim), ARG_I32(s->max_len), ARG_I32(a->io->lens_now[slot]),
		ARG_F32(s->scale),
	};

	return launch_kernel(
		a->device, warps == 1 ? "attention_incremental" : "attention_incremental_multiwarp",
		layer, (struct dim3){ (unsigned)s->heads, 1, 1 },
		(struct dim3){ WARP * warps, 1, 1 }, (unsigned)tile_bytes(s, warps), args,
		COUNT(args));
}

enum status incremental_attend(struct attention *a, int layer, unsigned warps)
{
	for (int slot = 0; slot < a->shape.slots; slot++)
		if (a->io->lens_now[slot] > 0)
			TRY(attend_slot(a, layer, slot, warps));
	return STATUS_OK;
}

static enum status step_with(struct attention *a, const struct attention_step *step, unsigned warps)
{
	TRY(step_io_upload(a, step));
	TRY(step_io_scatter_each(a, step->layer));
	TRY(incremental_attend(a, step->layer, warps));
	return step_io_download(a, step);
}

/* --- one warp --- */

static size_t shared_one(const struct attention_shape *shape)
{
	return tile_bytes(shape, 1);
}

static enum status step_one(struct attention *a, const struct attention_step *step)
{
	return step_with(a, step, 1);
}

const struct path path_incremental = {
	.name = "incremental",
	.summary = "one warp per query head over all keys, a sequence at a time",
	.size = sizeof(struct attention), .shared = shared_one, .step = step_one,
};

/* --- four warps --- */

static size_t shared_four(const struct attention_shape *shape)
{
	return tile_bytes(shape, 4);
}

static enum status step_four(struct attention *a, const struct attention_step *step)
{
	return step_with(a, step, 4);
}

const struct path path_incremental_multiwarp = {
	.name = "incremental-multiwarp",
	.summary = "four warps per query head over a quarter of the keys each, then merged",
	.size = sizeof(struct attention),
	.shared = shared_four,
	.step = step_four,
};
