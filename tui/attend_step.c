/* attend_step.c - the decode step of `flashtwin attend`: its tensors, and the work on one device.
 *
 * k and v are the cache after the append: all rows of a sequence but the last are loaded, and the
 * path appends the last, or with several queries as many. With pages (attend_pages.c) all rows are
 * loaded.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/xalloc.h"
#include "engine/attention/path.h"
#include "tui/attend.h"
#include "tui/attend_tensor.h"
#include "tui/command.h"

/* --- tensors --- */

enum status attend_read_q(struct attend *attend)
{
	TRY(npy_read(attend->q_path, &attend->q));
	TRY(attend_take_q(attend->q_path, &attend->q, attend->q_dtype, &attend->q_type));
	attend->out_type = attend->q_type;
	if (attend->out_dtype)          /* one of the option's names */
		dtype_from_name(attend->out_dtype, &attend->out_type);
	return STATUS_OK;
}

/* Of 4 dimensions: (M, T, H, D). */
static enum status check_queries(const struct attend *attend)
{
	const struct npy *q = &attend->q;

	if (q->rank < 4)
		return STATUS_OK;
	if (attend->run.path != &path_ladder)
		return fail(STATUS_USAGE, "--q %s: 4 dimensions, of which the second is queries of "
			    "a sequence, need --path ladder with rung 5 or more", attend->q_path);
	return q->shape[1] > 0 ? STATUS_OK
		: fail(STATUS_USAGE, "--q %s: expected 1 or more queries of each sequence, got 0",
		       attend->q_path);
}

/* q's shape determines k's except for the KV heads and keys, and pages; v must have k's shape. */
static enum status read_tensors(struct attend *attend)
{
	int64_t wanted[] = { -1, -1, -1, -1 };
	struct npy *q = &attend->q;
	int rank;

	TRY(attend_read_q(attend));
	if (q->rank > 4)
		return fail(STATUS_USAGE, "--q %s: expected 2 to 4 dimensions, got %d",
			    attend->q_path, q->rank);
	rank = q->rank > 2 ? q->rank : 2;
	TRY(attend_check_tensor("--q", attend->q_path, q, DTYPE_F32, rank, wanted));
	TRY(check_queries(attend));
	if (rank > 2)
		wanted[0] = q->shape[0];
	rank = attend->page_table_path || rank > 2 ? 4 : 3;
	wanted[rank - 1] = q->shape[q->rank - 1];
	if (attend->page_table_path)
		attend_pages_wanted(attend, wanted);
	TRY(npy_read(attend->k_path, &attend->k));
	TRY(attend_take_dtype("--k", attend->k_path, &attend->k, attend->kv_dtype));
	TRY(attend_check_tensor("--k", attend->k_path, &attend->k, attend->k.dtype, rank, wanted));
	TRY(npy_read(attend->v_path, &attend->v));
	TRY(attend_take_dtype("--v", attend->v_path, &attend->v, attend->kv_dtype));
	return attend_check_tensor("--v", attend->v_path, &attend->v, attend->k.dtype, rank,
				   attend->k.shape);
}

/* NaN, infinity, 0 or less: a mistake, whose outputs would look like one of the kernels. */
static enum status check_scale(const char *option, const char *path, const float *scale, int heads)
{
	for (int i = 0; i < heads; i++)
		if (!isfinite(scale[i]) || scale[i] <= 0.0f)
			return fail(STATUS_USAGE, "%s %s: expected finite scales above 0, that of "
				    "KV head %d is %g", option, path, i, (double)scale[i]);
	return STATUS_OK;
}

static enum status read_scale(const char *option, const char *path, int kv_heads,
			      struct npy *array, const float **out)
{
	const int64_t shape[] = { kv_heads };

	if (!path)
		return STATUS_OK;
	TRY(npy_read(path, array));
	TRY(attend_check_tensor(option, path, array, DTYPE_F32, 1, shape));
	*out = array->data;
	return check_scale(option, path, array->data, kv_heads);
}

static void find_shape(struct attend *attend)
{
	const struct npy *q = &attend->q, *k = &attend->k;
	bool batched = q->rank > 2;
	struct attention_shape *s = &attend->shape;

	if (!attend->page_table_path)
		attend->rows = (int)k->shape[batched + 1];
	s->layers = 1;
	s->slots = batched ? (int)q->shape[0] : 1;
	s->queries = q->rank == 4 ? (int)q->shape[1] : 1;
	s->heads = (int)q->shape[q->rank - 2];
	s->kv_heads = (int)k->shape[k->rank - 3];
	s->head_dim = (int)q->shape[q->rank - 1];
	s->max_len = attend->rows > 0 ? attend->rows : 1;
	run_options_shape(&attend->run, s);
	s->kv_dtype = k->dtype;
	s->lse = attend->lse_path != NULL;
	if (!attend->scale_given)
		s->scale = attention_scale(s->head_dim);
	memcpy(attend->out_shape, q->shape, sizeof attend->out_shape);
	attend->out_count = q->count;
}

/* "96,0,12": one length per sequence, each at most n. */
static enum status read_lengths(struct attend *attend)
{
	int slots = attend->shape.slots, count;

	for (int slot = 0; slot < slots; slot++)
		attend->lengths[slot] = attend->rows;
	if (!attend->lengths_text)
		return STATUS_OK;
	TRY(option_integers("--lengths", attend->lengths_text, 0, attend->rows, attend->lengths,
			    slots, &count));
	return count == slots ? STATUS_OK
		: fail(STATUS_USAGE, "--lengths %s: %d lengths for %d sequences",
		       attend->lengths_text, count, slots);
}

