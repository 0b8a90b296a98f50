/* diff_state.h - the state of a comparison of two runs; private to traces/diff/.
 *
 * diff.c decides what is compared. diff_ops.c compares the operations, which diff_walk.c finds;
 * diff_rows.c, diff_points.c and diff_accesses.c join the rows recorded about them (diff_join.c);
 * diff_graph.c joins runs with and without graphs. diff_value.c compares bytes as values,
 * diff_report.c collects the differences.
 */
#ifndef DIFF_STATE_H
#define DIFF_STATE_H

#include "base/dtype.h"
#include "traces/diff/diff.h"
#include "traces/store/log_at.h"
#include "traces/store/store.h"

/* The order of differences in the report: by operation, then by pass, the finest first. */
enum diff_pass { PASS_OP, PASS_POINT, PASS_PARTIAL, PASS_DIGEST, PASS_TOKEN, PASS_COUNT };

struct diff_found {
	struct diff_item item;
	int64_t op;
	enum diff_pass pass;
};

struct diff_buffer {
	char name[48];
	enum dtype dtype;
};

/* An operation of both runs: its number in each, and the number of the last launch up to it (-1:
 * none). */
enum diff_key { KEY_OP_A, KEY_OP_B, KEY_LAUNCH, KEY_COUNT };
struct diff_op {
	int64_t key[KEY_COUNT];
};

struct diff_blob {                      /* stored bytes, kept while rows refer to them */
	int64_t data;
	void *bytes;
	size_t count;
};

struct diff_names {                     /* of points that occur in a run */
	char **items;
	int count;
};

struct diff {
	struct store *store[2];
	struct store_run run[2];
	struct diff_options options;
	struct diff_report *report;

	/* The runs were recorded in different windows: what one left out is not compared. */
	bool narrowed;
	struct log_at log_at[2];
	int64_t left_out[2];            /* operations that only this run had to record */

	struct diff_op *ops;            /* [op_count] what was compared, ascending */
	size_t op_count, op_capacity;
	bool cut;                       /* `ops` end where a killed run did */
	struct diff_buffer *buffers;    /* [buffer_count], by id; names of run a */
	uint32_t buffer_count;
	struct diff_blob blob[2];
	struct diff_names names[2];
	struct point_text *point_text;  /* of diff_points.c */
	struct diff_names lacking;      /* what it leaves out by it: "softmax of KERNEL" */
	bool by_sum;                    /* a sum covers what equal digests let this pass skip */
	struct diff_skip *skip;         /* of diff_points.c while it reads digests */
	bool resized, prompted;         /* a difference of caches, or prompts, was reported */
	int64_t digests_only;           /* digests that differ, without values for --ulp */

	struct diff_found *found;       /* the first options.keep of each pass */
	int found_count;
	int pass_count[PASS_COUNT];
};

#endif
