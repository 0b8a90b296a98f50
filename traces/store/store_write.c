/* store_write.c - stores the operations, launches and steps of a trace.
 *
 * Numbers the operations of each run. What a launch calls (kernel, grid, arguments) is stored once
 * per content, since the launches of a decode loop repeat it. store_rows.c stores what launches
 * computed, pages.c stores bytes.
 */
#include "traces/store/store_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/row.h"

/* --- runs --- */

enum status store_model(struct store *store, int64_t run, const struct row_model *e)
{
	return PUT(store, TABLE_MODEL, V_INT(run), V_TEXT(e->directory), V_TEXT(e->config),
		   V_INT(e->layers), V_INT(e->heads), V_INT(e->kv_heads), V_INT(e->head_dim),
		   V_INT(e->hidden), V_INT(e->vocabulary), V_INT(e->max_positions),
		   V_INT(e->max_len), V_INT(e->chunk), V_INT(e->max_chunks), V_INT(e->slots));
}

enum status store_attention(struct store *store, int64_t run, const struct row_attention *e)
{
	return PUT(store, TABLE_ATTENTION, V_INT(run), V_INT(e->number), V_TEXT(e->path),
		   V_INT_IF(e->rung, e->rung), V_TEXT(dtype_name(e->kv_dtype)), V_INT(e->queries),
		   V_INT_IF(e->window, e->window), V_INT_IF(e->sinks, e->sinks),
		   e->softcap_bits ? V_F32(e->softcap_bits) : V_NULL, V_INT_IF(e->page, e->page),
		   V_INT(e->lse));
}

/* The id of a text that the file has; 0: it does not. There are few small ones, so texts are
 * compared directly. */
static enum status find_text(struct store *store, const char *text, int64_t *id)
{
	sqlite3_stmt *select;

	TRY(store_select(store, &select, "SELECT text FROM t_text WHERE content = ?", NULL, 0));
	sqlite3_bind_text(select, 1, text, -1, SQLITE_STATIC);
	*id = sqlite3_step(select) == SQLITE_ROW ? sqlite3_column_int64(select, 0) : 0;
	return sqlite3_finalize(select) == SQLITE_OK ? STATUS_OK : store_failed(store, "read");
}

/* The id of a source text, stored unless the file has it. */
static enum status put_text(struct store *store, const char *text, int64_t *id)
{
	XXH128_hash_t hash = XXH3_128bits(text, strlen(text));

	*id = hash_map_find(&store->texts, hash);
	if (!*id && store->appending)
		TRY(find_text(store, text, id));
	if (*id)
		return STATUS_OK;
	TRY(PUT(store, TABLE_TEXT, V_NULL, V_TEXT(text)));
	*id = store_new_id(store, TABLE_TEXT);
	hash_map_add(&store->texts, hash, *id);
	return STATUS_OK;
}

enum status store_kernel(struct store *store, int64_t run, const struct row_kernel *e)
{
	int64_t text;

	for (int i = 0; i < e->source_count; i++) {
		TRY(put_text(store, e->sources[i].text, &text));
		TRY(PUT(store, TABLE_SOURCE, V_INT(run), V_TEXT(e->name), V_INT(i),
			V_TEXT(e->sources[i].file), V_INT(text)));
	}
	return PUT(store, TABLE_KERNEL, V_INT(run), V_TEXT(e->name), V_TEXT(e->params),
		   V_TEXT(e->origin), V_INT(e->independent));
}

/* --- calls --- */

/* For a column of any type, where SQLite keeps -0. */
static struct value exact_real(double real)
{
	return (struct value){ .type = VALUE_REAL, .real = real };
}

struct value store_scalar_value(const struct row_arg *arg)
{
	uint32_t low = (uint32_t)arg->bits;
	double f64;
	float f32;

	if (strcmp(arg->kind, "f32") == 0) {
		memcpy(&f32, &low, sizeof f32);
		return exact_real((double)f32);
	}
	if (strcmp(arg->kind, "f64") == 0) {
		memcpy(&f64, &arg->bits, sizeof f64);
		return exact_real(f64);
	}
	if (strcmp(arg->kind, "i32") == 0)
		return V_INT((int32_t)low);
	return V_INT_IF(strcmp(arg->kind, "u64") != 0 || arg->bits <= INT64_MAX, arg->bits);
}

