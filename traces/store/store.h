/* store.h - the trace file: one SQLite database that is the complete record of one or more runs.
 *
 * The writer (the recorder) stores events and commits; readers (replay, diff, viewer, SQL) open the
 * same file read-only. traces/store/schema.sql has the schema and documents every column; its v_*
 * views are the stable interface. Callers never use the tables; readers may query the views through
 * store_db().
 *
 * Crash safety: the file exists under its final name from the first commit on, with complete = 0;
 * committed data survives a kill at any moment and a full disk. After store_close() it is one file
 * that opens on read-only media. SQLite, disk and format errors are returned as IO or DAMAGED.
 */
#ifndef STORE_H
#define STORE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "traces/level.h"

struct store;
struct row_attention; /* the row_* types are in traces/row.h */
struct row_counters;
struct row_digest;
struct row_finding;
struct row_kernel;
struct row_kv;
struct row_memory;
struct row_model;
struct row_op;
struct row_partial;
struct row_point;
struct row_reduce;
struct row_run;
struct row_token;

struct store_options {
	bool force;             /* replace an existing file, at the first commit */
	bool append;            /* add a run to an existing trace */
	int wait_ms;            /* store_close() waits this long for readers; 0: 30 s */
	/* In memory only, for a run that must not fail because of its trace: nothing is committed
	 * before store_image(). If a write fails, or the trace would exceed max_bytes, it is
	 * dropped: this write and all later ones succeed without effect. */
	bool expendable;
	int64_t max_bytes;      /* 0: no limit */
};

/* --- opening --- */

/* path NULL: a private database in memory. An existing file without force or append is USAGE. */
enum status store_create(const char *path, const struct store_options *, struct store **out);
/* Whether store_create() could create this file, as far as its name says. USAGE or IO if not. */
enum status store_check_absent(const char *path, bool force);
/* Opens a read-only snapshot: what a run writes from now on is not seen, and cannot be committed
 * until this store is closed. DAMAGED, with the file and what was found, if the file is not SQLite,
 * not a trace, of a newer format, or damaged. */
enum status store_open(const char *path, struct store **out);
/* Commits, except a new trace without a run, which leaves no file. NULL is allowed. After a failed
 * write: IO with that write's message; the file, if any, ends at its last commit. The same if
 * another program reads the trace for longer than wait_ms. */
enum status store_close(struct store *);
/* Why an expendable trace was dropped; NULL if it was not. Valid until store_close(). */
const char *store_dropped(struct store *);
/* Commits a trace in memory; *bytes are those of the same trace as a file, to be freed with
 * sqlite3_free(). IO with the reason after it was dropped. */
enum status store_image(struct store *, void **bytes, size_t *count);
/* For SELECTs on the v_* views; owned by the store. A writer's connection changes at its first
 * commit. */
sqlite3 *store_db(struct store *);
/* After a SELECT that failed: DAMAGED, IO or INTERNAL, with the file and what SQLite says. */
enum status store_read_failed(struct store *);

/* Prepares a statement, or reuses a cached one with the same text; return it with store_return()
 * before the store is closed. Returns SQLite's code; on an error *out is NULL, which store_return()
 * accepts. */
int store_borrow(struct store *, const char *sql, sqlite3_stmt **out);
void store_return(struct store *, sqlite3_stmt *);
const char *store_path(const struct store *);   /* NULL: in memory */
const char *store_shown_path(const struct store *);     /* for messages; never NULL */

/* --- writing: runs --- */

enum status store_run_begin(struct store *, const struct row_run *, int64_t *run);
/* Sets complete = 1 and records how the run ended (a status name: "OK", "DEVICE", ...). */
enum status store_run_end(struct store *, int64_t run, const char *ended, const char *message);
enum status store_model(struct store *, int64_t run, const struct row_model *);
enum status store_attention(struct store *, int64_t run, const struct row_attention *);
/* Once per run and kernel, before its first launch. Equal sources are stored once. */
enum status store_kernel(struct store *, int64_t run, const struct row_kernel *);
/* Does nothing while another program reads the trace; a later commit includes the rows. */
enum status store_commit(struct store *);

/* --- writing: events; operations are numbered 0, 1, ... per run, launches by the caller --- */

/* op may be NULL. INTERNAL for a launch whose number is not above the last one's. */
enum status store_op(struct store *, int64_t run, const struct row_op *, int64_t *op);
/* Marks an operation that was stored as a success as failed: its work ran after the call. */
enum status store_op_failed(struct store *, int64_t run, int64_t op, int code);
/* Marks the first and last op of a step, or of a part of it if windows of launches split it. */
enum status store_step_begin(struct store *, int64_t run, int64_t step);
enum status store_step_end(struct store *, int64_t run, int64_t step);
enum status store_token(struct store *, int64_t run, const struct row_token *);
/* after_step: digests of state after the step that contains `op`; else of what `op` wrote. */
enum status store_digests(struct store *, int64_t run, int64_t op, bool after_step,
			  const struct row_digest *, size_t count);
enum status store_partials(struct store *, int64_t run, int64_t launch,
			   const struct row_partial *, size_t count);
enum status store_reduces(struct store *, int64_t run, int64_t launch,
			  const struct row_reduce *, size_t count);
enum status store_kv(struct store *, int64_t run, int64_t op, const struct row_kv *, size_t count);
/* Once per launch, before or after the launch itself. threads: per block. dropped: points that did
 * not fit the probe buffer. */
enum status store_points(struct store *, int64_t run, int64_t launch, int64_t threads,
			 const struct row_point *, size_t count, uint64_t dropped);

/* The accesses of a launch and the lines that its threads reached; once per launch. threads: per
 * block. */
enum status store_memory(struct store *, int64_t run, int64_t launch, int64_t threads,
			 const struct row_memory *);

/* Findings of a run are numbered in the order stored. message: the complete finding as a JSON
 * object. */
enum status store_finding(struct store *, int64_t run, const struct row_finding *,
			  const char *message);

/* What one launch did; once per launch. */
enum status store_counters(struct store *, int64_t run, const struct row_counters *);

/* --- reading --- */

struct store_run {
	int64_t run;
	char device[16], device_name[128], profile[32], driver[64], command[32], path[32];
	char started[32], version[32], compute[16], ended[32];
	char *options;                  /* JSON; owned, freed by store_run_free() */
	int ordinal;
	uint64_t seed;
	enum log_level level;
	char *log_at;                   /* the windows recorded; NULL: all. Also owned */
	char *message;                  /* of the error it ended with; NULL: none. Also owned */
	bool complete;
	int64_t ops, launches, steps;   /* committed */
};
enum status store_run_count(struct store *, int64_t *count);
/* Runs are 1, 2, ...; USAGE when there is no such run. */
enum status store_run_read(struct store *, int64_t run, struct store_run *out);
void store_run_free(struct store_run *);

/* Walks the operations of a run in order. Everything an event points to is owned by the cursor and
 * valid until the next call. op is the stored number. Launch numbers ascend. */
struct store_cursor;
enum status store_ops_open(struct store *, int64_t run, struct store_cursor **out);
enum status store_ops_next(struct store_cursor *, struct row_op *out, int64_t *op, bool *end);
void store_ops_close(struct store_cursor *);

/* For the user's own SQL: values may be as long as SQLite can hold. */
void store_allow_long_values(struct store *);

/* The bytes of a stored blob (ids are the data columns of the views); the caller frees them. */
enum status store_data(struct store *, int64_t data, void **bytes, size_t *count);

#endif
