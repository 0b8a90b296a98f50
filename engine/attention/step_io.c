/* step_io.c - buffers, uploads, scatters and launches that attention paths share; see step_io.h.
 *
 * Everything is on one stream, so that no waits are needed.
 */
#include "engine/attention/step_io.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/attention/prefill.h"

#define MAX_GRID_Y 65535

/* --- launches --- */

enum status step_launch(struct attention *a, const char *kernel, int layer, struct dim3 grid,
			struct dim3 block, unsigned shared_bytes, const struct arg *args,
			int arg_count)
{
	return launch_on(a->device, &a->io->target, kernel, &(struct launch){
		.grid = grid, .block = block, .shared_bytes = shared_bytes, .args = args,
		.arg_count = arg_count, .layer = layer });
}

/* --- buffers --- */

struct wanted {
	struct buffer **to;             /* NULL: not needed */
	struct buffer_spec spec;
};

static enum status alloc_all(struct device *device, const struct wanted *wanted, int count)
{
	for (int i = 0; i < count; i++)
		if (wanted[i].to)
			TRY(device_alloc(device, &wanted[i].spec, wanted[i].to));
	return STATUS_OK;
}

static enum status alloc_values(struct attention *a, const char *name, struct slot_values *values)
{
	struct buffer_spec spec = { name, DTYPE_I32, 1, { attention_rows(&a->shape) } };

	TRY(device_alloc(a->device, &spec, &values->buffer));
	values->current = xmalloc(values->buffer->bytes);
	memset(values->current, 0x80, values->buffer->bytes);
	return STATUS_OK;
}

static void free_values(struct attention *a, struct slot_values *values)
{
	free_buffers(a->device, &values->buffer, 1);
	free(values->current);
	values->current = NULL;
}

/* Whether a step appends one row, by a kernel for f32 that gets its position by value. */
static bool has_one_new_row(const struct attention_shape *s)
{
	return attention_rows(s) == 1 && s->kv_dtype == DTYPE_F32 && s->pages.rows == 0;
}

/* Whether scatters take rows of the whole cache as positions, as if there were one sequence: one
 * has several new rows, or rows in several pages. */
static bool has_whole_positions(const struct attention_shape *s)
{
	return attention_queries(s) > 1 || s->pages.rows > 0;
}

/* Not needed with graphs, which have lengths of their own. */
static enum status alloc_eager(struct attention *a)
{
	if (!a->path->device_lengths || a->shape.graph != GRAPH_NONE)
		return STATUS_OK;
	TRY(alloc_values(a, "seq_lens", &a->io->eager.seq_lens));
	if (!attention_appends(&a->shape))
		return STATUS_OK;
	return has_one_new_row(&a->shape) ? STATUS_OK
		: alloc_values(a, "positions", &a->io->eager.positions);
}

/* A tensor of a step: [M, heads, D], or with several queries [M, T, heads, D]. */
static struct buffer_spec step_tensor(const struct attention_shape *s, const char *name, int heads)
{
	return attention_queries(s) == 1
		? (struct buffer_spec){ name, DTYPE_F32, 3, { s->slots, heads, s->head_dim } }
		: (struct buffer_spec){ name, DTYPE_F32, 4,
					{ s->slots, s->queries, heads, s->head_dim } };
}

/* The same without D. */
static struct buffer_spec lse_tensor(const struct attention_shape *s)
{
	struct buffer_spec spec = step_tensor(s, "lse", s->heads);

	spec.rank--;
	return spec;
}

enum status step_io_alloc(struct attention *a)
{
	const struct attention_shape *s = &a->shape;
	size_t rows = (size_t)attention_rows(s);
	struct step_io *io = a->io = xcalloc(1, sizeof *io);
	bool appends = attention_appends(s);
	const struct wanted wanted[] = {
		{ &io->q, step_tensor(s, "q", s->heads) },
		{ appends ? &io->k_new : NULL, step_tensor(s, "k_new", s->kv_heads) },
		{ appends ? &io->v_new : NULL, step_tensor(s, "v_new", s->kv_heads) },
		{ &io->out, step_tensor(s, "out", s->heads) },
		{ attention_has_options(s) ? &io->lse : NULL, lse_tensor(s) },
	};

