/* path_flash_decoding.c - flash decoding: the keys of each row are split into chunks that run in
 * parallel, and a second kernel merges their results.
 *
 * One layer of one step is: upload q, k and v; scatter k and v into the cache; a chunk kernel, one
 * or two warps per head, slot and chunk; flash_decode_reduce, one warp per head and slot; download
 * the output. Lengths are in device memory and the grid covers max_len, so that the launches of all
 * steps are the same. The arithmetic is in kernels/.
 */
#include "engine/attention/path_parts.h"

#define MAX_CHUNKS 65535        /* grid.z */

/* --- the part that `auto` uses too --- */

static unsigned warps_of(const struct attention_shape *shape)
{
	return shape->warps > 1 ? (unsigned)shape->warps : 1;
}

enum status flash_check(const char *who, const struct attention_shape *shape)
{
	int chunks = attention_max_chunks(shape->max_len, shape->chunk);

	if (shape->warps < 0 || shape->warps > 2)
		return fail(STATUS_USAGE, "%s: expected 1 or 2 warps per chunk, got %d", who,
			    shape->warps);
	if (chunks <= MAX_CHUNKS)
		return STATUS_OK;
	return fail(STATUS_USAGE,
		    "%s: %d keys in chunks of %d are %d chunks, the maximum of a grid is %d: "
		    "use a chunk of %d keys or more",
		    who, shape->max_len, shape->chunk, chunks, MAX_CHUNKS,
		    attention_max_chunks(shape->max_len, MAX_CHUNKS));
}

size_t flash_shared(const struct attention_shape *shape)
{
	return merge_bytes(shape, warps_of(shape));
}

enum status flash_alloc(struct attention *a, struct flash_part *part)
{
	const struct attention_shape *s = &a->shape;
	struct buffer_spec spec = {
		"partials", DTYPE_F32, 4, { s->slots, s->heads, 0, s->head_dim + 2 }
	};

	part->max_chunks = attention_max_chunks(s->max_len, s->chunk);
	spec.shape[2] = part->max_chunks;
	return device_alloc(a->device, &spec, &part->partials);
}

void flash_free(struct attention *a, struct flash_part *part)
{
	device_free(a->device, part->partials);
}

enum status flash_reduce(struct attention *a, const struct flash_part *part, int layer)
{
	const struct attention_shape *s = &a->shape;
	const struct arg args[] = {
		ARG_BUFFER(part->partials), ARG_BUFFER(a->io->out),
		ARG_BUFFER(step_io_lengths(a)->seq_lens.buffer), ARG_I32(s->head_dim),
		ARG_I32(s->chunk), ARG_I32(part->max_chunks),
	};

	return step_launch(a, "flash_decode_reduce", layer,
			   (struct dim3){ (unsigned)s->heads, (unsigned)s->slots, 1 },
			   (struct dim3){ WARP, 1, 1 }, 0, args, COUNT(args));
}

/* Unlike the models: the kernels get a layer's cache as a base pointer and the stride between
 * slots, where theirs take k_ptrs[0] and v_ptrs[0] from an array of pointers; and sizes are
 * arguments, where theirs are baked into the module, which must then be cached by all of them. */
enum status flash_attend(struct attention *a, const struct flash_part *part, int layer)
{
	const struct attention_shape *s = &a->shape;
	unsigned H = (unsigned)s->heads, M = (unsigned)s->slots, warps = warps_of(s);
	const struct arg chunk_args[] = {
		ARG_BUFFER(a->io->q),
		ARG_BUFFER(a->cache->k[layer]),
		ARG_BUFFER(a->cache->v[layer]),
		ARG_BUFFER(part->partials),
		ARG_BUFFER(step_io_lengths(a)->seq_lens.buffer),
		ARG_I32(s->kv_heads),
		ARG_I32(s->head_dim),
		ARG_I32(s->max_len),
		ARG_I64(kv_cache_stride(a->cache)),
		ARG_I32(s->chunk),
		ARG_F32(s->scale),
	};

	TRY(step_launch(a, warps == 1 ? "flash_decode_chunk" : "flash_decode_chunk_2warp", layer,
			(struct dim3){ H, M, (unsigned)part->max_chunks },
			(struct dim3){ WARP, warps, 1 }, (unsigned)flash_shared(s), chunk_args,
			COUNT(chunk_args)));
	return flash_reduce(a, part, layer);
}

/* --- the path --- */

struct flash_decoding {
	struct attention base;
	struct flash_part part;
};

static enum status check(const struct attention_shape *shape)
{
	return flash_check("flash-decoding", shape);
}

static enum status check_graph(const struct attention_shape *shape)
{
	return flash_check("flash-decoding-graph", shape);
}

static enum status create(struct attention *a)
{
	return flash_alloc(a, &((struct flash_decoding *)a)->part);
}

static void destroy(struct attention *a)
{
	flash_free(a, &((struct flash_decoding *)a)->part);
}

static enum status launch(struct attention *a, int layer)
{
	TRY(step_io_scatter(a, layer));
	return flash_attend(a, &((struct flash_decoding *)a)->part, layer);
}

const struct path path_flash_decoding = {
	.name = "flash-decoding",
	.summary = "keys in chunks side by side, then one reduction; several sequences",
	.size = sizeof(struct flash_decoding), .device_lengths = true, .replayable = true,
	.check = check, .shared = flash_shared,
	.create = create, .launch = launch, .destroy = destroy,
};

const struct path path_flash_decoding_graph = {
	.name = "flash-decoding-graph",
	.summary = "flash-decoding whose launches are captured once and replayed each step",
	.size = sizeof(struct flash_decoding), .device_lengths = true, .replayable = true,
	.graph = GRAPH_CAPTURE,
	.check = check_graph, .shared = flash_shared,
	.create = create, .launch = launch, .destroy = destroy,
};
