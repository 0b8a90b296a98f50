/* diff_internal.h - what the parts of the comparison share; nobody else includes it.
 *
 * diff.c decides what is compared and sorts the report; diff_ops.c walks the operations, which
 * diff_walk.c finds; diff_rows.c and diff_points.c join the rows recorded about them; diff_graph.c
 * joins runs with and without graphs; diff_value.c compares bytes as values.
 */
#ifndef DIFF_INTERNAL_H
#define DIFF_INTERNAL_H

#include "base/dtype.h"
#include "traces/diff/diff.h"
#include "traces/store/log_at.h"

/* Where in the report a difference belongs: by operation, and of one operation the finest first. */
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

/* An operation of both runs: its number in each, and that of the last launch up to it, -1: none. */
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
	int64_t left_out[2];            /* operations that only this run was asked to record */

	struct diff_op *ops;            /* [op_count] what was compared, ascending */
	size_t op_count, op_room;
	bool cut;                       /* they end where a killed run did */
	struct diff_buffer *buffers;    /* [buffer_count], by id; names of run a */
	uint32_t buffer_count;
	struct diff_blob blob[2];
	struct diff_names names[2];
	struct diff_skip *skip;         /* of diff_points.c while it reads digests */
	bool resized, prompted;         /* caches, or prompts, that differ were reported */
	int64_t unjudged;               /* digests that differ, where --ulp needs values */

	struct diff_found *found;       /* the first options.keep of each pass */
	int found_count;
	int pass_count[PASS_COUNT];
};

/* A place to report, formatted only when something differs there. */
struct diff_place {
	int64_t op;
	enum diff_pass pass;
	char address[64];
};

/* --- diff.c --- */

/* Counts one difference; keeps it when it is among the first of its pass. `item` has everything but
 * the address. */
void diff_add(struct diff *, const struct diff_place *, const struct diff_item *);
/* "missing in B" for a row that only `side` (0 or 1) has. */
void diff_missing(struct diff *, const struct diff_place *, const char *what, int side);
/* printf into report->notes, as a line of its own. */
void diff_note(struct diff *, const char *format, ...) __attribute__((format(printf, 2, 3)));
const struct diff_buffer *diff_buffer(const struct diff *, uint32_t id);

/* --- diff_value.c --- */

/* Compares `bytes` bytes of two arrays as values of `type`; true when they are equal, a NaN being
 * equal to a NaN and the tolerance applied. One item is kept for the first, as NAME[first + index].
 * With first = -1 there is one value, called NAME. */
bool diff_values(struct diff *, const struct diff_place *, const char *name, enum dtype type,
		 const void *a, const void *b, size_t bytes, int64_t first);
/* The same for f32 bit patterns. */
bool diff_f32(struct diff *, const struct diff_place *, const char *name, uint32_t a, uint32_t b);

/* --- diff_join.c --- */

/* A kind of row. The query takes the run as ?1 and gives the keys first; where it has them, ?2 and
 * ?3 are the least and greatest first key. */
struct diff_join {
	const char *query;
	int keys;
	int64_t least, greatest;
	/* Turns the first key of a row into one that both runs have; false: the row is not
	 * compared. NULL: all are, by their own keys. */
	bool (*common)(const struct diff *, int side, int64_t *key);
	enum status (*both)(struct diff *, sqlite3_stmt *a, sqlite3_stmt *b);
	void (*one)(struct diff *, sqlite3_stmt *, int side);
};

enum status diff_join(struct diff *, const struct diff_join *);
int diff_int(sqlite3_stmt *, int column);
uint32_t diff_bits(sqlite3_stmt *, int column);         /* an f32 column */

/* --- diff_walk.c --- */

/* Steps through the operations of a run that the other one was asked to record too. */
struct diff_side {
	struct diff *diff;
	int which;
	struct store_cursor *cursor;
	sqlite3_stmt *steps;            /* where the position changes; NULL unless narrowed */
	int64_t next_first_op;          /* of the row of `steps` that comes next */
	int64_t step, launch;           /* position: begun last, -1: none yet */
};

enum status diff_side_open(struct diff_side *, struct diff *, int which);
enum status diff_side_next(struct diff_side *, struct row_op *, int64_t *number, bool *end);
void diff_side_close(struct diff_side *);

/* `common` of rows whose first key is an operation, or a launch. */
bool diff_common_op(const struct diff *, int side, int64_t *op);
bool diff_common_launch(const struct diff *, int side, int64_t *launch);
/* The operation of a launch that was compared, as run a numbers it. */
int64_t diff_launch_op(const struct diff *, int64_t launch);

/* --- diff_graph.c --- */

enum status diff_uses_graphs(struct diff *, int side, bool *uses);
/* Of runs of which only one uses graphs: joins their launches, and compares digests. */
enum status diff_graph(struct diff *);

/* --- the passes: diff_ops.c, diff_rows.c, diff_points.c --- */

enum status diff_ops(struct diff *);
enum status diff_digests(struct diff *);
enum status diff_partials(struct diff *);
enum status diff_points(struct diff *);
enum status diff_tokens(struct diff *);

#endif
