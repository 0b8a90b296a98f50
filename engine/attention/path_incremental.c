/* path_incremental.c - decode attention without chunks: one warp, or four, attend to all keys of a
 * query head.
 *
 * Runs one sequence at a time: each slot has its own scatter and attention launches, with its
 * length by value, or in device memory for a graph. It is the baseline for the batched path.
 */
#include "engine/attention/path_parts.h"

size_t merge_bytes(const struct attention_shape *shape, unsigned warps)
{
	return warps > 1 ? (size_t)warps * ((size_t)shape->head_dim + 2) * sizeof(float) : 0;
}

/* For a graph, the variants of the two kernels that read the length from device memory. */
static const char *kernel_name(unsigned warps, bool graph)
{
	if (warps == 1)
		return graph ? "attention_incremental_indirect" : "attention_incremental";
	return graph ? "attention_incremental_multiwarp_indirect"
		     : "attention_incremental_multiwarp";
}

enum status incremental_attend(struct attention *a, int layer, int slot, unsigned warps)
{
	const struct attention_shape *s = &a->shape;
	bool graph = a->io->target.graph;
	uint64_t row = (uint64_t)slot * (uint64_t)s->heads * (uint64_t)s->head_dim * sizeof(float);
	uint64_t cache = (uint64_t)slot * (uint64_t)kv_cache_stride(a->cache) * sizeof(float);
	const struct arg q = ARG_AT(a->io->q, row), k = ARG_AT(a->cache->k[layer], cache);
	const struct arg v = ARG_AT(a->cache->v[layer], cache), out = ARG_AT(a->io->out, row);
	const struct arg heads = ARG_I32(s->kv_heads), D = ARG_I32(s->head_dim);
	const struct arg max_len = ARG_I32(s->max_len), scale = ARG_F32(s->scale);
	const struct arg by_value[] = {
		q, k, v, out, heads, D, max_len, ARG_I32(a->io->lens_now[slot]), scale,
	};
	const struct arg indirect[] = {
		q, k, v, out,
		ARG_AT(a->io->graph.seq_lens.buffer, (uint64_t)slot * sizeof(int32_t)),
		heads, D, max_len, scale,
	};

	/* In a graph the kernel itself skips a slot that is done. */
	if (!graph && a->io->lens_now[slot] == 0)
		return STATUS_OK;
	return step_launch(a, kernel_name(warps, graph), layer,
			   (struct dim3){ (unsigned)s->heads, 1, 1 },
			   (struct dim3){ WARP * warps, 1, 1 }, (unsigned)merge_bytes(s, warps),
			   graph ? indirect : by_value, COUNT(by_value));
}

static enum status launch_with(struct attention *a, int layer, unsigned warps)
{
	for (int slot = 0; slot < a->shape.slots; slot++) {
		TRY(step_io_scatter_slot(a, layer, slot));
		TRY(incremental_attend(a, layer, slot, warps));
	}
	return STATUS_OK;
}

/* --- one warp --- */

static size_t shared_one(const struct attention_shape *shape)
{
	return merge_bytes(shape, 1);
}

static enum status launch_one(struct attention *a, int layer)
{
	return launch_with(a, layer, 1);
}

const struct path path_incremental = {
	.name = "incremental",
	.summary = "one warp per query head over all keys, a sequence at a time",
	.size = sizeof(struct attention), .replayable = true,
	.shared = shared_one, .launch = launch_one,
};

/* --- four warps --- */

static size_t shared_four(const struct attention_shape *shape)
{
	return merge_bytes(shape, 4);
}

static enum status launch_four(struct attention *a, int layer)
{
	return launch_with(a, layer, 4);
}

const struct path path_incremental_multiwarp = {
	.name = "incremental-multiwarp",
	.summary = "four warps per query head over a quarter of the keys each, then merged",
	.size = sizeof(struct attention), .replayable = true,
	.shared = shared_four, .launch = launch_four,
};
