/* recorder_decode.c - extracts attention data from the launches of a decode step.
 *
 * Uses the role of a kernel in the kernel table and the names of its parameters to find the rows
 * written to a K or V cache, the partial of every chunk, and the steps of every reduction. Values
 * derived from the f32 bits are computed in float64, for display only; they are not compared.
 * Tensors have the layouts stated in the kernels: partials [M, H, max_chunks, D + 2], a cache [M at
 * stride, Hkv, max_len, D]. Attention kernels without partials are skipped. Used by
 * recorder_results.c.
 */
#include "engine/record/recorder_decode.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/record/recorder_kv.h"
#include "engine/record/recorder_state.h"
#include "engine/record/recording.h"
#include "engine/record/shadow.h"
#include "kernels/plan_rule.h"
#include "traces/row.h"
#include "traces/store/store.h"

/* --- arguments by name --- */

/* A value, or `otherwise` if the kernel has no such parameter. */
static int64_t value(const struct recording *n, const char *name, int64_t otherwise)
{
	int index = kernel_param_index(n->launch->kernel, name);

	return index < 0 ? otherwise : n->call.values[index].i;
}

static const struct arg *pointer(const struct recording *n, const char *name)
{
	int index = kernel_param_index(n->launch->kernel, name);

	return index < 0 || !n->launch->args[index].buffer ? NULL : &n->launch->args[index];
}

/* Reads the bytes that a pointer argument points to; the caller frees `*out`. */
static enum status read_argument(const struct recording *n, const struct arg *arg, uint64_t bytes,
				 void **out)
{
	enum status status;

	*out = xmalloc(bytes);
	status = recording_read(n, arg->buffer, arg->offset, *out, bytes);
	if (status != STATUS_OK) {
		free(*out);
		*out = NULL;
	}
	return status;
}

/* --- K and V rows --- */

/* Finds the upload that wrote the row at `offset` of the rows buffer. */
static void find_source(const struct shadow *rows, uint64_t offset, uint64_t bytes,
			struct row_kv *kv)
{
	kv->source_op = -1;
	if (!rows || rows->upload_op < 0 || offset < rows->upload_offset
	    || offset + bytes > rows->upload_offset + rows->upload_bytes)
		return;
	kv->source_op = rows->upload_op;
	kv->source_offset = offset - rows->upload_offset;
}

/* The destination of row y of a scatter. */
struct place {
	int64_t slot;                   /* relative to the slot of the cache argument */
	int32_t position;               /* negative: not written */
};

/* Rows from one slot of a cache to the next; 0 if the kernel's arguments are damaged. */
static int64_t slot_rows(const struct recording *n)
{
	int64_t max_len = value(n, "max_len", 0);

	return max_len > 0 ? n->call.grid.x * max_len : 0;
}

/* Without a stride positions are rows of the whole cache, as with several new rows of a slot. */
static bool has_whole_positions(const struct recording *n)
{
	return value(n, "stride", -1) == 0 && slot_rows(n) > 0;
}

static enum status read_i32s(const struct recording *n, const struct arg *array, int64_t count,
			     struct place *places)
{
	bool whole = has_whole_positions(n);
	int32_t *positions;

	TRY(read_argument(n, array, (uint64_t)count * sizeof *positions, (void **)&positions));
	for (int64_t y = 0; y < count; y++)
		places[y] = whole && positions[y] >= 0
			? (struct place){ positions[y] / slot_rows(n),
					  (int32_t)(positions[y] % slot_rows(n)) }
			: (struct place){ y, positions[y] };
	free(positions);
	return STATUS_OK;
}

/* Finds the destinations of all grid.y rows: one row per slot, with positions in device memory or
 * one position by value; or, with `start`, consecutive rows of one slot. */
static enum status find_places(const struct recording *n, struct place *places)
{
	int64_t count = n->call.grid.y;
	const struct arg *array = pointer(n, "positions");

	if (!array)
		array = pointer(n, "position");
	if (array)
		return read_i32s(n, array, count, places);
	for (int64_t y = 0; y < count; y++)
		places[y] = kernel_param_index(n->launch->kernel, "start") >= 0
			? (struct place){ 0, (int32_t)(value(n, "start", -1) + y) }
			: (struct place){ y, (int32_t)value(n, "position", -1) };
	return STATUS_OK;
}

