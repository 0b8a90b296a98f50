/* path.c - the code common to all attention paths: checks, graphs, steps, prompts; see path.h. */
#include "engine/attention/path.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/attention/attention_graph.h"
#include "engine/attention/ladder_shape.h"
#include "engine/attention/prefill.h"
#include "engine/attention/step_io.h"
#include "engine/features.h"

#define MAX_HEAD_DIM 256        /* D_MAX of kernels/online_softmax.cuh */
#define MAX_SLOTS 65535         /* grid.y, with their queries */

enum graph_mode path_graph_mode(const struct path *path, enum graph_mode mode)
{
	return mode == GRAPH_NONE ? path->graph : mode;
}

static bool has_work(const struct attention_shape *shape)
{
	return shape->slots > 0 && shape->heads > 0;
}

/* Of several queries. Their new keys are rows of the whole cache, which kernels count in an int. */
static enum status check_queries(const struct path *p, const struct attention_shape *s)
{
	if (s->queries < 0)
		return fail(STATUS_USAGE, "%s: expected 1 or more queries of a sequence, got %d",
			    p->name, s->queries);
	if (s->queries <= 1)
		return STATUS_OK;
	if (s->queries > s->max_len)
		return fail(STATUS_USAGE, "%s: %d queries of a sequence are more than its capacity "
			    "of %d keys", p->name, s->queries, s->max_len);
	if ((int64_t)s->slots * s->queries > MAX_SLOTS)
		return fail(STATUS_USAGE, "%s: %d sequences of %d queries are more than %d queries",
			    p->name, s->slots, s->queries, MAX_SLOTS);
	if (s->pages.rows == 0
	    && (int64_t)s->slots * s->max_len > INT32_MAX / (s->kv_heads > 0 ? s->kv_heads : 1))
		return fail(STATUS_USAGE, "%s: caches of %d sequences, %d KV heads and %d keys for "
			    "several queries are more than %d rows", p->name, s->slots,
			    s->kv_heads, s->max_len, INT32_MAX);
	return STATUS_OK;
}

static enum status check_options(const struct path *p, const struct attention_shape *s)
{
	if (attention_has_options(s) && !p->options)
		return fail(STATUS_USAGE, "%s: %s needs --path ladder", p->name,
			    s->softcap != 0.0f ? "a softcap" : s->window != 0 ? "a window"
			    : s->sinks != 0 ? "sinks" : s->lse ? "log-sum-exp"
			    : s->pages.rows != 0 ? "a page table" : "more than one query");
	if (!(s->softcap >= 0.0f) || isinf(s->softcap))
		return fail(STATUS_USAGE, "%s: expected a finite softcap above 0, got %g", p->name,
			    (double)s->softcap);
	if (s->window < 0 || s->sinks < 0)
		return fail(STATUS_USAGE, "%s: expected a window and sinks of 0 or more keys, got "
			    "%d and %d", p->name, s->window, s->sinks);
	if (s->sinks > 0 && s->window == 0)
		return fail(STATUS_USAGE, "%s: %d sinks need a window: without one all keys are "
			    "visible", p->name, s->sinks);
	TRY(check_queries(p, s));
	return kv_pages_check(p->name, &s->pages, s->kv_heads, s->max_len);
}

static enum status check_shape(const struct path *p, const struct attention_shape *s)
{
	const char *path = p->name;
	int min_chunk = p->chunk_optional ? 0 : 1;

