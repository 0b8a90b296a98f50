/* diff_internal.h - what the parts of the comparison share; nobody else includes it.
 *
 * diff.c decides what is compared and sorts the report; diff_ops.c walks the operations;
 * diff_rows.c and diff_points.c join the rows recorded about them; diff_value.c compares bytes as
 * values.
 */
#ifndef DIFF_INTERNAL_H
#define DIFF_INTERNAL_H

#include "traces/diff.h"

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

	/* Rows of operations from here on have no counterpart and are not compared. */
	int64_t op_limit, launch_limit;
	bool cut;                       /* the limit is where a killed run ended */
	int64_t *launch_ops;            /* [launch_limit] operation of each launch */
	struct diff_buffer *buffers;    /* [buffer_count], by id; names of run a */
	uint32_t buffer_count;
	struct diff_blob blob[2];
	struct diff_names names[2];
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
/* DAMAGED or IO, with SQLite's message. */
enum status diff_sql_failed(struct store *);

/* --- diff_value.c --- */

/* Compares `bytes` bytes of two arrays as values of `type`; true when they are equal, a NaN being
 * equal to a NaN and the tolerance applied. One item is kept for the first, as NAME[first + index].
 * With first = -1 there is one value, called NAME. */
bool diff_values(struct diff *, const struct diff_place *, const char *name, enum dtype type,
		 const void *a, const void *b, size_t bytes, int64_t first);
/* The same for f32 bit patterns. */
bool diff_f32(struct diff *, const struct diff_place *, const char *name, uint32_t a, uint32_t b);

/* --- diff_join.c --- */

/* A kind of row. The query takes the run as ?1 and a limit as ?2 and gives the keys first. */
struct diff_join {
	const char *query;
	int keys;
	int64_t limit;
	enum status (*both)(struct diff *, sqlite3_stmt *a, sqlite3_stmt *b);
	void (*one)(struct diff *, sqlite3_stmt *, int side);
};

enum status diff_join(struct diff *, const struct diff_join *);
int diff_int(sqlite3_stmt *, int column);
uint32_t diff_bits(sqlite3_stmt *, int column);         /* an f32 column */
int64_t diff_launch_op(const struct diff *, int64_t launch);

/* --- the passes: diff_ops.c, diff_rows.c, diff_points.c --- */

enum status diff_ops(struct diff *);
enum status diff_digests(struct diff *);
enum status diff_partials(struct diff *);
enum status diff_points(struct diff *);
enum status diff_tokens(struct diff *);

#endif