/* Describes each row and head by one event. Returns the number of events. */
static size_t describe_rows(const struct recording *n, const struct place *places,
			    struct row_kv *kv)
{
	const struct arg *rows = pointer(n, "rows"), *cache = pointer(n, "cache");
	int64_t heads = n->call.grid.x, D = value(n, "D", 0), max_len = value(n, "max_len", 0);
	int64_t stride = has_whole_positions(n) ? slot_rows(n) * D
		: value(n, "stride", heads * max_len * D);
	uint64_t row_bytes = (uint64_t)D * sizeof(float);
	uint64_t element = dtype_bytes(cache->buffer->dtype);
	/* A launch for one sequence gets the address of its slot in the cache. */
	int64_t first = stride > 0 ? (int64_t)(cache->offset / element) / stride : 0;
	size_t count = 0;

	for (int64_t y = 0; y < n->call.grid.y; y++)
		for (int64_t h = 0; h < heads && places[y].position >= 0; h++) {
			uint64_t at = (uint64_t)(places[y].slot * stride
						 + (h * max_len + places[y].position) * D);
			uint64_t from = rows->offset + (uint64_t)(y * heads + h) * row_bytes;

			kv[count] = (struct row_kv){
				.tensor = recorder_kv_tensor(cache->buffer),
				.layer = n->launch->layer,
				.slot = (int)(first + places[y].slot), .kv_head = (int)h,
				.position = places[y].position,
				.buffer = shadow_id(n->recorder, cache->buffer),
				.offset = cache->offset + at * element,
				.bytes = (uint64_t)D * element,
			};
			/* Rounded, if the cache is not of f32. */
			find_source(shadow_find(n->recorder, rows->buffer), from, row_bytes,
				    &kv[count]);
			count++;
		}
	return count;
}

static enum status decode_scatter(const struct recording *n)
{
	struct recorder *r = n->recorder;
	size_t rows = n->call.grid.y, heads = n->call.grid.x;
	struct row_kv *kv;
	struct place *places;
	enum status status;

	if (!pointer(n, "rows") || !pointer(n, "cache"))
		return STATUS_OK;
	places = xcalloc(rows, sizeof *places);
	kv = xcalloc(rows * heads, sizeof *kv);
	status = find_places(n, places);
	if (status == STATUS_OK)
		status = store_kv(r->store, r->run, n->op, kv, describe_rows(n, places, kv));
	free(places);
	free(kv);
	return status;
}

/* --- partials --- */

/* The partials of a launch, and the sequence lengths, which tell which chunks have keys. */
struct partials {
	int64_t slots, heads, chunks, D;
	int64_t C;                      /* 0: each sequence is split by its own length */
	float *values;                  /* [slots, heads, chunks, D + 2] */
	int64_t window, sinks;          /* 0: all keys are seen */
	int32_t *seq_lens;              /* [slots] */
};

static const float *partial_at(const struct partials *p, int64_t slot, int64_t head, int64_t chunk)
{
	return p->values + ((slot * p->heads + head) * p->chunks + chunk) * (p->D + 2);
}

/* The keys that a sequence attends to. */
static int64_t key_count(const struct partials *p, int64_t slot)
{
	int64_t keys = p->seq_lens[slot] > 0 ? p->seq_lens[slot] : 0;

	return keys - SPLIT_GAP(keys, p->window, p->sinks);
}

static int64_t chunk_keys(const struct partials *p, int64_t slot)
{
	return p->C > 0 ? p->C : SPLIT_KEYS(key_count(p, slot));
}

/* Chunks that hold keys. */
static int64_t used_chunks(const struct partials *p, int64_t slot)
{
	int64_t C = chunk_keys(p, slot), used = (key_count(p, slot) + C - 1) / C;

	return used < p->chunks ? used : p->chunks;
}

static void partials_free(struct partials *p)
{
	free(p->values);
	free(p->seq_lens);
}

/* Sets the lengths from the units of a plan (kernels/split_plan.cuh) of `values` values for
 * `blocks` blocks. */