	io->lens_now = xcalloc(rows, sizeof *io->lens_now);
	io->positions_now = xcalloc(rows, sizeof *io->positions_now);
	TRY(kv_cache_create(a->device, s->layers, s->slots, s->kv_heads, s->max_len, s->head_dim,
			    s->kv_dtype, &s->pages, &a->cache));
	a->shape.pages.table = NULL;    /* it may not outlive the call */
	TRY(alloc_all(a->device, wanted, COUNT(wanted)));
	return alloc_eager(a);
}

static void free_prompt(struct device *device, struct prompt_io *prompt)
{
	struct buffer *buffers[] = { prompt->q, prompt->out, prompt->k_new, prompt->v_new };

	free_buffers(device, buffers, COUNT(buffers));
	*prompt = (struct prompt_io){ 0 };
}

void step_io_free(struct attention *a)
{
	struct step_io *io = a->io;

	if (!io)
		return;
	free_prompt(a->device, &io->prompt);
	free_buffers(a->device, (struct buffer *[]){ io->q, io->k_new, io->v_new, io->out }, 4);
	free_buffers(a->device, &io->lse, 1);
	free_values(a, &io->eager.seq_lens);
	free_values(a, &io->eager.positions);
	free_values(a, &io->graph.seq_lens);
	free_values(a, &io->graph.positions);
	kv_cache_destroy(a->cache);
	free(io->lens_now);
	free(io->positions_now);
	free(io);
}

/* --- one layer of one step --- */

int step_io_appended(const struct attention *a, const struct attention_step *step, int slot)
{
	if (!attention_appends(&a->shape) || (step->done && step->done[slot]))
		return 0;
	return step->appended ? step->appended[slot] : attention_queries(&a->shape);
}

/* What scatters take for the position of a key of a slot. */
static int32_t scatter_position(const struct attention *a, int slot, int position)
{
	return has_whole_positions(&a->shape) ? kv_cache_row(a->cache, slot, position) : position;
}

/* Sets the positions of a slot's new keys, and the lengths that its queries see with them. */
static void place_slot(struct attention *a, const struct attention_step *step, int slot)
{
	bool done = step->done != NULL && step->done[slot];
	int queries = attention_queries(&a->shape), appended = step_io_appended(a, step, slot);
	int length = kv_cache_length(a->cache, step->layer, slot) + appended;

	for (int t = 0; t < queries; t++) {
		int after = queries - 1 - t, row = slot * queries + t;

		a->io->lens_now[row] = done || length < after ? 0 : length - after;
		a->io->positions_now[row] = after < appended
			? scatter_position(a, slot, length - 1 - after) : -1;
	}
}

static void place_keys(struct attention *a, const struct attention_step *step)
{
	for (int slot = 0; slot < a->shape.slots; slot++)
		place_slot(a, step, slot);
}

static bool holds(const struct slot_values *values, const int32_t *now)
{
	return !values->buffer || memcmp(now, values->current, values->buffer->bytes) == 0;
}

/* Uploads `now` unless the device already holds these values, as in later layers of a step. */
static enum status update(struct device *device, struct slot_values *values, const int32_t *now)
{
	struct buffer *buffer = values->buffer;

	if (holds(values, now))
		return STATUS_OK;
	memset(values->current, 0x80, buffer->bytes);     /* unknown, should the upload fail */
	TRY(device_upload(device, NULL, buffer, 0, now, buffer->bytes));
	memcpy(values->current, now, buffer->bytes);
	return STATUS_OK;
}

/* Unlike the models: lengths that a graph reads are written by synchronous copies before each
 * launch of it, so that `now` may change at once. Theirs are asynchronous. */
static enum status update_lengths(struct attention *a, struct step_lengths *lengths)
{
	TRY(update(a->device, &lengths->seq_lens, a->io->lens_now));
	return update(a->device, &lengths->positions, a->io->positions_now);
}