static bool is_pointer(const struct row_arg *arg)
{
	return strcmp(arg->kind, "pointer") == 0;
}

static enum status put_arg(struct store *store, int64_t call, int position,
			   const struct row_arg *arg, int64_t data)
{
	bool scalar = !is_pointer(arg) && !data;
	bool points = is_pointer(arg) && arg->buffer;

	TRY(PUT(store, TABLE_ARG, V_INT(call), V_INT(position), V_TEXT(arg->name),
		V_TEXT(arg->type), V_TEXT(arg->kind), V_INT_IF(scalar, arg->bits),
		scalar ? store_scalar_value(arg) : V_NULL, V_INT_IF(points, arg->buffer),
		V_INT_IF(points, arg->offset), V_INT_IF(data, data), V_INT(arg->live)));
	for (int i = 0; i < arg->pointer_count; i++) {
		const struct row_pointer *p = &arg->pointers[i];

		TRY(PUT(store, TABLE_ARG_POINTER, V_INT(call), V_INT(position), V_INT(i),
			V_INT(p->at), V_INT_IF(p->buffer, p->buffer),
			V_INT_IF(p->buffer, p->offset)));
	}
	return STATUS_OK;
}

static enum status put_call(struct store *store, const struct row_launch *e, const int64_t *data,
			    int64_t *call)
{
	TRY(PUT(store, TABLE_CALL, V_NULL, V_TEXT(e->kernel), V_INT(e->grid[0]), V_INT(e->grid[1]),
		V_INT(e->grid[2]), V_INT(e->block[0]), V_INT(e->block[1]), V_INT(e->block[2]),
		V_INT(e->cluster[0]), V_INT(e->cluster[1]), V_INT(e->cluster[2]),
		V_INT(e->shared_bytes), V_TEXT(e->attributes)));
	*call = store_new_id(store, TABLE_CALL);
	for (int i = 0; i < e->arg_count; i++)
		TRY(put_arg(store, *call, i, &e->args[i], data[i]));
	return STATUS_OK;
}

/* The content of a call, to be hashed at once: piece by piece takes several times as long. */
static void add_bytes(struct call_content *content, const void *bytes, size_t count)
{
	if (content->capacity - content->count < count) {
		content->capacity = 2 * content->capacity + count;
		content->bytes = xrealloc(content->bytes, content->capacity);
	}
	memcpy(content->bytes + content->count, bytes, count);
	content->count += count;
}

static void add_text(struct call_content *content, const char *text)
{
	static const char none[] = "\x01";

	if (!text)
		text = none;
	add_bytes(content, text, strlen(text) + 1);
}

/* Everything that put_call() stores, in the same order. */
static void add_call(struct call_content *content, const struct row_launch *e, const int64_t *data)
{
	add_text(content, e->kernel);
	add_bytes(content, e->grid, sizeof e->grid);
	add_bytes(content, e->block, sizeof e->block);
	add_bytes(content, e->cluster, sizeof e->cluster);
	add_bytes(content, &e->shared_bytes, sizeof e->shared_bytes);
	add_text(content, e->attributes);
	for (int i = 0; i < e->arg_count; i++) {
		const struct row_arg *arg = &e->args[i];
		const uint64_t numbers[] = {
			arg->bits, arg->buffer, arg->offset, (uint64_t)data[i], arg->live,
			(uint64_t)arg->pointer_count,
		};

		add_text(content, arg->name);
		add_text(content, arg->type);
		add_text(content, arg->kind);
		add_bytes(content, numbers, sizeof numbers);
		for (int k = 0; k < arg->pointer_count; k++) {
			const struct row_pointer *p = &arg->pointers[k];
			const uint64_t fields[] = { p->at, p->buffer, p->offset };

			add_bytes(content, fields, sizeof fields);
		}
	}
}

static XXH128_hash_t hash_call(struct store *store, const struct row_launch *e,
			       const int64_t *data)
{
	store->content.count = 0;
	add_call(&store->content, e, data);
	return XXH3_128bits(store->content.bytes, store->content.count);
}