static void lengths_from_plan(struct partials *p, const int32_t *plan, int64_t values,
			      int64_t blocks, int64_t kv_heads)
{
	int64_t units = values > PLAN_HEADS(blocks) ? plan[blocks * PLAN_HEAD] : 0;

	p->seq_lens = xcalloc((size_t)p->slots, sizeof *p->seq_lens);
	for (int64_t u = 0; u < units && PLAN_HEADS(blocks) + (u + 1) * PLAN_UNIT <= values; u++) {
		const int32_t *unit = plan + PLAN_HEADS(blocks) + u * PLAN_UNIT;
		int64_t slot = kv_heads > 0 ? unit[0] / kv_heads : 0;

		if (slot >= 0 && slot < p->slots && unit[3] > p->seq_lens[slot])
			p->seq_lens[slot] = unit[3];
	}
}

static enum status read_plan(const struct recording *n, const struct arg *plan,
			     struct partials *p)
{
	uint64_t bytes = plan->buffer->bytes - plan->offset;
	void *values;

	TRY(read_argument(n, plan, bytes, &values));
	lengths_from_plan(p, values, (int64_t)(bytes / sizeof(int32_t)), n->call.grid.x,
			  value(n, "Hkv", p->heads));
	free(values);
	return STATUS_OK;
}

/* The dimensions must be set. *found is false if the kernel does not have the parameters. */
static enum status partials_read(const struct recording *n, struct partials *p,
				 bool *found)
{
	const struct arg *values = pointer(n, "partials"), *seq_lens = pointer(n, "seq_lens");
	const struct arg *plan = pointer(n, "plan");
	uint64_t count = (uint64_t)(p->slots * p->heads * p->chunks * (p->D + 2));

	p->window = value(n, "window", 0);
	p->sinks = value(n, "sinks", 0);
	*found = values && (seq_lens || plan) && p->D > 0 && p->C >= 0 && count > 0;
	if (!*found)
		return STATUS_OK;
	TRY(read_argument(n, values, count * sizeof *p->values, (void **)&p->values));
	if (!seq_lens)
		return read_plan(n, plan, p);
	return read_argument(n, seq_lens, (uint64_t)p->slots * sizeof *p->seq_lens,
			     (void **)&p->seq_lens);
}

static uint32_t float_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof bits);
	return bits;
}

/* exp(max - row_max) as the kernels define it: equal maxima give 1, even if infinite. */
static double exp_below(double max, double row_max)
{
	return max == row_max ? 1.0 : exp(max - row_max);
}

/* The largest maximum of a row's used chunks. Ignores NaN, like fmaxf(). */
static double find_row_max(const struct partials *p, int64_t slot, int64_t head)
{
	double row_max = -INFINITY;

	for (int64_t c = 0; c < used_chunks(p, slot); c++)
		row_max = fmax(row_max, partial_at(p, slot, head, c)[p->D]);
	return row_max;
}

/* Fills the partials of one row and, from all of them, each one's share of the softmax. */
static void describe_row(const struct partials *p, int64_t slot, int64_t head, int64_t kv_head,
			 struct row_partial *out)
{
	double row_max = find_row_max(p, slot, head), total = 0.0;
	int64_t keys = key_count(p, slot), C = chunk_keys(p, slot);

	for (int64_t c = 0; c < p->chunks; c++) {
		const float *partial = partial_at(p, slot, head, c);
		bool used = c < used_chunks(p, slot);
		double sum = partial[p->D + 1];
		double share = used ? exp_below(partial[p->D], row_max) * sum : 0.0;

		out[c] = (struct row_partial){
			.slot = (int)slot, .head = (int)head, .kv_head = (int)kv_head,
			.chunk = (int)c,
			.key_begin = c * C,
			.key_end = (c + 1) * C < keys ? (c + 1) * C : keys,
			.max_bits = float_bits(partial[p->D]),
			.sum_bits = float_bits(partial[p->D + 1]),
			.lse = used ? partial[p->D] + log(sum) : NAN, .share = share,
			.acc = used ? partial : NULL,
			.acc_bytes = used ? (size_t)p->D * sizeof *partial : 0,
		};
		total += share;
	}
	for (int64_t c = 0; c < p->chunks; c++)
		if (out[c].share != 0.0)
			out[c].share /= total;
}