/* Both sets of lengths get the same values, so that a plan made from one serves the other. */
static enum status update_all(struct attention *a)
{
	struct step_io *io = a->io;
	const struct slot_values *lengths = io->eager.seq_lens.buffer ? &io->eager.seq_lens
		: &io->graph.seq_lens;
	bool planned = holds(lengths, io->lens_now);

	TRY(update_lengths(a, &io->eager));
	TRY(update_lengths(a, &io->graph));
	return planned || !a->path->plan ? STATUS_OK : a->path->plan(a, lengths->buffer);
}

enum status step_io_alloc_graph(struct attention *a)
{
	struct step_lengths *graph = &a->io->graph;

	if (graph->positions.buffer)
		return STATUS_OK;
	if (!graph->seq_lens.buffer)
		TRY(alloc_values(a, "graph_seq_lens", &graph->seq_lens));
	TRY(alloc_values(a, "graph_positions", &graph->positions));
	return a->io->uploaded ? update_lengths(a, graph) : STATUS_OK;
}

enum status step_io_upload(struct attention *a, const struct attention_step *step)
{
	struct device *device = a->device;
	struct step_io *io = a->io;

	place_keys(a, step);
	/* A plan comes before the copies, so that a launch which begins before the last one ends
	 * finds it complete. */
	if (a->path->plan)
		TRY(update_all(a));
	TRY(device_upload(device, NULL, io->q, 0, step->q, io->q->bytes));
	if (io->k_new) {
		TRY(device_upload(device, NULL, io->k_new, 0, step->k, io->k_new->bytes));
		TRY(device_upload(device, NULL, io->v_new, 0, step->v, io->v_new->bytes));
	}
	TRY(update_all(a));
	io->uploaded = true;
	return STATUS_OK;
}

enum status step_io_check_uploaded(const struct attention *a)
{
	return a->io->uploaded ? STATUS_OK
		: fail(STATUS_USAGE, "%s: nothing was uploaded: call attention_upload() first",
		       a->path->name);
}

const struct step_lengths *step_io_lengths(const struct attention *a)
{
	return a->io->target.graph ? &a->io->graph : &a->io->eager;
}

/* Passes the position by value, or, for a graph, its address in device memory. */
static enum status scatter_rows(struct attention *a, int layer, int slot, struct buffer *rows,
				struct buffer *cache)
{
	const struct attention_shape *s = &a->shape;
	bool graph = a->io->target.graph;
	uint64_t row = (uint64_t)s->kv_heads * (uint64_t)s->head_dim * sizeof(float);
	uint64_t cache_slot = (uint64_t)kv_cache_stride(a->cache) * sizeof(float);
	const struct arg from = ARG_AT(rows, (uint64_t)slot * row);
	const struct arg to = ARG_AT(cache, (uint64_t)slot * cache_slot);
	const struct arg D = ARG_I32(s->head_dim), max_len = ARG_I32(s->max_len);
	const struct arg by_value[] = {
		from, to, D, max_len, ARG_I32(a->io->positions_now[slot]),
	};
	const struct arg indirect[] = {
		from, to,
		ARG_AT(a->io->graph.positions.buffer, (uint64_t)slot * sizeof(int32_t)),
		D, max_len,
	};

	return step_launch(a, graph ? "kv_scatter_indirect" : "kv_scatter", layer,
			   (struct dim3){ (unsigned)s->kv_heads, 1, 1 },
			   (struct dim3){ (unsigned)s->head_dim, 1, 1 }, 0,
			   graph ? indirect : by_value, COUNT(by_value));
}

static enum status scatter_batch(struct attention *a, int layer, struct buffer *rows,
				 struct buffer *cache)
{
	const struct attention_shape *s = &a->shape;
	const struct arg args[] = {
		ARG_BUFFER(rows), ARG_BUFFER(cache),
		ARG_BUFFER(step_io_lengths(a)->positions.buffer),
		ARG_I32(s->head_dim), ARG_I32(kv_cache_rows(a->cache)),
		ARG_I64(has_whole_positions(s) ? 0 : kv_cache_stride(a->cache)),
	};