	TRY(path_check_graph(p, s->graph));
	if (s->layers < 1 || s->slots < 0 || s->slots > MAX_SLOTS)
		return fail(STATUS_USAGE, "%s: expected 1 or more layers and 0 to %d slots, got %d "
			    "layers and %d slots", path, MAX_SLOTS, s->layers, s->slots);
	if (s->heads < 0 || s->kv_heads < 0)
		return fail(STATUS_USAGE, "%s: expected 0 or more heads, got %d query heads and %d "
			    "KV heads", path, s->heads, s->kv_heads);
	if (s->kv_dtype != DTYPE_F32 && !p->narrow)
		return fail(STATUS_USAGE, "%s: expected a KV cache of f32, got %s, which needs "
			    "--path ladder: rungs %s take it", path, dtype_name(s->kv_dtype),
			    ladder_rungs_of(s->kv_dtype));
	TRY(check_options(p, s));
	if (!has_work(s))
		return STATUS_OK;
	if (s->head_dim < 1 || s->head_dim > MAX_HEAD_DIM)
		return fail(STATUS_USAGE, "%s: expected a head size of 1 to %d, got %d", path,
			    MAX_HEAD_DIM, s->head_dim);
	if (s->kv_heads < 1 || s->heads % s->kv_heads != 0)
		return fail(STATUS_USAGE, "%s: %d query heads are not a multiple of %d KV heads",
			    path, s->heads, s->kv_heads);
	if (s->chunk < min_chunk || s->chunk > MAX_CHUNK)
		return fail(STATUS_USAGE, "%s: expected a chunk of %d to %d keys, got %d", path,
			    min_chunk, MAX_CHUNK, s->chunk);
	/* Kernels round a length up to whole chunks in an int. */
	if (s->max_len < 1 || s->max_len > INT_MAX - MAX_CHUNK)
		return fail(STATUS_USAGE, "%s: expected a capacity of 1 to %d keys, got %d", path,
			    INT_MAX - MAX_CHUNK, s->max_len);
	return STATUS_OK;
}

enum status attention_check(const struct path *path, const struct attention_shape *shape)
{
	TRY(check_shape(path, shape));
	return has_work(shape) && path->check ? path->check(shape) : STATUS_OK;
}

/* --- creating --- */

/* Creates one graph for each layer: a layer's inputs are known only after the layer before it. */
static enum status create_graphs(struct attention *attention)
{
	const struct attention_shape *shape = &attention->shape;

	attention->graphs = xcalloc((size_t)shape->layers, sizeof *attention->graphs);
	for (int layer = 0; layer < shape->layers; layer++)
		TRY(attention_graph_create(attention, shape->graph, layer, 1,
					   &attention->graphs[layer]));
	return STATUS_OK;
}

static enum status note_features(const struct attention *a)
{
	const struct attention_shape *s = &a->shape;

	return device_attends(a->device, &(struct attention_features){
		.path = a->path->name, .rung = a->path == &path_ladder ? ladder_rung(s) : 0,
		.kv_dtype = s->kv_dtype, .queries = attention_queries(s), .window = s->window,
		.sinks = s->sinks, .softcap = s->softcap, .page = s->pages.rows, .lse = s->lse });
}

static enum status build(struct attention *attention)
{
	const struct path *path = attention->path;
	const struct attention_shape *shape = &attention->shape;

	TRY(check_shared(attention->device, path->name, path->shared(shape)));
	/* All paths use prefill attention for prompts. */
	TRY(check_shared(attention->device, path->name,
			 path->tiled ? prefill_tiled_shared_bytes(shape->head_dim)
			 : prefill_shared_bytes(shape->head_dim, shape->head_dim)));
	TRY(note_features(attention));
	TRY(step_io_alloc(attention));
	if (path->create)
		TRY(path->create(attention));
	return shape->graph != GRAPH_NONE ? create_graphs(attention) : STATUS_OK;
}

static void release(struct attention *attention)
{
	for (int layer = 0; attention->graphs != NULL && layer < attention->shape.layers; layer++)
		attention_graph_destroy(attention->graphs[layer]);
	free(attention->graphs);
	if (attention->path->destroy)
		attention->path->destroy(attention);
	step_io_free(attention);
	free(attention);
}

/* A failed device cannot free memory either: the first error is kept. */
void attention_destroy(struct attention *attention)
{
	struct error_record error;

	if (!attention)
		return;
	error_save(&error);
	release(attention);
	error_restore(&error);
}

enum status attention_create(const struct path *path, struct device *device,
			     const struct attention_shape *shape, struct attention **out)
{
	struct attention *attention;
	enum status status = STATUS_OK;

	TRY(attention_check(path, shape));
	attention = xcalloc(1, path->size);
	attention->path = path;
	attention->device = device;
	attention->shape = *shape;
	attention->shape.graph = path_graph_mode(path, shape->graph);
	if (has_work(shape))
		status = build(attention);
	if (status != STATUS_OK) {
		attention_destroy(attention);
		return status;
	}
	*out = attention;
	return STATUS_OK;
}

/* --- running --- */

static enum status check_layer(const struct attention *attention, int layer)
{
	if (layer < 0 || layer >= attention->shape.layers)
		return fail(STATUS_USAGE, "%s: expected a layer of 0 to %d, got %d",
			    attention->path->name, attention->shape.layers - 1, layer);
	return STATUS_OK;
}

