/* diff.h - compares two recorded runs, of the same trace or of two.
 *
 * Runs are joined on what identifies a row (operation number, buffer, chunk, block, thread,
 * sequence), never on time, by merging ordered cursors; a row missing on one side is a difference.
 * A NaN equals a NaN. What one side did not record (a lower level, fewer point names) is not
 * compared, and the report has a note; nor are points that the kernel of one side does not have
 * yet, which the report lists. Derived float64 values (lse, shares, factors) are not compared, but
 * the bits they come from are. Used by `flashtwin diff`, `flashtwin replay` and `--device both`.
 */
#ifndef DIFF_H
#define DIFF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "traces/level.h"

struct diff_varying;
struct store;

struct diff_options {
	int64_t run_a, run_b;
	uint32_t ulp;                   /* floats up to this far apart count as equal */
	int keep;                       /* differences to keep in the report; 0: DIFF_KEEP */
	bool replayed;                  /* b is a replay of a: it has no tokens */
	struct diff_varying *collect;   /* receives the places that differ; NULL: not wanted */
	const struct diff_varying *leave_out;   /* places that are not compared; NULL: none */
};
#define DIFF_KEEP 20

struct diff_item {
	char address[64];               /* "L12.b3.w0.l7.p2", "L12.end", "op 17", "step 4" */
	char what[96];                  /* "score v1", "out[17]", "kernel", "missing in B" */
	char a[64], b[64];              /* the two values as text; "" when there is none */
	uint64_t bits;                  /* that differ; 0: bytes are not known */
	int64_t ulp;                    /* distance, -1: not floats, or one is NaN or infinite */
};

struct diff_report {
	enum log_level level;           /* compared at: the lower of the two */
	int64_t operations, buffers, values, partials, points, accesses, tokens;  /* compared */
	int64_t differences;            /* rows or values that differ, missing ones too */
	uint64_t bits;                  /* that differ where both sides have bytes; a value that was
					   recorded twice (output and download) counts twice */
	/* Compared by their digests alone, because verified sums cover their rows. */
	int64_t buffers_by_sum, points_by_sum;
	int64_t digests;                /* buffers that differ by digest alone */
	int64_t varying, varying_digests;       /* left out: values, and buffers by digest */
	int64_t within_ulp;             /* floats that differ by no more than options.ulp */
	int64_t max_ulp;
	char *notes;                    /* "compared at level launch: ...", lines; or NULL */
	/* Points not compared because the kernel of one run is older and does not publish them:
	 * "softmax of attention_prefill, ..."; NULL: none. */
	char *points_lacking;
	struct diff_item *items;        /* the first ones, in the order of the run */
	int item_count;
};

/* STATUS_OK also if the runs differ: see report->differences. USAGE if a run does not exist; IO or
 * DAMAGED from the stores. Free the report in any case. */
enum status diff_runs(struct store *a, struct store *b, const struct diff_options *,
		      struct diff_report *report);
void diff_report_free(struct diff_report *);

/* Prints the kept differences, one line each, and a last line if there are more. */
void diff_print_items(FILE *, const struct diff_report *);

#endif
