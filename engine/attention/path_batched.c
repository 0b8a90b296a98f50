/* path_batched.c - decode attention of several sequences in one launch, one warp per query head
 * and sequence.
 *
 * Each layer takes two scatter launches and one attention launch, for any number of sequences.
 * Kernels read the cache address and the length of each slot from device memory.
 */
#include "engine/attention/path_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"

/* --- the part that `auto` uses too --- */

static enum status alloc_pointers(struct attention *a, char letter, int layer, struct buffer *cache,
				  struct buffer **out)
{
	uint64_t slot_bytes = (uint64_t)kv_cache_stride(a->cache) * sizeof(float);
	size_t M = (size_t)a->shape.slots;
	struct pointer_entry *entries = xcalloc(M, sizeof *entries);
	char name[sizeof((*out)->name)];
	struct buffer_spec spec = { name, DTYPE_U64, 1, { a->shape.slots } };
	enum status status;

	snprintf(name, sizeof name, "%c_ptrs.%d", letter, layer);
	for (size_t slot = 0; slot < M; slot++)
		entries[slot] = (struct pointer_entry){ cache, slot * slot_bytes };
	status = device_alloc(a->device, &spec, out);
	if (status == STATUS_OK)
		status = device_upload_pointers(a->device, NULL, *out, 0, entries, M);
	free(entries);
	return status;
}

enum status batched_alloc(struct attention *a, struct batched_part *part)
{
	int layers = a->shape.layers;

	part->k_ptrs = xcalloc((size_t)layers, sizeof(struct buffer *));
	part->v_ptrs = xcalloc((size_t)layers, sizeof(struct buffer *));
	for (int layer = 0; layer < layers; layer++) {
		TRY(alloc_pointers(a, 'k', layer, a->cache->k[layer], &part->k_ptrs[layer]));
		TRY(alloc_pointers(a, 'v', layer, a->cache->v[layer], &part->v_ptrs[layer]));
	}
	return STATUS_OK;
}

void batched_free(struct attention *a, struct batched_part *part)
{
	if (!part->k_ptrs)
		return;
	free_buffers(a->device, part->k_ptrs, a->shape.layers);
	free_buffers(a->device, part->v_ptrs, a->shape.layers);
	free(part->k_ptrs);
	free(part->v_ptrs);
}

enum status batched_attend(struct attention *a, const struct batched_part *part, int layer)
{
	const struct attention_shape *s = &a->shape;
	const struct arg args[] = {
		ARG_BUFFER(a->io->q),
		ARG_BUFFER(part->k_ptrs[layer]),
		ARG_BUFFER(part->v_ptrs[layer]),
		ARG_BUFFER(a->io->out),
		ARG_BUFFER(step_io_lengths(a)->seq_lens.buffer),
		ARG_I32(s->kv_heads),
		ARG_I32(s->head_dim),
		ARG_I32(s->max_len),
		ARG_F32(s->scale),
	};

	return step_launch(a, "attention_batched", layer,
			   (struct dim3){ (unsigned)s->heads, (unsigned)s->slots, 1 },
			   (struct dim3){ WARP, 1, 1 }, (unsigned)merge_bytes(s, 1), args,
			   COUNT(args));
}

/* --- the path --- */

struct batched {
	struct attention base;
	struct batched_part part;
};

static size_t shared(const struct attention_shape *shape)
{
	return merge_bytes(shape, 1);
}

static enum status create(struct attention *a)
{
	return batched_alloc(a, &((struct batched *)a)->part);
}

static void destroy(struct attention *a)
{
	batched_free(a, &((struct batched *)a)->part);
}

static enum status launch(struct attention *a, int layer)
{
	TRY(step_io_scatter(a, layer));
	return batched_attend(a, &((struct batched *)a)->part, layer);
}

const struct path path_batched = {
	.name = "batched",
	.summary = "one warp per query head and sequence, all sequences in one launch",
	.size = sizeof(struct batched), .device_lengths = true, .replayable = true,
	.shared = shared, .create = create, .launch = launch, .destroy = destroy,
};