/* The pages of the rows that queries see and of those that are appended, which fit. */
static enum status check_pages(const struct attention *a, const struct attention_step *step)
{
	const struct kv_cache *cache = a->cache;

	for (int slot = 0; slot < a->shape.slots; slot++)
		if (!step->done || !step->done[slot])
			TRY(kv_pages_check_used(&cache->pages, slot,
						kv_cache_length(cache, step->layer, slot)
						+ step_io_appended(a, step, slot),
						attention_whole_window(&a->shape),
						a->shape.sinks));
	return STATUS_OK;
}

/* That every slot that is not done can hold the keys which are appended to it. */
static enum status check_capacity(const struct attention *a, const struct attention_step *step)
{
	int queries = attention_queries(&a->shape);

	for (int slot = 0; slot < a->shape.slots; slot++) {
		if (step->appended && (step->appended[slot] < 0 || step->appended[slot] > queries))
			return fail(STATUS_USAGE, "expected 0 to %d keys to append to slot %d, got "
				    "%d", queries, slot, step->appended[slot]);
		TRY(kv_cache_check_capacity(a->cache, step->layer, slot,
					    step_io_appended(a, step, slot)));
	}
	return STATUS_OK;
}

static enum status check_step(const struct attention *attention, const struct attention_step *step)
{
	const char *name = attention->path->name;
	bool appends = attention_appends(&attention->shape);
	enum status status = STATUS_OK;

	TRY(check_layer(attention, step->layer));
	if (!step->q || !step->out || (appends && (!step->k || !step->v)))
		return fail(STATUS_USAGE, "%s: q, k, v or out is missing", name);
	if (step->lse && !attention->shape.lse)
		return fail(STATUS_USAGE, "%s: the shape is without log-sum-exp", name);
	if (appends)
		status = check_capacity(attention, step);
	if (status == STATUS_OK && attention->shape.pages.rows > 0)
		status = check_pages(attention, step);
	return status ? fail_context(status, "%s", name) : STATUS_OK;
}

static enum status check_created(const struct attention *attention)
{
	return attention ? STATUS_OK
		: fail(STATUS_USAGE, "attention is NULL: call attention_create() first");
}

enum status attention_upload(struct attention *attention, const struct attention_step *step)
{
	TRY(check_created(attention));
	if (!has_work(&attention->shape))
		return STATUS_OK;
	TRY(check_step(attention, step));
	return step_io_upload(attention, step);
}

enum status attention_launch(struct attention *attention, int layer)
{
	TRY(check_created(attention));
	if (!has_work(&attention->shape))
		return STATUS_OK;
	TRY(check_layer(attention, layer));
	if (!attention->path->launch || attention->graphs)
		return fail(STATUS_USAGE, "%s: %s", attention->path->name,
			    attention->graphs ? "attention_launch() cannot be used with graphs"
					      : "attention_launch() cannot run a whole step");
	TRY(step_io_check_uploaded(attention));
	return attention->path->launch(attention, layer);
}

static enum status run_step(struct attention *attention, const struct attention_step *step)
{
	const struct path *path = attention->path;

	if (path->step)
		return path->step(attention, step);
	TRY(step_io_upload(attention, step));
	if (attention->graphs)
		TRY(attention_graph_launch(attention->graphs[step->layer]));
	else
		TRY(path->launch(attention, step->layer));
	return step_io_download(attention, step);
}

enum status attention_step(struct attention *attention, const struct attention_step *step)
{
	TRY(check_created(attention));
	if (!has_work(&attention->shape))
		return STATUS_OK;
	TRY(check_step(attention, step));
	TRY(run_step(attention, step));
	for (int slot = 0; slot < attention->shape.slots; slot++)
		kv_cache_append(attention->cache, step->layer, slot,
				step_io_appended(attention, step, slot));
	for (int slot = 0; step->lengths != NULL && slot < attention->shape.slots; slot++)
		step->lengths[slot] = kv_cache_length(attention->cache, step->layer, slot);
	return STATUS_OK;
}

static enum status check_prompt(const struct attention *attention, const struct attention_prompt *p)
{
	const char *name = attention->path->name;
	int held;