/* With a plan, a grid says nothing of sequences, and with clusters nothing of splits; the size of
 * the partials does. */
static void size_by_partials(const struct recording *n, struct partials *p)
{
	const struct arg *partials = pointer(n, "partials");
	uint64_t row = (uint64_t)(p->D > 0 && p->heads > 0 ? p->heads * (p->D + 2) : 0)
		* SPLITS * sizeof(float);

	p->chunks = SPLITS;
	p->slots = partials && row > 0
		? (int64_t)((partials->buffer->bytes - partials->offset) / row) : 0;
}

static enum status decode_chunk(const struct recording *n)
{
	struct recorder *r = n->recorder;
	struct partials p = {
		.slots = n->call.grid.y, .heads = value(n, "H", n->call.grid.x),
		.chunks = n->call.grid.z,
		.D = value(n, "D", 0), .C = value(n, "C", 0),
	};
	int64_t kv_heads = value(n, "Hkv", p.heads);
	struct row_partial *rows = NULL;
	enum status status;
	bool found;

	if (pointer(n, "plan") || n->launch->cluster.z > 1)
		size_by_partials(n, &p);
	status = partials_read(n, &p, &found);
	if (status == STATUS_OK && found) {
		size_t count = (size_t)(p.slots * p.heads * p.chunks);

		rows = xcalloc(count, sizeof *rows);
		for (int64_t m = 0; m < p.slots; m++)
			for (int64_t h = 0; h < p.heads; h++)
				describe_row(&p, m, h, h * kv_heads / p.heads,
					     rows + (m * p.heads + h) * p.chunks);
		status = store_partials(r->store, r->run, n->number, rows, count);
	}
	free(rows);
	partials_free(&p);
	return status;
}

/* --- reductions --- */

static size_t reduce_row(const struct partials *p, int64_t slot, int64_t head,
			 struct row_reduce *out)
{
	double row_max = find_row_max(p, slot, head), sum = 0.0;
	int64_t chunks = used_chunks(p, slot);

	for (int64_t c = 0; c < chunks; c++) {
		const float *partial = partial_at(p, slot, head, c);
		double factor = exp_below(partial[p->D], row_max);

		sum += factor * partial[p->D + 1];
		out[c] = (struct row_reduce){
			.slot = (int)slot, .head = (int)head, .chunk = (int)c, .order = (int)c,
			.factor = factor, .sum = sum,
		};
	}
	return (size_t)chunks;
}

static enum status decode_reduce(const struct recording *n)
{
	struct recorder *r = n->recorder;
	struct partials p = {
		.slots = n->call.grid.y, .heads = n->call.grid.x,
		.chunks = value(n, "max_chunks", SPLITS),
		.D = value(n, "D", 0), .C = value(n, "C", 0),
	};
	struct row_reduce *rows = NULL;
	enum status status;
	size_t count = 0;
	bool found;

	status = partials_read(n, &p, &found);
	if (status == STATUS_OK && found) {
		rows = xcalloc((size_t)(p.slots * p.heads * p.chunks), sizeof *rows);
		for (int64_t m = 0; m < p.slots; m++)
			for (int64_t h = 0; h < p.heads; h++)
				count += reduce_row(&p, m, h, rows + count);
		status = store_reduces(r->store, r->run, n->number, rows, count);
	}
	free(rows);
	partials_free(&p);
	return status;
}

enum status recorder_decode(const struct recording *n)
{
	const struct kernel *kernel = n->launch->kernel;
	struct recorder *r = n->recorder;
	enum status status = STATUS_OK;

	if (kernel->role == ROLE_SCATTER)
		status = decode_scatter(n);
	else if (kernel->role == ROLE_CHUNK && r->level >= LEVEL_PARTIALS)
		status = decode_chunk(n);
	else if (kernel->role == ROLE_REDUCE && r->level >= LEVEL_PARTIALS)
		status = decode_reduce(n);
	if (status != STATUS_OK)
		return fail_context(status, "L%" PRId64 " %s", n->number, kernel->name);
	return STATUS_OK;
}
