/* prefill.c - launches attention_prefill or attention_prefill_tiled; see prefill.h. */
#include "engine/attention/prefill.h"

#include <inttypes.h>

#include "engine/attention/launch_kernel.h"
#include "engine/features.h"
#include "kernels/head_sizes.h"
#include "kernels/prefill_rule.h"

#define TILE 32                 /* keys; these three as in kernels/attention_prefill.cu */
#define BLOCK 128
#define MAX_DIM 256
#define MAX_KEYS (1 << 30)      /* sums of two fit an int */
#define MAX_GRID_Y 65535

/* Threads that share a query row. */
static int row_threads(int head_dim, int value_dim)
{
	int widest = head_dim > value_dim ? head_dim : value_dim;

	return widest <= 64 ? 2 : widest <= 128 ? 4 : 8;
}

static int row_blocks(const struct prefill *p)
{
	int rows = p->tiled ? PREFILL_ROWS(p->head_dim)
		: BLOCK / row_threads(p->head_dim, p->value_dim);

	return p->queries / rows + (p->queries % rows != 0);
}

static bool has_work(const struct prefill *p)
{
	return p->heads > 0 && p->queries > 0 && p->value_dim > 0;
}

enum status prefill_check_tiled(const char *who, int head_dim, int value_dim)
{
	if (head_size_has(head_dim) && value_dim == head_dim)
		return STATUS_OK;
	return fail(STATUS_USAGE,
		    "%s: expected one head and value size of " HEAD_SIZES_OR ", got %d and %d", who,
		    head_dim, value_dim);
}

enum status prefill_check(const char *who, const struct prefill *p)
{
	if (p->heads < 0 || p->queries < 0 || p->keys < 0 || p->value_dim < 0)
		return fail(STATUS_USAGE,
			    "%s: expected 0 or more of each, got %d heads, %d queries, %d keys, "
			    "value size %d",
			    who, p->heads, p->queries, p->keys, p->value_dim);
	if (!has_work(p))
		return STATUS_OK;
	if (p->head_dim < 1 || p->head_dim > MAX_DIM || p->value_dim > MAX_DIM)
		return fail(STATUS_USAGE,
			    "%s: expected head and value sizes of 1 to %d, got %d and %d", who,
			    MAX_DIM, p->head_dim, p->value_dim);
	if (p->tiled)
		TRY(prefill_check_tiled(who, p->head_dim, p->value_dim));
	if (p->kv_heads < 1 || p->heads % p->kv_heads != 0)
		return fail(STATUS_USAGE, "%s: %d query heads are not a multiple of %d KV heads",
			    who, p->heads, p->kv_heads);
	if (p->queries > MAX_KEYS || p->keys > MAX_KEYS || p->stride < p->keys)
		return fail(STATUS_USAGE,
			    "%s: expected at most %d queries and keys, and keys within their "
			    "stride, got %d queries and %d keys with stride %d",
			    who, MAX_KEYS, p->queries, p->keys, p->stride);
	if (row_blocks(p) > MAX_GRID_Y)
		return fail(STATUS_USAGE,
			    "%s: %d queries of size %d take %d blocks, the maximum of a grid is %d",
			    who, p->queries, p->head_dim, row_blocks(p), MAX_GRID_Y);
	return STATUS_OK;
}

unsigned prefill_shared_bytes(int head_dim, int value_dim)
{
	return 2u * TILE * 32u * (unsigned)row_threads(head_dim, value_dim)
		* (unsigned)sizeof(float);
}

unsigned prefill_tiled_shared_bytes(int head_dim)
{
	return (unsigned)PREFILL_FLOATS(head_dim) * (unsigned)sizeof(float);
}

static unsigned shared_bytes(const struct prefill *p)
{
	return p->tiled ? prefill_tiled_shared_bytes(p->head_dim)
		: prefill_shared_bytes(p->head_dim, p->value_dim);
}

/* Query i sees keys 0 .. i + offset. */
static int mask_offset(const struct prefill *p)
{
	switch (p->mask) {
	case MASK_TOP_LEFT: return 0;
	case MASK_BOTTOM_RIGHT: return p->keys - p->queries;
	case MASK_NONE: break;
	}
	return p->keys;
}

/* A null pointer is for tensors that are not read. */
static enum status check_rows(const char *name, const struct arg *arg, int64_t rows, int width)
{
	uint64_t bytes = arg->buffer ? arg->buffer->bytes : 0, values;

