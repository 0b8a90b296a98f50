/* path_flash_decoding.c - flash decoding: the keys of each row are split into chunks that run side
 * by side, and a second kernel merges what they found.
 *
 * One layer of one step is: upload q, k and v; scatter k and v into the cache; flash_decode_chunk,
 * one warp per head, slot and chunk; flash_decode_reduce, one warp per head and slot; download the
 * output. Everything is on one stream, so nothing waits in between. Lengths lie in device memory
 * and the grid covers max_len, which is what makes the launches of every step alike. Checks of
 * shape and room that all paths share are in path.c, the arithmetic is in kernels/.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/path.h"
#include "traces/xalloc.h"

#define WARP 32
#define MAX_CHUNKS 65535        /* grid.z */

struct flash_decoding {
	struct attention base;
	const struct kernel *scatter, *chunk, *reduce;
	int max_chunks;
	struct buffer *q, *k_new, *v_new, *partials, *out;
	struct buffer *seq_lens;        /* i32 [M] keys after the append, 0: the slot is done */
	struct buffer *positions;       /* i32 [M] of the new keys, -1: done. Only when M > 1 */
	int32_t *lens_now, *positions_now;      /* of this step */
	int32_t *lens_there, *positions_there;  /* on the device; below -1: unknown */
};

/* --- creating --- */

static enum status check(const struct attention_shape *shape)
{
	int chunks = attention_max_chunks(shape->max_len, shape->chunk);

	if (chunks <= MAX_CHUNKS)
		return STATUS_OK;
	return fail(STATUS_USAGE, "flash-decoding: %d keys in chunks of %d are %d chunks, a grid "
		    "has at most %d: pick a chunk of %d keys or more", shape->max_len, shape->chunk,
		    chunks, MAX_CHUNKS, attention_max_chunks(shape->max_len, MAX_CHUNKS));
}

static enum status find_kernel(const char *name, const struct kernel **out)
{
	*out = kernel_find(name);
	return *out ? STATUS_OK
		    : fail(STATUS_INTERNAL, "flash-decoding: there is no kernel %s", name);
}

static enum status alloc_buffers(struct flash_decoding *fd)
{
	const struct attention_shape *s = &fd->base.shape;
	int64_t M = s->slots, H = s->heads, Hkv = s->kv_heads, D = s->head_dim;
	const struct {
		struct buffer **to;
		struct buffer_spec spec;
	} wanted[] = {
		{ &fd->q, { "q", DTYPE_F32, 3, { M, H, D } } },
		{ &fd->k_new, { "k_new", DTYPE_F32, 3, { M, Hkv, D } } },
		{ &fd->v_new, { "v_new", DTYPE_F32, 3, { M, Hkv, D } } },
		{ &fd->partials, { "partials", DTYPE_F32, 4, { M, H, fd->max_chunks, D + 2 } } },
		{ &fd->out, { "out", DTYPE_F32, 3, { M, H, D } } },
		{ &fd->seq_lens, { "seq_lens", DTYPE_I32, 1, { M } } },
		{ &fd->positions, { "positions", DTYPE_I32, 1, { M } } },
	};
	size_t count = sizeof(wanted) / sizeof(wanted[0]) - (M == 1);

	for (size_t i = 0; i < count; i++)
		TRY(device_alloc(fd->base.device, &wanted[i].spec, wanted[i].to));
	return STATUS_OK;
}

static enum status build(struct flash_decoding *fd)
{
	const struct attention_shape *s = &fd->base.shape;

	TRY(find_kernel(s->slots == 1 ? "kv_scatter" : "kv_scatter_batched", &fd->scatter));
	TRY(find_kernel("flash_decode_chunk", &fd->chunk));
	TRY(find_kernel("flash_decode_reduce", &fd->reduce));
	TRY(kv_cache_create(fd->base.device, s->layers, s->slots, s->kv_heads, s->max_len,
			    s->head_dim, &fd->base.cache));
	return alloc_buffers(fd);
}

