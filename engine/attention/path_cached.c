/* path_cached.c - a slow baseline: every step recomputes the attention of all positions.
 *
 * Runs one sequence with as many KV heads as query heads. A step uploads the new K and V rows head
 * by head, copies the cache without its gaps, replicates the new query to all positions, runs
 * causal prefill attention on them, and keeps the last row. For fewer than D keys it downloads the
 * cache instead and computes the softmax on the host (engine/host_softmax.h).
 */
#include "engine/attention/prefill.h"
#include "engine/attention/step_io.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/host_softmax.h"

struct cached {
	struct attention base;
	struct buffer *queries, *outputs;       /* [H, max_len, D]; n rows per head are used */
	struct buffer *k, *v;                   /* the same shape: the cache without gaps */
};

static enum status check(const struct attention_shape *s)
{
	if (s->slots > 1)
		return fail(STATUS_USAGE, "cached: expected 1 sequence, got %d; the ladder's rungs "
			    "from 1 up take several", s->slots);
	if (s->heads != s->kv_heads)
		return fail(STATUS_USAGE,
			    "cached: expected as many KV heads as query heads, got %d query heads "
			    "and %d KV heads; the ladder's rungs from 1 up take fewer",
			    s->heads, s->kv_heads);
	return STATUS_OK;
}

static size_t shared(const struct attention_shape *shape)
{
	return prefill_shared_bytes(shape->head_dim, shape->head_dim);
}

static enum status create(struct attention *a)
{
	struct cached *c = (struct cached *)a;
	const struct { struct buffer **to; const char *name; } wanted[] = {
		{ &c->queries, "queries" }, { &c->k, "k_compact" }, { &c->v, "v_compact" },
		{ &c->outputs, "outputs" },
	};

	for (int i = 0; i < COUNT(wanted); i++)
		TRY(device_alloc(a->device, &(struct buffer_spec){
			.name = wanted[i].name, .dtype = DTYPE_F32, .rank = 3,
			.shape = { a->shape.heads, a->shape.max_len, a->shape.head_dim } },
			wanted[i].to));
	return STATUS_OK;
}

static void destroy(struct attention *a)
{
	struct cached *c = (struct cached *)a;

	free_buffers(a->device, (struct buffer *[]){ c->queries, c->k, c->v, c->outputs }, 4);
}

/* --- one layer of one step --- */

static size_t row_bytes(const struct attention *a)
{
	return (size_t)a->shape.head_dim * sizeof(float);
}

/* Byte offset of row `position` of head `head` in the cache. */
static uint64_t cache_at(const struct attention *a, int head, int position)
{
	return ((uint64_t)head * (uint64_t)a->shape.max_len + (uint64_t)position) * row_bytes(a);
}

static enum status append(struct attention *a, const struct attention_step *step, int position)
{
	for (int head = 0; head < a->shape.heads; head++) {
		size_t from = (size_t)head * (size_t)a->shape.head_dim;
		uint64_t to = cache_at(a, head, position);

		TRY(device_upload(a->device, NULL, a->cache->k[step->layer], to, step->k + from,
				  row_bytes(a)));
		TRY(device_upload(a->device, NULL, a->cache->v[step->layer], to, step->v + from,
				  row_bytes(a)));
	}
	return STATUS_OK;
}

/* Copies the first n rows of every head, without gaps.
 *
 * Unlike the models: these copies stay on the device, where realizar's flash_attention_cached
 * downloads the whole cache, removes the gaps on the host and uploads it again. */
static enum status compact(struct attention *a, struct buffer *to, const struct buffer *cache,
			   int n)
{
	size_t head_bytes = (size_t)n * row_bytes(a);

	for (int head = 0; head < a->shape.heads; head++)
		TRY(device_copy(a->device, NULL, to, (size_t)head * head_bytes, cache,
				cache_at(a, head, 0), head_bytes));
	return STATUS_OK;
}

