/* diff_ops.c - compares the operations of two runs, one by one, in order.
 *
 * diff_walk.c finds which of them belong together. The first pair with a different kind, kernel or
 * launch number ends the comparison: what follows has no counterpart. Anything else that differs in
 * an operation is reported, and the comparison continues. Names and types of buffers are collected
 * along the way.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/diff/diff_passes.h"
#include "traces/diff/diff_report.h"
#include "traces/diff/diff_value.h"
#include "traces/diff/diff_walk.h"
#include "traces/row.h"

/* An operation of both runs. */
struct pair {
	struct row_op op[2];
	int64_t number[2];
	bool end[2];                    /* this run has no more */
	struct diff_place place;
};

/* --- single values --- */

static void add_text(struct diff *d, const struct pair *p, const char *what, const char *a,
		     const char *b)
{
	struct diff_item item = { .ulp = -1 };

	snprintf(item.what, sizeof item.what, "%s %.70s", op_kind_name(p->op[0].kind), what);
	snprintf(item.a, sizeof item.a, "%.60s", a);
	snprintf(item.b, sizeof item.b, "%.60s", b);
	diff_add(d, &p->place, &item);
}

static void compare_text(struct diff *d, const struct pair *p, const char *what, const char *a,
			 const char *b)
{
	a = a ? a : "";
	b = b ? b : "";
	if (strcmp(a, b) != 0)
		add_text(d, p, what, a, b);
}

static void compare_number(struct diff *d, const struct pair *p, const char *what, int64_t a,
			   int64_t b)
{
	char text_a[32], text_b[32];

	if (a == b)
		return;
	snprintf(text_a, sizeof text_a, "%" PRId64, a);
	snprintf(text_b, sizeof text_b, "%" PRId64, b);
	add_text(d, p, what, text_a, text_b);
}

static void pointer_text(const struct diff *d, char *out, size_t size, uint32_t buffer,
			 uint64_t offset)
{
	if (buffer)
		snprintf(out, size, "%s+%" PRIu64, diff_buffer(d, buffer)->name, offset);
	else
		snprintf(out, size, "null");
}

static void compare_pointer(struct diff *d, const struct pair *p, const char *what,
			    uint32_t buffer_a,
			    uint64_t offset_a, uint32_t buffer_b, uint64_t offset_b)
{
	char a[64], b[64];

	if (buffer_a == buffer_b && offset_a == offset_b)
		return;
	pointer_text(d, a, sizeof a, buffer_a, offset_a);
	pointer_text(d, b, sizeof b, buffer_b, offset_b);
	add_text(d, p, what, a, b);
}

static void compare_pointers(struct diff *d, const struct pair *p, const char *what,
			     const struct row_pointer *a, int count_a,
			     const struct row_pointer *b, int count_b)
{
	compare_number(d, p, "pointers", count_a, count_b);
	for (int i = 0; i < count_a && i < count_b; i++) {
		compare_number(d, p, "position of a pointer", (int64_t)a[i].at, (int64_t)b[i].at);
		compare_pointer(d, p, what, a[i].buffer, a[i].offset, b[i].buffer, b[i].offset);
	}
}

/* --- launches --- */

static void dim3_text(char *out, size_t size, const uint32_t d[3])
{
	snprintf(out, size, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, d[0], d[1], d[2]);
}

static void compare_dim3(struct diff *d, const struct pair *p, const char *what,
			 const uint32_t a[3], const uint32_t b[3])
{
	char text_a[48], text_b[48];

	dim3_text(text_a, sizeof text_a, a);
	dim3_text(text_b, sizeof text_b, b);
	compare_text(d, p, what, text_a, text_b);
}

static void compare_blobs(struct diff *d, const struct pair *p, const struct row_arg *a,
			  const struct row_arg *b)
{
	compare_number(d, p, "bytes of a blob", (int64_t)a->blob_bytes, (int64_t)b->blob_bytes);
	if (a->blob_bytes == b->blob_bytes)
		diff_values(d, &p->place, a->name, DTYPE_U8, a->blob, b->blob, a->blob_bytes, 0);
	compare_pointers(d, p, a->name, a->pointers, a->pointer_count, b->pointers,
			 b->pointer_count);
}