	return step_launch(a, s->kv_dtype == DTYPE_F16 ? "kv_scatter_f16"
			   : s->kv_dtype == DTYPE_BF16 ? "kv_scatter_bf16"
			   : s->kv_dtype == DTYPE_E4M3 ? "kv_scatter_e4m3" : "kv_scatter_batched",
			   layer,
			   (struct dim3){ (unsigned)s->kv_heads, (unsigned)attention_rows(s), 1 },
			   (struct dim3){ (unsigned)s->head_dim, 1, 1 }, 0, args, COUNT(args));
}

enum status step_io_scatter(struct attention *a, int layer)
{
	if (!a->io->k_new)
		return STATUS_OK;
	if (has_one_new_row(&a->shape))
		return step_io_scatter_slot(a, layer, 0);
	TRY(scatter_batch(a, layer, a->io->k_new, a->cache->k[layer]));
	return scatter_batch(a, layer, a->io->v_new, a->cache->v[layer]);
}

enum status step_io_scatter_slot(struct attention *a, int layer, int slot)
{
	/* In a graph the kernel itself skips a slot that is done. */
	if (!a->io->target.graph && a->io->positions_now[slot] < 0)
		return STATUS_OK;
	TRY(scatter_rows(a, layer, slot, a->io->k_new, a->cache->k[layer]));
	return scatter_rows(a, layer, slot, a->io->v_new, a->cache->v[layer]);
}

enum status step_io_download(struct attention *a, const struct attention_step *step)
{
	size_t row = (size_t)(attention_queries(&a->shape) * a->shape.heads)
		* (size_t)a->shape.head_dim;

	TRY(device_download(a->device, NULL, a->io->out, 0, step->out, a->io->out->bytes));
	for (int slot = 0; slot < a->shape.slots; slot++)
		if (step->done && step->done[slot])
			memset(step->out + (size_t)slot * row, 0, row * sizeof(float));
	return step->lse ? device_download(a->device, NULL, a->io->lse, 0, step->lse,
					   a->io->lse->bytes) : STATUS_OK;
}

/* --- one layer of a prompt --- */

/* Grows the buffers to `rows` positions. */
static enum status grow_prompt(struct attention *a, int rows)
{
	int64_t H = a->shape.heads, Hkv = a->shape.kv_heads, D = a->shape.head_dim;
	struct prompt_io *prompt = &a->io->prompt;
	const struct wanted wanted[] = {
		{ &prompt->q, { "prompt_q", DTYPE_F32, 3, { H, rows, D } } },
		{ &prompt->k_new, { "prompt_k", DTYPE_F32, 3, { rows, Hkv, D } } },
		{ &prompt->v_new, { "prompt_v", DTYPE_F32, 3, { rows, Hkv, D } } },
		{ &prompt->out, { "prompt_out", DTYPE_F32, 3, { H, rows, D } } },
	};

	if (rows <= prompt->rows)
		return STATUS_OK;
	free_prompt(a->device, prompt);
	TRY(alloc_all(a->device, wanted, COUNT(wanted)));
	prompt->rows = rows;
	return STATUS_OK;
}

/* Transposes from [a, b, D] to [b, a, D]. */
static void swap_outer(float *to, const float *from, size_t a, size_t b, size_t D)
{
	for (size_t i = 0; i < a; i++)
		for (size_t j = 0; j < b; j++)
			memcpy(to + (j * a + i) * D, from + (i * b + j) * D, D * sizeof(float));
}

static enum status upload_prompt(struct attention *a, const struct attention_prompt *p,
				 float *heads_first)
{
	size_t rows = (size_t)p->rows, H = (size_t)a->shape.heads, D = (size_t)a->shape.head_dim;
	size_t new_bytes = rows * (size_t)a->shape.kv_heads * D * sizeof(float);
	struct prompt_io *prompt = &a->io->prompt;

	swap_outer(heads_first, p->q, rows, H, D);
	TRY(device_upload(a->device, NULL, prompt->q, 0, heads_first,
			  rows * H * D * sizeof(float)));
	TRY(device_upload(a->device, NULL, prompt->k_new, 0, p->k, new_bytes));
	return device_upload(a->device, NULL, prompt->v_new, 0, p->v, new_bytes);
}

