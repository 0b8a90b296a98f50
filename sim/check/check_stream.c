/* check_stream.c - findings between operations: races of streams, stale arguments, captures.
 *
 * Two operations race if nothing orders them and one writes bytes that the other touches. The sides
 * of such findings are operations, with a thread and line if the operation is a launch. check_op.c
 * keeps the operations and their order.
 */
#include "config.h"

#include "sim/check/check_stream.h"

#include <stdio.h>

#include "sim/check/check_find.h"
#include "sim/check/check_state.h"

static void name_side(struct check_side *side, const char *what, int stream)
{
	if (stream == 0)
		snprintf(side->operation, sizeof side->operation, "%s on the default stream", what);
	else
		snprintf(side->operation, sizeof side->operation, "%s on stream %d", what, stream);
}

static struct check_side side_of(const struct check *check, const struct check_op *op,
				 const struct touched *touched, bool write)
{
	struct check_side side = { .what = write ? "write" : "read", .block = -1 };
	uint32_t segment = (uint32_t)(touched->record >> 32);
	const struct check_slice *slice = &check->slices[segment >> LANES_SHIFT];

	name_side(&side, op->what, op->stream);
	if (!op->launch.code)
		return side;
	if (touched->record & RECORD_ATOMIC)
		side.what = "atomic";
	side.launch = op->launch;
	side.pc = op->origin + (touched->record & RECORD_PLACE);
	side.block = slice->block;
	side.thread = slice->warp * WARP_LANES + (segment & (WARP_LANES - 1));
	side.epoch = slice->epoch;
	return side;
}

struct overlap {
	const struct touched *a, *b;    /* the first pair that overlaps; NULL: none */
	uintptr_t at;
	size_t bytes;                   /* total of all overlaps */
};

/* Both lists must be in order of address. */
static struct overlap find_overlap(const struct touched_list *a, const struct touched_list *b)
{
	struct overlap met = { 0 };

	for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
		const struct touched *x = &a->items[i], *y = &b->items[k];
		uintptr_t from = x->from > y->from ? x->from : y->from;
		uintptr_t to = x->to < y->to ? x->to : y->to;

		if (from < to && !(x->record & y->record & RECORD_ATOMIC)) {
			if (!met.a)
				met = (struct overlap){ x, y, from, 0 };
			met.bytes += to - from;
		}
		if (x->to <= y->to)
			i++;
		else
			k++;
	}
	return met;
}

/* One side of a pair: an operation, and what it wrote or read. */
struct part {
	const struct check_op *op;
	const struct touched_list *list;
	bool writes;
};

static struct part writes_of(const struct check_op *op)
{
	return (struct part){ op, &op->writes, true };
}

static struct part reads_of(const struct check_op *op)
{
	return (struct part){ op, &op->reads, false };
}

/* The side that is a launch comes first: the finding belongs to it. */
static void report_race(struct check *check, enum finding_class class, struct part a, struct part b)
{
	const struct overlap met = find_overlap(a.list, b.list);
	struct check_report report = { .class = class, .address = met.at, .bytes = met.bytes };
	bool turn = !a.op->launch.code && b.op->launch.code;

	if (!met.a)
		return;
	*(turn ? &report.other : &report.side) = side_of(check, a.op, met.a, a.writes);
	*(turn ? &report.side : &report.other) = side_of(check, b.op, met.b, b.writes);
	if (met.at - check->hot.base >= check->hot.span)
		snprintf(report.detail, sizeof report.detail, "%zu bytes of the host's memory",
			 met.bytes);
	check_report(check, &report);
}

void check_op_judge(struct check *check, const struct check_op *op)
{
	const struct check_ops *ops = &check->ops;

	for (size_t i = 0; i < ops->count; i++) {
		const struct check_op *other = &ops->items[i];

		if (other == op || other->state != OP_KNOWN || !operation_unordered(op, other))
			continue;
		report_race(check, CLASS_RACE_STREAM, writes_of(op), writes_of(other));
		report_race(check, CLASS_RACE_STREAM, writes_of(op), reads_of(other));
		report_race(check, CLASS_RACE_STREAM, reads_of(op), writes_of(other));
	}
}

void check_op_judge_early(struct check *check, const struct check_op *op,
			  const struct check_op *other)
{
	const struct part writes = { op, &op->early_writes, true };
	const struct part reads = { op, &op->early_reads, false };

	report_race(check, CLASS_RACE_LAUNCH, writes, writes_of(other));
	report_race(check, CLASS_RACE_LAUNCH, writes, reads_of(other));
	report_race(check, CLASS_RACE_LAUNCH, reads, writes_of(other));
}

/* --- graphs and captures --- */

void check_stale(struct check *check, const char *kernel, const char *param, int node, int stream,
		 const char *values)
{
	struct check_report report = {
		.class = CLASS_STALE_GRAPH_ARG, .side = NO_SIDE, .other = NO_SIDE,
	};
	char what[64];

	report.side.what = "launch of a graph";
	snprintf(what, sizeof what, "%s, node %d,", kernel, node);
	name_side(&report.side, what, stream);
	snprintf(report.detail, sizeof report.detail, "argument %s %s", param, values);
	check_report(check, &report);
}

void check_forbidden(struct check *check, const char *operation, const char *mode, int stream,
		     const char *text)
{
	struct check_report report = {
		.class = CLASS_CAPTURE_FORBIDDEN, .side = NO_SIDE, .other = NO_SIDE,
	};
	char what[64];

	report.side.what = "refused";
	snprintf(report.side.operation, sizeof report.side.operation, "%s", operation);
	report.other.what = "capture";
	snprintf(what, sizeof what, "%s mode, begun", mode);
	name_side(&report.other, what, stream);
	snprintf(report.detail, sizeof report.detail, "%s", text);
	check_report(check, &report);
}