static void scalar_text(char *out, size_t size, const char *kind, uint64_t bits)
{
	if (kind[0] == 'f')
		snprintf(out, size, "0x%" PRIx64, bits);
	else
		snprintf(out, size, "%" PRId64,
			 strcmp(kind, "i32") ? (int64_t)bits : (int32_t)bits);
}

/* A scalar is an exact choice of the host: compared bit by bit, without a tolerance, NaNs too. */
static void compare_arg(struct diff *d, const struct pair *p, const struct row_arg *a,
			const struct row_arg *b)
{
	char bits_a[32], bits_b[32];

	compare_text(d, p, "argument name", a->name, b->name);
	compare_text(d, p, "argument type", a->type, b->type);
	compare_text(d, p, "argument kind", a->kind, b->kind);
	if (strcmp(a->kind, b->kind) != 0)
		return;
	if (!strcmp(a->kind, "pointer")) {
		compare_pointer(d, p, a->name, a->buffer, a->offset, b->buffer, b->offset);
	} else if (!strcmp(a->kind, "blob")) {
		compare_blobs(d, p, a, b);
	} else if (a->bits != b->bits) {
		scalar_text(bits_a, sizeof bits_a, a->kind, a->bits);
		scalar_text(bits_b, sizeof bits_b, b->kind, b->bits);
		add_text(d, p, a->name, bits_a, bits_b);
	}
}

static void compare_launches(struct diff *d, const struct pair *p)
{
	const struct row_launch *a = p->op[0].launch, *b = p->op[1].launch;

	compare_dim3(d, p, "grid", a->grid, b->grid);
	compare_dim3(d, p, "block", a->block, b->block);
	compare_dim3(d, p, "cluster", a->cluster, b->cluster);
	compare_number(d, p, "shared bytes", a->shared_bytes, b->shared_bytes);
	compare_number(d, p, "layer", a->layer, b->layer);
	compare_text(d, p, "attributes", a->attributes, b->attributes);
	compare_number(d, p, "arguments", a->arg_count, b->arg_count);
	for (int i = 0; i < a->arg_count && i < b->arg_count; i++)
		compare_arg(d, p, &a->args[i], &b->args[i]);
}

/* --- nodes --- */

static void after_text(char *out, size_t size, const struct row_node *e)
{
	size_t used = 0;

	*out = '\0';
	for (int i = 0; i < e->after_count && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%d", i ? "," : "",
					 e->after[i]);
}

static void compare_nodes(struct diff *d, const struct pair *p)
{
	const struct row_node *a = p->op[0].node, *b = p->op[1].node;
	char after_a[48], after_b[48];

	compare_number(d, p, "graph", a->graph, b->graph);
	compare_number(d, p, "node", a->node, b->node);
	compare_text(d, p, "work", op_kind_name(a->work), op_kind_name(b->work));
	compare_number(d, p, "own copy", a->own, b->own);
	compare_number(d, p, "first launch", a->launch, b->launch);
	after_text(after_a, sizeof after_a, a);
	after_text(after_b, sizeof after_b, b);
	compare_text(d, p, "earlier nodes", after_a, after_b);
}

/* --- buffers and bytes --- */

static void record_buffer(struct diff *d, const struct row_buffer *alloc)
{
	struct diff_buffer *buffer;

	if (alloc->id >= d->buffer_count) {
		d->buffers = xreallocarray(d->buffers, (size_t)alloc->id + 1, sizeof *d->buffers);
		memset(d->buffers + d->buffer_count, 0,
		       (alloc->id + 1 - d->buffer_count) * sizeof *d->buffers);
		d->buffer_count = alloc->id + 1;
	}
	buffer = &d->buffers[alloc->id];
	snprintf(buffer->name, sizeof buffer->name, "%s", alloc->name);
	buffer->dtype = alloc->dtype;
}