static enum status find_or_put_call(struct store *store, const struct row_launch *e,
				    int64_t *data, int64_t *call)
{
	XXH128_hash_t hash;

	for (int i = 0; i < e->arg_count; i++)
		if (e->args[i].blob)
			TRY(pages_put(store, e->args[i].blob, e->args[i].blob_bytes, &data[i]));
	hash = hash_call(store, e, data);
	*call = hash_map_find(&store->calls, hash);
	if (*call)
		return STATUS_OK;
	TRY(put_call(store, e, data, call));
	hash_map_add(&store->calls, hash, *call);
	return STATUS_OK;
}

static enum status call_of(struct store *store, const struct row_launch *e, int64_t *call)
{
	int64_t *data = xcalloc((size_t)e->arg_count, sizeof *data);
	enum status status = find_or_put_call(store, e, data, call);

	free(data);
	return status;
}

/* --- operations --- */

/* "[8,64]" */
static char *shape_text(const struct row_buffer *e)
{
	char *text = xstrdup("["), *longer;

	for (int i = 0; i < e->rank; i++) {
		longer = xasprintf("%s%s%lld", text, i ? "," : "", (long long)e->shape[i]);
		free(text);
		text = longer;
	}
	longer = xasprintf("%s]", text);
	free(text);
	return longer;
}

static enum status put_buffer(struct store *store, int64_t run, int64_t op,
			      const struct row_buffer *e)
{
	char *shape = shape_text(e);
	enum status status = PUT(store, TABLE_BUFFER, V_INT(run), V_INT(op), V_INT(e->id),
				 V_TEXT(e->name), V_TEXT(dtype_name(e->dtype)), V_INT(e->rank),
				 V_TEXT(shape), V_INT(e->bytes), V_INT(e->ordinal));

	free(shape);
	return status;
}

static enum status put_op(struct store *store, const struct run_state *state,
			  const struct row_op *e, int64_t data, int64_t call)
{
	enum op_kind work = e->kind == OP_GRAPH_NODE && e->node ? e->node->work : e->kind;
	bool is_copy = work == OP_COPY && e->from_buffer, is_launch = e->kind == OP_LAUNCH;
	bool has_pattern = work == OP_FILL || work == OP_CAPTURE_BEGIN || work == OP_CAPTURE_RELAX
		|| work == OP_HEAP;
	bool has_bytes = e->buffer || e->softmax || work == OP_HEAP;
	bool has_layer = e->launch && e->launch->layer >= 0;

	return PUT(store, TABLE_OP, V_INT(state->run), V_INT(state->ops), V_INT(e->kind),
		   V_INT_IF(state->step >= 0, state->step), V_INT(e->stream), V_INT(e->ordinal),
		   V_INT(e->code), V_REAL(e->start_us), V_REAL(e->duration_us),
		   V_INT_IF(e->buffer, e->buffer), V_INT_IF(e->buffer, e->offset),
		   V_INT_IF(has_bytes, e->bytes), V_INT_IF(is_copy, e->from_buffer),
		   V_INT_IF(is_copy, e->from_offset), V_INT_IF(has_pattern, e->pattern),
		   V_INT_IF(e->object >= 0, e->object), V_INT_IF(data, data),
		   V_INT_IF(is_launch, e->launch->number), V_INT_IF(call, call),
		   V_INT_IF(has_layer, e->launch->layer));
}

static enum status put_launch(struct store *store, const struct run_state *state,
			      const struct row_launch *e)
{
	int64_t threads = (int64_t)e->block[0] * e->block[1] * e->block[2];

	return PUT(store, TABLE_LAUNCH, V_INT(state->run), V_INT(e->number),
		   V_INT(state->ops), V_INT(threads));
}

/* "[0,2]", or NULL in a capture; the caller frees. */
static char *after_text(const struct row_node *e)
{
	char *text = e->after ? xstrdup("[") : NULL, *longer;

	for (int i = 0; e->after && i <= e->after_count; i++) {
		longer = i < e->after_count
			? xasprintf("%s%s%d", text, i ? "," : "", e->after[i])
			: xasprintf("%s]", text);
		free(text);
		text = longer;
	}
	return text;
}

static enum status put_node(struct store *store, const struct run_state *state,
			    const struct row_op *op)
{
	const struct row_node *e = op->node;
	char *after = after_text(e);
	enum status status = PUT(store, TABLE_NODE, V_INT(state->run), V_INT(state->ops),
				 V_INT(e->graph), V_INT_IF(e->node >= 0, e->node),
				 V_INT_IF(op->kind == OP_GRAPH_NODE, e->work), V_INT(e->own),
				 V_TEXT(after), V_INT_IF(e->launch >= 0, e->launch));

	free(after);
	return status;
}