static void destroy(struct attention *attention)
{
	struct flash_decoding *fd = (struct flash_decoding *)attention;
	struct buffer *const buffers[] = {
		fd->q, fd->k_new, fd->v_new, fd->partials, fd->out, fd->seq_lens, fd->positions,
	};

	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
		device_free(attention->device, buffers[i]);
	kv_cache_destroy(attention->cache);
	free(fd->lens_now);
	free(fd->positions_now);
	free(fd->lens_there);
	free(fd->positions_there);
	free(fd);
}

static int32_t *unknown_values(int count)
{
	int32_t *values = xmalloc((size_t)count * sizeof(*values));

	memset(values, 0x80, (size_t)count * sizeof(*values));
	return values;
}

static enum status create(struct device *device, const struct attention_shape *shape,
			  struct attention **out)
{
	struct flash_decoding *fd = xcalloc(1, sizeof(*fd));
	enum status status = STATUS_OK;

	fd->base = (struct attention){ &path_flash_decoding, device, *shape, NULL };
	if (shape->slots > 0 && shape->heads > 0) {
		fd->max_chunks = attention_max_chunks(shape->max_len, shape->chunk);
		fd->lens_now = unknown_values(shape->slots);
		fd->positions_now = unknown_values(shape->slots);
		fd->lens_there = unknown_values(shape->slots);
		fd->positions_there = unknown_values(shape->slots);
		status = build(fd);
	}
	if (status != STATUS_OK) {
		attention_destroy(&fd->base);
		return status;
	}
	*out = &fd->base;
	return STATUS_OK;
}

/* --- one layer of one step --- */

/* Where each slot's new key goes, and how many it holds then. */
static void place_keys(struct flash_decoding *fd, const struct attention_step *step)
{
	for (int slot = 0; slot < fd->base.shape.slots; slot++) {
		bool done = step->done != NULL && step->done[slot];
		int length = kv_cache_length(fd->base.cache, step->layer, slot);

		fd->positions_now[slot] = done ? -1 : length;
		fd->lens_now[slot] = done ? 0 : length + 1;
	}
}

/* Uploads `now` unless the device holds just that, as it does for a step's later layers. */
static enum status update(struct flash_decoding *fd, struct buffer *buffer, const int32_t *now,
			  int32_t *there)
{
	if (memcmp(now, there, buffer->bytes) == 0)
		return STATUS_OK;
	memset(there, 0x80, buffer->bytes);     /* unknown, should the upload fail */
	TRY(device_upload(fd->base.device, NULL, buffer, 0, now, buffer->bytes));
	memcpy(there, now, buffer->bytes);
	return STATUS_OK;
}

static enum status upload(struct flash_decoding *fd, const struct attention_step *step)
{
	struct device *device = fd->base.device;

	TRY(device_upload(device, NULL, fd->q, 0, step->q, fd->q->bytes));
	TRY(device_upload(device, NULL, fd->k_new, 0, step->k, fd->k_new->bytes));
	TRY(device_upload(device, NULL, fd->v_new, 0, step->v, fd->v_new->bytes));
	TRY(update(fd, fd->seq_lens, fd->lens_now, fd->lens_there));
	if (fd->positions != NULL)
		TRY(update(fd, fd->positions, fd->positions_now, fd->positions_there));
	return STATUS_OK;
}

static enum status launch(struct flash_decoding *fd, const struct kernel *kernel, int layer,
			  struct dim3 grid, struct dim3 block, unsigned shared_bytes,
			  const struct arg *args, int arg_count)
{
	const struct launch request = {
		.kernel = kernel, .grid = grid, .block = block, .shared_bytes = shared_bytes,
		.args = args, .arg_count = arg_count, .layer = layer,
	};

	return device_launch(fd->base.device, &request);
}

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static enum status scatter_one(struct flash_decoding *fd, int layer, struct buffer *rows,
			       struct buffer *cache)
{
	const struct attention_shape *s = &fd->base.shape;
	const struct arg args[] = {
		ARG_BUFFER(rows), ARG_BUFFER(cache), ARG_I32(s->head_dim), ARG_I32(s->max_len),
		ARG_I32(fd->positions_now[0]),
	};