static void compare_allocs(struct diff *d, const struct pair *p)
{
	const struct row_buffer *a = p->op[0].alloc, *b = p->op[1].alloc;

	record_buffer(d, a);
	compare_text(d, p, "name", a->name, b->name);
	compare_text(d, p, "dtype", dtype_name(a->dtype), dtype_name(b->dtype));
	compare_number(d, p, "rank", a->rank, b->rank);
	for (int i = 0; i < a->rank && i < b->rank; i++)
		compare_number(d, p, "shape", a->shape[i], b->shape[i]);
}

/* True if these are caches that differ only in their capacity in keys. */
static bool is_resized_cache(const struct row_buffer *a, const struct row_buffer *b)
{
	bool cache = !strncmp(a->name, "k_cache.", 8) || !strncmp(a->name, "v_cache.", 8);

	return cache && !strcmp(a->name, b->name) && a->dtype == b->dtype && a->rank == 4
	       && b->rank == 4 && a->shape[0] == b->shape[0] && a->shape[1] == b->shape[1]
	       && a->shape[2] != b->shape[2] && a->shape[3] == b->shape[3];
}

/* All caches of a run have one size: it is reported once, for the first of them. */
static void report_resized_cache(struct diff *d, const struct pair *p)
{
	struct diff_item item = { .what = "caches differ", .ulp = -1 };

	record_buffer(d, p->op[0].alloc);
	if (d->resized)
		return;
	d->resized = true;
	snprintf(item.a, sizeof item.a, "%" PRId64, p->op[0].alloc->shape[2]);
	snprintf(item.b, sizeof item.b, "%" PRId64 " keys", p->op[1].alloc->shape[2]);
	diff_add(d, &p->place, &item);
}

/* What went into it; its output is data of the operation. */
static void compare_softmaxes(struct diff *d, const struct pair *p)
{
	const struct row_softmax *a = p->op[0].softmax, *b = p->op[1].softmax;

	compare_number(d, p, "layer", a->layer, b->layer);
	compare_number(d, p, "heads", a->heads, b->heads);
	compare_number(d, p, "keys", a->keys, b->keys);
	compare_number(d, p, "D", a->head_dim, b->head_dim);
	compare_number(d, p, "stride", (int64_t)a->stride, (int64_t)b->stride);
	compare_pointer(d, p, "K", a->k_buffer, a->k_offset, b->k_buffer, b->k_offset);
	compare_pointer(d, p, "V", a->v_buffer, a->v_offset, b->v_buffer, b->v_offset);
	if (a->scale_bits != b->scale_bits)
		diff_values(d, &p->place, "host_softmax scale", DTYPE_F32, &a->scale_bits,
			    &b->scale_bits, sizeof a->scale_bits, -1);
	if (p->op[0].bytes == p->op[1].bytes)
		diff_values(d, &p->place, "host_softmax q", DTYPE_F32, a->q, b->q, p->op[0].bytes,
			    0);
}

static void compare_data(struct diff *d, const struct pair *p)
{
	static const struct diff_buffer computed = { "host_softmax out", DTYPE_F32 };
	const struct row_op *a = &p->op[0], *b = &p->op[1];
	const struct diff_buffer *buffer = a->softmax ? &computed : diff_buffer(d, a->buffer);
	size_t size = dtype_bytes(buffer->dtype);

	/* A lower level does not record the bytes of downloads. */
	if (!a->data || !b->data || a->bytes != b->bytes)
		return;
	d->report->values += (int64_t)(a->bytes / size);
	diff_values(d, &p->place, buffer->name, buffer->dtype, a->data, b->data, a->bytes,
		    (int64_t)(a->offset / size));
}

/* --- the walk --- */

static bool same_work(const struct pair *p)
{
	const struct row_op *a = &p->op[0], *b = &p->op[1];

	if (a->kind != b->kind || !a->launch != !b->launch || !a->node != !b->node)
		return false;
	return !a->launch || (a->launch->number == b->launch->number
			      && !strcmp(a->launch->kernel, b->launch->kernel));
}

static const char *work_name(const struct row_op *op)
{
	return op->launch ? op->launch->kernel : op_kind_name(op->kind);
}