/* Row `row` of every KV head of one sequence. */
static void take_row(const struct attend *attend, const struct npy *cache, int slot, int row,
		     float *out)
{
	size_t D = (size_t)attend->shape.head_dim, heads = (size_t)attend->shape.kv_heads;

	for (size_t head = 0; head < heads; head++) {
		size_t line = (size_t)slot * heads + head;
		size_t from = (line * (size_t)attend->rows + (size_t)row) * D;

		for (size_t d = 0; d < D; d++)
			out[head * D + d] = attend_element(cache, from + d);
	}
}

/* The keys and values that a sequence appends: its last ones, one for each query. */
static void take_rows(struct attend *attend, int slot)
{
	const struct attention_shape *s = &attend->shape;
	size_t row = (size_t)s->kv_heads * (size_t)s->head_dim;
	int length = attend->lengths[slot];

	attend->appended[slot] = length < s->queries ? length : s->queries;
	for (int i = 1; i <= attend->appended[slot]; i++) {
		size_t to = (size_t)((slot + 1) * s->queries - i) * row;

		take_row(attend, &attend->k, slot, length - i, attend->k_new + to);
		take_row(attend, &attend->v, slot, length - i, attend->v_new + to);
	}
}

enum status attend_step_prepare(struct attend *attend)
{
	const struct attention_shape *s = &attend->shape;
	size_t M, queries, new_rows;

	TRY(read_tensors(attend));
	if (attend->page_table_path)
		TRY(attend_pages_read(attend));
	find_shape(attend);
	TRY(read_scale("--k-scale", attend->k_scale_path, attend->shape.kv_heads, &attend->k_scale,
		       &attend->shape.k_scale));
	TRY(read_scale("--v-scale", attend->v_scale_path, attend->shape.kv_heads, &attend->v_scale,
		       &attend->shape.v_scale));
	if (attention_check(attend->run.path, s) != STATUS_OK)
		return fail_context(STATUS_USAGE, "--q %s, --k %s", attend->q_path,
				    attend->k_path);
	if (attend->out_path)
		TRY(output_check(attend->out_path));
	if (attend->lse_path)
		TRY(output_check(attend->lse_path));
	M = (size_t)s->slots;
	queries = M * (size_t)s->queries;
	new_rows = queries * (size_t)s->kv_heads * (size_t)s->head_dim;
	attend->lengths = xcalloc(M + 1, sizeof *attend->lengths);
	attend->appended = xcalloc(M + 1, sizeof *attend->appended);
	attend->done = xcalloc(M + 1, sizeof *attend->done);
	attend->k_new = xcalloc(new_rows + 1, sizeof(float));
	attend->v_new = xcalloc(new_rows + 1, sizeof(float));
	attend->out = xcalloc(attend->out_count + 1, sizeof(float));
	attend->lse = xcalloc(queries * (size_t)s->heads + 1, sizeof(float));
	TRY(read_lengths(attend));
	if (s->pages.rows > 0)
		TRY(attend_pages_check(attend));
	for (int slot = 0; slot < s->slots; slot++) {
		attend->done[slot] = attend->lengths[slot] == 0;
		if (s->pages.rows == 0)
			take_rows(attend, slot);
	}
	return STATUS_OK;
}

/* --- the work on one device --- */

static enum status load_cache(const struct attend *attend, struct kv_cache *cache)
{
	size_t slot_bytes = (size_t)attend->shape.kv_heads * (size_t)attend->rows
		* (size_t)attend->shape.head_dim * dtype_bytes(attend->shape.kv_dtype);

	if (attend->shape.pages.rows > 0)
		return attend_pages_load(attend, cache);
	for (int slot = 0; slot < attend->shape.slots; slot++) {
		int loaded = attend->lengths[slot] - attend->appended[slot];

		if (loaded > 0)
			TRY(kv_cache_load(cache, 0, slot,
					  (const char *)attend->k.data + (size_t)slot * slot_bytes,
					  (const char *)attend->v.data + (size_t)slot * slot_bytes,
					  loaded, attend->rows));
	}
	return STATUS_OK;
}

static enum status run_step(const struct attend *attend, struct attention *attention, float *out,
			    float *lse)
{
	const struct attention_step step = {
		.layer = 0, .q = attend->q.data, .k = attend->k_new, .v = attend->v_new,
		.appended = attend->appended, .done = attend->done, .out = out,
		.lse = attend->lse_path ? lse : NULL,
	};

	TRY(device_step_begin(attention->device, 0));
	TRY(attention_step(attention, &step));
	return device_step_end(attention->device);
}

enum status attend_step_target(const struct run_target *target, void *context)
{
	struct attend *attend = context;
	float *out = target->first ? attend->out : xcalloc(attend->out_count + 1, sizeof(float));
	float *lse = target->first ? attend->lse : xcalloc(attend->out_count + 1, sizeof(float));
	struct attention *attention = NULL;
	enum status status = attention_create(attend->run.path, target->device, &attend->shape,
					      &attention);

	if (status == STATUS_OK && attention->cache)
		status = load_cache(attend, attention->cache);
	if (status == STATUS_OK)
		status = run_step(attend, attention, out, lse);
	attention_destroy(attention);
	if (!target->first) {
		free(out);
		free(lse);
	}
	return status;
}