	if (fd->positions_now[0] < 0)
		return STATUS_OK;
	return launch(fd, fd->scatter, layer, (struct dim3){ (unsigned)s->kv_heads, 1, 1 },
		      (struct dim3){ (unsigned)s->head_dim, 1, 1 }, 0, args, COUNT(args));
}

static enum status scatter_batch(struct flash_decoding *fd, int layer, struct buffer *rows,
				 struct buffer *cache)
{
	const struct attention_shape *s = &fd->base.shape;
	const struct arg args[] = {
		ARG_BUFFER(rows), ARG_BUFFER(cache), ARG_BUFFER(fd->positions),
		ARG_I32(s->head_dim), ARG_I32(s->max_len), ARG_I64(kv_cache_stride(fd->base.cache)),
	};

	return launch(fd, fd->scatter, layer,
		      (struct dim3){ (unsigned)s->kv_heads, (unsigned)s->slots, 1 },
		      (struct dim3){ (unsigned)s->head_dim, 1, 1 }, 0, args, COUNT(args));
}

static enum status scatter(struct flash_decoding *fd, int layer)
{
	struct kv_cache *cache = fd->base.cache;
	enum status (*append)(struct flash_decoding *, int, struct buffer *, struct buffer *)
		= fd->base.shape.slots == 1 ? scatter_one : scatter_batch;

	TRY(append(fd, layer, fd->k_new, cache->k[layer]));
	return append(fd, layer, fd->v_new, cache->v[layer]);
}

static enum status attend(struct flash_decoding *fd, int layer)
{
	const struct attention_shape *s = &fd->base.shape;
	struct kv_cache *cache = fd->base.cache;
	unsigned H = (unsigned)s->heads, M = (unsigned)s->slots, D = (unsigned)s->head_dim;
	const struct arg chunk_args[] = {
		ARG_BUFFER(fd->q), ARG_BUFFER(cache->k[layer]), ARG_BUFFER(cache->v[layer]),
		ARG_BUFFER(fd->partials), ARG_BUFFER(fd->seq_lens), ARG_I32(s->kv_heads),
		ARG_I32(s->head_dim), ARG_I32(s->max_len), ARG_I64(kv_cache_stride(cache)),
		ARG_I32(s->chunk), ARG_F32(s->scale),
	};
	const struct arg reduce_args[] = {
		ARG_BUFFER(fd->partials), ARG_BUFFER(fd->out), ARG_BUFFER(fd->seq_lens),
		ARG_I32(s->head_dim), ARG_I32(s->chunk), ARG_I32(fd->max_chunks),
	};
	unsigned tile_bytes = WARP * (D + 1) * (unsigned)sizeof(float);

	TRY(launch(fd, fd->chunk, layer, (struct dim3){ H, M, (unsigned)fd->max_chunks },
		   (struct dim3){ WARP, 1, 1 }, tile_bytes, chunk_args, COUNT(chunk_args)));
	return launch(fd, fd->reduce, layer, (struct dim3){ H, M, 1 }, (struct dim3){ WARP, 1, 1 },
		      0, reduce_args, COUNT(reduce_args));
}

static enum status step(struct attention *attention, const struct attention_step *step)
{
	struct flash_decoding *fd = (struct flash_decoding *)attention;

	place_keys(fd, step);
	TRY(upload(fd, step));
	TRY(scatter(fd, step->layer));
	TRY(attend(fd, step->layer));
	return device_download(attention->device, NULL, fd->out, 0, step->out, fd->out->bytes);
}

const struct path path_flash_decoding = {
	.name = "flash-decoding",
	.summary = "keys in chunks side by side, then one reduction; several sequences",
	.check = check,
	.create = create,
	.step = step,
	.destroy = destroy,
};