	TRY(check_layer(attention, p->layer));
	if (!attention_appends(&attention->shape))
		return fail(STATUS_USAGE, "%s: a prompt cannot be appended to pages", name);
	if (p->slot < 0 || p->slot >= attention->shape.slots || p->rows < 0)
		return fail(STATUS_USAGE, "%s: expected a prompt of 0 or more positions in slot 0 "
			    "to %d, got %d positions in slot %d", name,
			    attention->shape.slots - 1, p->rows, p->slot);
	held = kv_cache_length(attention->cache, p->layer, p->slot);
	if (p->rows > attention->shape.max_len - held)
		return fail(STATUS_USAGE,
			    "%s: a prompt of %d positions does not fit in the KV cache of layer "
			    "%d, slot %d: it holds %d of %d keys",
			    name, p->rows, p->layer, p->slot, held, attention->shape.max_len);
	if (p->rows > 0 && (!p->q || !p->k || !p->v || !p->out))
		return fail(STATUS_USAGE, "%s: q, k, v or out is missing", name);
	return STATUS_OK;
}

/* The tensors of steps that append and attend to the positions of a prompt, of all slots. */
struct prompt_steps {
	struct attention *attention;
	const struct attention_prompt *prompt;
	float *q, *k, *v, *out;
	bool *done;
	int *appended;                  /* in the prompt's slot, not more than a step has queries */
};

/* One step, for `count` positions from `first` on. They are the last of the slot's queries. */
static enum status prompt_step(const struct prompt_steps *p, int first, int count)
{
	const struct attention_shape *s = &p->attention->shape;
	size_t row = (size_t)s->heads * (size_t)s->head_dim;
	size_t kv_row = (size_t)s->kv_heads * (size_t)s->head_dim;
	size_t to = (size_t)((p->prompt->slot + 1) * attention_queries(s) - count);
	size_t from = (size_t)first, rows = (size_t)count;

	memcpy(p->q + to * row, p->prompt->q + from * row, rows * row * sizeof(float));
	memcpy(p->k + to * kv_row, p->prompt->k + from * kv_row, rows * kv_row * sizeof(float));
	memcpy(p->v + to * kv_row, p->prompt->v + from * kv_row, rows * kv_row * sizeof(float));
	p->appended[p->prompt->slot] = count;
	TRY(attention_step(p->attention, &(struct attention_step){
		.layer = p->prompt->layer, .q = p->q, .k = p->k, .v = p->v, .done = p->done,
		.appended = p->appended, .out = p->out }));
	memcpy(p->prompt->out + from * row, p->out + to * row, rows * row * sizeof(float));
	return STATUS_OK;
}

/* Appends and attends with the launches of a step, to as many positions as a step has queries:
 * kernels that attend to all positions at once read caches of f32 only, and have no options. */
static enum status prompt_by_steps(struct attention *a, const struct attention_prompt *p)
{
	const struct attention_shape *s = &a->shape;
	size_t M = (size_t)s->slots, rows = (size_t)attention_rows(s);
	size_t row = (size_t)s->heads * (size_t)s->head_dim;
	size_t kv_row = (size_t)s->kv_heads * (size_t)s->head_dim;
	struct prompt_steps steps = {
		a, p, xcalloc(rows * row, sizeof(float)), xcalloc(rows * kv_row, sizeof(float)),
		xcalloc(rows * kv_row, sizeof(float)), xcalloc(rows * row, sizeof(float)),
		xcalloc(M, sizeof(bool)), xcalloc(M, sizeof(int)),
	};
	int each = attention_queries(s);
	enum status status = STATUS_OK;

	for (int i = 0; i < s->slots; i++)
		steps.done[i] = i != p->slot;
	for (int i = 0; i < p->rows && status == STATUS_OK; i += each)
		status = prompt_step(&steps, i, each < p->rows - i ? each : p->rows - i);
	free(steps.q);
	free(steps.k);
	free(steps.v);
	free(steps.out);
	free(steps.done);
	free(steps.appended);
	return status;
}

enum status attention_prefill(struct attention *attention, const struct attention_prompt *prompt)
{
	TRY(check_created(attention));
	if (!has_work(&attention->shape))
		return STATUS_OK;
	TRY(check_prompt(attention, prompt));
	if (prompt->rows == 0)
		return STATUS_OK;
	if (attention->shape.kv_dtype != DTYPE_F32 || attention_has_options(&attention->shape))
		return prompt_by_steps(attention, prompt);
	TRY(step_io_prefill(attention, prompt));
	kv_cache_append(attention->cache, prompt->layer, prompt->slot, prompt->rows);
	return STATUS_OK;
}