static enum status put_pointers(struct store *store, const struct run_state *state,
				const struct row_op *e)
{
	for (int i = 0; i < e->pointer_count; i++) {
		const struct row_pointer *p = &e->pointers[i];

		TRY(PUT(store, TABLE_POINTER, V_INT(state->run), V_INT(state->ops), V_INT(i),
			V_INT(p->at), V_INT_IF(p->buffer, p->buffer),
			V_INT_IF(p->buffer, p->offset)));
	}
	return STATUS_OK;
}

static enum status put_softmax(struct store *store, const struct run_state *state,
			       const struct row_op *op)
{
	const struct row_softmax *e = op->softmax;
	int64_t q;

	TRY(pages_put(store, e->q, op->bytes, &q));
	return PUT(store, TABLE_SOFTMAX, V_INT(state->run), V_INT(state->ops),
		   V_INT_IF(e->layer >= 0, e->layer), V_INT(e->heads), V_INT(e->keys),
		   V_INT(e->head_dim), V_F32(e->scale_bits), V_INT(e->k_buffer), V_INT(e->k_offset),
		   V_INT(e->v_buffer), V_INT(e->v_offset), V_INT(e->stride), V_INT(q));
}

static enum status check_launch(const struct store *store, const struct run_state *state,
				const struct row_launch *e)
{
	if (!e)
		return fail(STATUS_INTERNAL, "%s: launch has no kernel", store_shown_path(store));
	if (e->number <= state->last_launch)
		return fail(STATUS_INTERNAL, "%s: expected a launch number above %lld, got %lld",
			    store_shown_path(store), (long long)state->last_launch,
			    (long long)e->number);
	return STATUS_OK;
}

enum status store_op(struct store *store, int64_t run, const struct row_op *e, int64_t *op)
{
	bool is_launch = e->kind == OP_LAUNCH;
	int64_t data = 0, call = 0;
	struct run_state *state;

	TRY(store_run_state(store, run, &state));
	if (is_launch)
		TRY(check_launch(store, state, e->launch));
	if (e->data)
		TRY(pages_put(store, e->data, e->bytes, &data));
	if (e->launch)
		TRY(call_of(store, e->launch, &call));
	TRY(put_op(store, state, e, data, call));
	if (is_launch)
		TRY(put_launch(store, state, e->launch));
	TRY(put_pointers(store, state, e));
	if (e->node)
		TRY(put_node(store, state, e));
	if (e->alloc)
		TRY(put_buffer(store, run, state->ops, e->alloc));
	if (e->softmax)
		TRY(put_softmax(store, state, e));
	if (op)
		*op = state->ops;
	if (is_launch) {
		state->last_launch = e->launch->number;
		store_run_count_launch(state, e);
	}
	state->ops++;
	return STATUS_OK;
}

enum status store_op_failed(struct store *store, int64_t run, int64_t op, int code)
{
	return store_update(store, "UPDATE t_op SET code = ? WHERE run = ? AND op = ?",
			    (const struct value[]){ V_INT(code), V_INT(run), V_INT(op) }, 3);
}

/* --- steps --- */

enum status store_step_begin(struct store *store, int64_t run, int64_t step)
{
	struct run_state *state;

	TRY(store_run_state(store, run, &state));
	TRY(PUT(store, TABLE_STEP, V_INT(run), V_INT(step), V_INT(state->ops), V_NULL));
	state->step = step;
	state->step_first = state->ops;
	return STATUS_OK;
}

enum status store_step_end(struct store *store, int64_t run, int64_t step)
{
	struct run_state *state;

	TRY(store_run_state(store, run, &state));
	state->step = -1;
	return PUT(store, TABLE_STEP, V_INT(run), V_INT(step), V_INT(state->step_first),
		   V_INT(state->ops - 1));
}

enum status store_token(struct store *store, int64_t run, const struct row_token *e)
{
	return PUT(store, TABLE_TOKEN, V_INT(run), V_INT(e->step), V_INT(e->slot),
		   V_INT(e->position), V_INT(e->byte), V_INT(e->prompt),
		   e->prompt ? V_NULL : V_F32(e->logit_bits));
}