/* Replicates the last query to all positions. */
static enum status upload_queries(struct attention *a, const float *q, int n)
{
	struct cached *c = (struct cached *)a;
	size_t D = (size_t)a->shape.head_dim, rows = (size_t)a->shape.heads * (size_t)n;
	float *queries = xmalloc(rows * row_bytes(a));
	enum status status;

	for (size_t row = 0; row < rows; row++)
		memcpy(queries + row * D, q + row / (size_t)n * D, row_bytes(a));
	status = device_upload(a->device, NULL, c->queries, 0, queries, rows * row_bytes(a));
	free(queries);
	return status;
}

static enum status attend(struct attention *a, const struct attention_step *step, int n)
{
	struct cached *c = (struct cached *)a;
	const struct attention_shape *s = &a->shape;
	const struct prefill prefill = {
		.heads = s->heads, .kv_heads = s->kv_heads, .queries = n, .keys = n,
		.head_dim = s->head_dim, .value_dim = s->head_dim, .stride = n,
		.mask = MASK_BOTTOM_RIGHT, .scale = s->scale, .layer = step->layer,
	};

	TRY(prefill_check("cached", &prefill));
	TRY(compact(a, c->k, a->cache->k[step->layer], n));
	TRY(compact(a, c->v, a->cache->v[step->layer], n));
	TRY(upload_queries(a, step->q, n));
	TRY(prefill_launch(a->device, &prefill, ARG_BUFFER(c->queries), ARG_BUFFER(c->k),
			   ARG_BUFFER(c->v), ARG_BUFFER(c->outputs)));
	for (int head = 0; head < s->heads; head++)
		TRY(device_download(a->device, NULL, c->outputs,
				    ((uint64_t)head * (uint64_t)n + (uint64_t)n - 1) * row_bytes(a),
				    step->out + (size_t)head * (size_t)s->head_dim, row_bytes(a)));
	return STATUS_OK;
}

/* Downloads the rows of all heads, [H, n, D]. */
static enum status download(struct attention *a, const struct buffer *cache, int n, float *rows)
{
	size_t head_bytes = (size_t)n * row_bytes(a);

	for (int head = 0; head < a->shape.heads; head++)
		TRY(device_download(a->device, NULL, cache, cache_at(a, head, 0),
				    rows + (size_t)head * (head_bytes / sizeof *rows), head_bytes));
	return STATUS_OK;
}

static enum status attend_short(struct attention *a, const struct attention_step *step, int n)
{
	const struct attention_shape *s = &a->shape;
	size_t bytes = (size_t)s->heads * (size_t)n * row_bytes(a);
	struct buffer *k_from = a->cache->k[step->layer], *v_from = a->cache->v[step->layer];
	float *k = xmalloc(bytes), *v = xmalloc(bytes);
	enum status status = download(a, k_from, n, k);

	if (status == STATUS_OK)
		status = download(a, v_from, n, v);
	if (status == STATUS_OK)
		status = device_host_softmax(a->device, &(struct host_softmax){
			.layer = step->layer, .heads = s->heads, .keys = n,
			.head_dim = s->head_dim, .scale = s->scale, .k_from = k_from,
			.v_from = v_from, .stride = cache_at(a, 1, 0), .k = k, .v = v,
			.q = step->q, .out = step->out });
	free(k);
	free(v);
	return status;
}

static enum status step(struct attention *a, const struct attention_step *step)
{
	int n = kv_cache_length(a->cache, step->layer, 0) + 1;

	if (step->done && step->done[0]) {
		memset(step->out, 0, (size_t)a->shape.heads * row_bytes(a));
		return STATUS_OK;
	}
	TRY(append(a, step, n - 1));
	return n < a->shape.head_dim ? attend_short(a, step, n) : attend(a, step, n);
}

const struct path path_cached = {
	.name = "cached",
	.summary = "attends from every position again, keeps the last row; H = Hkv, one sequence",
	.size = sizeof(struct cached),
	.repeat_kv = true,
	.check = check,
	.shared = shared,
	.create = create,
	.step = step,
	.destroy = destroy,
};