	values = arg->offset < bytes ? (bytes - arg->offset) / sizeof(float) : 0;
	if (!arg->buffer || rows <= 0 || (uint64_t)rows <= values / (uint64_t)width)
		return STATUS_OK;
	return fail(STATUS_USAGE, "prefill: %s: expected %" PRId64 " rows of %d values or more, "
		    "got %" PRIu64 " values", name, rows, width, values);
}

/* The kernel would read and write past the end of a shorter buffer. */
static enum status check_lengths(const struct prefill *p, const struct arg *q, const struct arg *k,
				 const struct arg *v, const struct arg *out)
{
	int64_t rows = (int64_t)p->heads * p->queries;
	int64_t kv_rows = p->keys ? (int64_t)(p->kv_heads - 1) * p->stride + p->keys : 0;

	TRY(check_rows("q", q, rows, p->head_dim));
	TRY(check_rows("k", k, kv_rows, p->head_dim));
	TRY(check_rows("v", v, kv_rows, p->value_dim));
	return check_rows("out", out, rows, p->value_dim);
}

enum status prefill_launch(struct device *device, const struct prefill *p, struct arg q,
			   struct arg k, struct arg v, struct arg out)
{
	const struct arg args[] = {
		q, k, v, out, ARG_I32(p->heads), ARG_I32(p->kv_heads), ARG_I32(p->queries),
		ARG_I32(p->keys), ARG_I32(p->head_dim), ARG_I32(p->value_dim), ARG_I32(p->stride),
		ARG_I32(mask_offset(p)), ARG_F32(p->scale),
	};

	if (!has_work(p))
		return STATUS_OK;
	TRY(check_lengths(p, &q, &k, &v, &out));
	return launch_kernel(device, p->tiled ? "attention_prefill_tiled" : "attention_prefill",
			     p->layer,
			     (struct dim3){ (unsigned)p->heads, (unsigned)row_blocks(p), 1 },
			     (struct dim3){ p->tiled ? PREFILL_THREADS(p->head_dim) : BLOCK, 1, 1 },
			     shared_bytes(p), args, COUNT(args));
}

/* --- over host memory --- */

enum { Q, K, V, OUT, TENSORS };

/* Allocates the buffers of all four tensors and fills all but the output. */
static enum status upload_all(struct device *device, const struct prefill *p,
			      const float *const sources[TENSORS], struct buffer *buffers[TENSORS])
{
	const struct buffer_spec specs[TENSORS] = {
		{ "q", DTYPE_F32, 3, { p->heads, p->queries, p->head_dim } },
		{ "k", DTYPE_F32, 3, { p->kv_heads, p->keys, p->head_dim } },
		{ "v", DTYPE_F32, 3, { p->kv_heads, p->keys, p->value_dim } },
		{ "out", DTYPE_F32, 3, { p->heads, p->queries, p->value_dim } },
	};

	for (int i = 0; i < TENSORS; i++) {
		/* No keys: the kernel gets null pointers, which it does not read. */
		if ((i == K || i == V) && p->keys == 0)
			continue;
		TRY(device_alloc(device, &specs[i], &buffers[i]));
		if (i != OUT)
			TRY(device_upload(device, NULL, buffers[i], 0, sources[i],
					  buffers[i]->bytes));
	}
	return STATUS_OK;
}

static enum status run(struct device *device, const struct prefill *p,
		       const float *const sources[TENSORS], struct buffer *buffers[TENSORS],
		       float *out)
{
	TRY(upload_all(device, p, sources, buffers));
	TRY(prefill_launch(device, p, ARG_BUFFER(buffers[Q]), ARG_BUFFER(buffers[K]),
			   ARG_BUFFER(buffers[V]), ARG_BUFFER(buffers[OUT])));
	return device_download(device, NULL, buffers[OUT], 0, out, buffers[OUT]->bytes);
}

enum status prefill_run(struct device *device, const struct prefill *p, const float *q,
			const float *k, const float *v, float *out)
{
	const float *const sources[TENSORS] = { q, k, v, NULL };
	struct buffer *buffers[TENSORS] = { NULL };
	enum status status;

	TRY(prefill_check("prefill", p));
	if (!has_work(p))
		return STATUS_OK;
	TRY(check_shared(device, "prefill", shared_bytes(p)));
	TRY(device_attends(device, &(struct attention_features){
		.path = p->tiled ? "prefill-tiled" : "prefill", .kv_dtype = DTYPE_F32,
		.queries = p->queries }));
	status = run(device, p, sources, buffers, out);
	free_buffers(device, buffers, TENSORS);
	return status;
}