static void compare_pair(struct diff *d, const struct pair *p)
{
	const struct row_op *a = &p->op[0], *b = &p->op[1];

	if (a->alloc && b->alloc && is_resized_cache(a->alloc, b->alloc)) {
		report_resized_cache(d, p);
		return;
	}
	if (a->alloc && b->alloc)
		compare_allocs(d, p);
	compare_number(d, p, "status code", a->code, b->code);
	compare_number(d, p, "stream", a->stream, b->stream);
	compare_pointer(d, p, "buffer", a->buffer, a->offset, b->buffer, b->offset);
	compare_number(d, p, "bytes", (int64_t)a->bytes, (int64_t)b->bytes);
	compare_pointer(d, p, "source", a->from_buffer, a->from_offset, b->from_buffer,
			b->from_offset);
	compare_number(d, p, "pattern", a->pattern, b->pattern);
	compare_number(d, p, "object", a->object, b->object);
	compare_pointers(d, p, "entry", a->pointers, a->pointer_count, b->pointers,
			 b->pointer_count);
	if (a->launch)
		compare_launches(d, p);
	if (a->node)
		compare_nodes(d, p);
	if (a->softmax)
		compare_softmaxes(d, p);
	compare_data(d, p);
}

static void place_pair(struct pair *p)
{
	int64_t number = p->end[0] ? p->number[1] : p->number[0];
	const struct row_op *op = &p->op[p->end[0]];
	char *address = p->place.address;

	p->place = (struct diff_place){ .op = number, .pass = PASS_OP };
	if (op->kind == OP_LAUNCH)
		snprintf(address, sizeof p->place.address, "L%" PRId64, op->launch->number);
	else
		snprintf(address, sizeof p->place.address, "op %" PRId64, number);
}

/* One run has ended, the other has not. */
static void end_early(struct diff *d, const struct pair *p)
{
	int longer = p->end[0];

	if (d->run[!longer].complete) {
		diff_missing(d, &p->place, work_name(&p->op[longer]), longer);
		return;
	}
	d->cut = true;
}

/* Records that the two belong together. */
static void join_pair(struct diff *d, const struct pair *p)
{
	int64_t launch = d->op_count ? d->ops[d->op_count - 1].key[KEY_LAUNCH] : -1;

	if (p->op[0].kind == OP_LAUNCH)
		launch = p->op[0].launch->number;
	if (d->op_count == d->op_capacity) {
		d->op_capacity = d->op_capacity ? 2 * d->op_capacity : 256;
		d->ops = xreallocarray(d->ops, d->op_capacity, sizeof *d->ops);
	}
	d->ops[d->op_count++] = (struct diff_op){ { p->number[0], p->number[1], launch } };
	d->report->operations++;
}

/* Compares the pair; *stop when there is nothing more to compare. */
static void walk_pair(struct diff *d, struct pair *p, bool *stop)
{
	*stop = true;
	if (p->end[0] && p->end[1])
		return;
	place_pair(p);
	if (p->end[0] || p->end[1]) {
		end_early(d, p);
		return;
	}
	if (!same_work(p)) {
		add_text(d, p, "has no counterpart: the runs diverge here", work_name(&p->op[0]),
			 work_name(&p->op[1]));
		return;
	}
	*stop = false;
	compare_pair(d, p);
	join_pair(d, p);
}

static enum status walk(struct diff *d, struct diff_side side[2])
{
	struct pair p;
	bool stop = false;

	while (!stop) {
		for (int i = 0; i < 2; i++)
			TRY(diff_side_next(&side[i], &p.op[i], &p.number[i], &p.end[i]));
		walk_pair(d, &p, &stop);
	}
	return STATUS_OK;
}

enum status diff_ops(struct diff *d)
{
	struct diff_side side[2] = { { 0 } };
	enum status status = diff_side_open(&side[0], d, 0);

	if (status == STATUS_OK)
		status = diff_side_open(&side[1], d, 1);
	if (status == STATUS_OK)
		status = walk(d, side);
	diff_side_close(&side[0]);
	diff_side_close(&side[1]);
	return status;
}