/* Takes one launch, or several if the grid's limit in y is too small for all rows. */
static enum status scatter_prompt(struct attention *a, const struct attention_prompt *p,
				  struct buffer *rows, struct buffer *cache)
{
	const struct attention_shape *s = &a->shape;
	uint64_t slot_bytes = (uint64_t)kv_cache_stride(a->cache) * sizeof(float);
	uint64_t row_bytes = (uint64_t)s->kv_heads * (uint64_t)s->head_dim * sizeof(float);
	int held = kv_cache_length(a->cache, p->layer, p->slot);

	for (int first = 0; first < p->rows; first += MAX_GRID_Y) {
		int left = p->rows - first, count = left < MAX_GRID_Y ? left : MAX_GRID_Y;
		const struct arg args[] = {
			ARG_AT(rows, (uint64_t)first * row_bytes),
			ARG_AT(cache, (uint64_t)p->slot * slot_bytes), ARG_I32(s->head_dim),
			ARG_I32(s->max_len), ARG_I32(held + first),
		};

		TRY(launch_kernel(a->device, "kv_scatter_rows", p->layer,
				  (struct dim3){ (unsigned)s->kv_heads, (unsigned)count, 1 },
				  (struct dim3){ (unsigned)s->head_dim, 1, 1 }, 0, args,
				  COUNT(args)));
	}
	return STATUS_OK;
}

static enum status attend_prompt(struct attention *a, const struct attention_prompt *p)
{
	const struct attention_shape *s = &a->shape;
	uint64_t slot = (uint64_t)p->slot * (uint64_t)kv_cache_stride(a->cache) * sizeof(float);
	const struct prefill prefill = {
		.heads = s->heads, .kv_heads = s->kv_heads, .queries = p->rows,
		.keys = kv_cache_length(a->cache, p->layer, p->slot) + p->rows,
		.head_dim = s->head_dim, .value_dim = s->head_dim, .stride = s->max_len,
		.mask = MASK_BOTTOM_RIGHT, .scale = s->scale, .layer = p->layer,
		.tiled = a->path->tiled,
	};

	TRY(prefill_check(a->path->name, &prefill));
	TRY(scatter_prompt(a, p, a->io->prompt.k_new, a->cache->k[p->layer]));
	TRY(scatter_prompt(a, p, a->io->prompt.v_new, a->cache->v[p->layer]));
	return prefill_launch(a->device, &prefill, ARG_BUFFER(a->io->prompt.q),
			      ARG_AT(a->cache->k[p->layer], slot),
			      ARG_AT(a->cache->v[p->layer], slot), ARG_BUFFER(a->io->prompt.out));
}

enum status step_io_prefill(struct attention *a, const struct attention_prompt *p)
{
	size_t rows = (size_t)p->rows, H = (size_t)a->shape.heads, D = (size_t)a->shape.head_dim;
	float *heads_first = xmalloc(rows * H * D * sizeof(float));
	enum status status = grow_prompt(a, p->rows);

	if (status == STATUS_OK)
		status = upload_prompt(a, p, heads_first);
	if (status == STATUS_OK)
		status = attend_prompt(a, p);
	if (status == STATUS_OK)
		status = device_download(a->device, NULL, a->io->prompt.out, 0, heads_first,
					 rows * H * D * sizeof(float));
	if (status == STATUS_OK)
		swap_outer(p->out, heads_first, H, rows, D);
	/* Steps do not need these buffers, and a trace's windows need not restore them. */
	if (status == STATUS_OK && p->layer == a->shape.layers - 1)
		free_prompt(a->device, &a->io->prompt);
	free(heads_first);
	return status;
}
