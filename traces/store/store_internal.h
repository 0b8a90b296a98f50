/* store_internal.h - what the files of the trace store share and nobody else sees.
 *
 * store.c opens, publishes, commits and closes; store_write.c and store_rows.c turn events into
 * rows; store_read.c and store_runs.c turn rows back, store_track.c says what these may name;
 * store_check.c judges files; pages.c keeps bytes. All rows go through store_put().
 */
#ifndef STORE_INTERNAL_H
#define STORE_INTERNAL_H

#include "base/hash_map.h"
#include "traces/store/store.h"

/* X(name, table, how rows go in). A page is written again while it fills. */
#define TABLE_LIST(X) \
	X(PAGE, "t_page", "REPLACE") X(PIECE, "t_piece", "INSERT") X(BLOB, "t_blob", "INSERT") \
	X(RUN, "t_run", "INSERT") X(MODEL, "t_model", "INSERT") X(TEXT, "t_text", "INSERT") \
	X(KERNEL, "t_kernel", "INSERT") X(SOURCE, "t_source", "INSERT") \
	X(OP_KIND, "t_op_kind", "INSERT") \
	X(CALL, "t_call", "INSERT") X(ARG, "t_arg", "INSERT") \
	X(ARG_POINTER, "t_arg_pointer", "INSERT") X(OP, "t_op", "INSERT") \
	X(LAUNCH, "t_launch", "INSERT") X(NODE, "t_node", "INSERT") \
	X(POINTER, "t_pointer", "INSERT") X(BUFFER, "t_buffer", "INSERT") X(STEP, "t_step", "INSERT") \
	X(TOKEN, "t_token", "INSERT") X(DIGEST, "t_digest", "INSERT") \
	X(PARTIAL, "t_partial", "INSERT") X(REDUCE, "t_reduce", "INSERT") \
	X(KV, "t_kv", "INSERT") X(POINT, "t_point", "INSERT") \
	X(POINT_SUM, "t_point_sum", "INSERT") \
	X(POINT_NAME, "t_point_name", "INSERT") X(PROBE, "t_probe", "INSERT") \
	X(FINDING, "t_finding", "INSERT") X(COUNTER, "t_counter", "INSERT") \
	X(HIT, "t_hit", "INSERT")

enum table {
#define X(name, table, verb) TABLE_##name,
	TABLE_LIST(X)
#undef X
	TABLE_COUNT
};

/* Statements of pages.c that are kept. */
enum store_read { READ_PAGE, READ_PIECE, READ_BLOB, STORE_READ_COUNT };

struct pages;
struct track;

/* A run being written. */
struct run_state {
	int64_t run, ops;
	int64_t last_launch;            /* its number; -1: none yet */
	int64_t step, step_first;       /* and its first operation; step -1: outside of steps */
	int64_t digest_op;              /* of the last digests, and their next entry */
	bool digest_after_step;
	int64_t digest_entry;
};

/* Bytes of the last digests that were kept: accumulators of partials are found in them again. */
struct kept {
	int64_t run, op, data;
	unsigned char *bytes;
	size_t count;
};

/* Statements that are lent to nobody, the one returned last first. */
#define KEPT_STATEMENTS 128
struct kept_statements {
	struct {
		uint64_t hash;          /* of its text */
		sqlite3_stmt *statement;
	} list[KEPT_STATEMENTS];
	int count;
};

struct store {
	char *path;                     /* the final name; NULL: in memory */
	char *temporary;                /* its name until the first commit, else NULL */
	char *temporary_journal;        /* what SQLite calls the journal of that */
	sqlite3 *db;
	bool force;                     /* the first commit may replace a file */
	bool writing;
	bool in_transaction;
	int wait_ms;                    /* of the last commit, for readers */
	char *broken;                   /* message of the write that failed; then no more */
	struct pages *pages;
	sqlite3_stmt *inserts[TABLE_COUNT];     /* prepared on first use */
	sqlite3_stmt *reads[STORE_READ_COUNT];  /* so are these */
	struct kept_statements statements;
	bool walks_kv;                  /* this connection has w_kv */
	struct run_state *runs;
	int run_count;
	struct hash_map calls;          /* content of a call -> t_call.call */
	char **point_names;             /* [i] is t_point_name.name i + 1 */
	int point_name_count;
	struct kept kept;
};

/* --- values of a row --- */

struct value {
	enum { VALUE_NULL, VALUE_INT, VALUE_REAL, VALUE_STRING, VALUE_BYTES } type;
	union {
		int64_t integer;
		double real;
		const char *text;
		struct {
			const void *start;
			size_t count;
		} bytes;
	};
};

#define V_NULL     ((struct value){ .type = VALUE_NULL })
#define V_INT(x)   ((struct value){ .type = VALUE_INT, .integer = (int64_t)(x) })
#define V_REAL(x)  ((struct value){ .type = VALUE_REAL, .real = (x) })          /* NaN: NULL */
#define V_TEXT(x)  ((struct value){ .type = VALUE_STRING, .text = (x) })        /* NULL: NULL */
#define V_BYTES(p, n) ((struct value){ .type = VALUE_BYTES, .bytes = { (p), (n) } })
/* An f32 as its bits, signed so that it takes four bytes. */
#define V_F32(x)   V_INT((int32_t)(x))
/* A number, unless the condition says that there is none. */
#define V_INT_IF(condition, x) ((condition) ? V_INT(x) : V_NULL)

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define PUT(store, table, ...) \
	store_put(store, table, (const struct value[]){ __VA_ARGS__ }, \
		  COUNT_OF(((const struct value[]){ __VA_ARGS__ })))

/* --- store_sql.c --- */

/* path NULL: in memory. flags as for sqlite3_open_v2(). On an error store->db may be set;
 * store_disconnect() takes any. */
enum status store_connect(struct store *, const char *path, int flags);
void store_disconnect(struct store *);
/* Rollback journal, no fsync: a kill loses nothing that was committed, a power cut may. */
enum status store_tune_writer(struct store *);
/* Starts a transaction unless one is open. */
enum status store_begin(struct store *);
enum status store_run_sql(struct store *, const char *sql);
/* Inserts a row, in a transaction that the next commit ends. */
enum status store_put(struct store *, enum table, const struct value *values, size_t count);
/* Runs one UPDATE with its parameters. */
enum status store_update(struct store *, const char *sql, const struct value *values, size_t count);
/* Prepares a SELECT and binds integers to its parameters; the caller finalizes. */
enum status store_select(struct store *, sqlite3_stmt **out, const char *sql,
			 const int64_t *parameters, int count);
/* The one integer a SELECT gives; `otherwise` when it gives no row or NULL. */
enum status store_integer(struct store *, const char *sql, const int64_t *parameters, int count,
			  int64_t otherwise, int64_t *out);
/* SQLite's last error as IO, DAMAGED or INTERNAL, with the file's name. */
enum status store_failed(struct store *, const char *doing);
/* INTERNAL when the store was opened for reading, IO when an earlier write failed. */
enum status store_check_writing(struct store *);
/* Ends all writing with the current error, and returns `status`. */
enum status store_break_off(struct store *, enum status status);
/* How long statements wait from now on for another program's lock. */
void store_wait(struct store *, int milliseconds);
#define STORE_WAIT_MS 10000             /* unless something else is said */

/* --- store_kept.c --- */

/* Finalizes those that are kept. */
void store_drop_statements(struct store *);

/* --- store_check.c --- */

/* Says more plainly, if it can, why a file was refused with `status`: it is not there, empty, no
 * SQLite file, truncated. Only then: closing a file ends the locks that this process has on it. */
enum status store_explain(const char *path, enum status status);
/* Whether the open database is a trace of this format: application, version, schema. The caller
 * has begun a transaction, so that all of them are of one moment. A trace of an earlier format gets
 * what it lacks: empty, for this connection only, or for good when it is open for writing. */
enum status store_check_format(struct store *);

/* --- store_write.c --- */

/* The columns of t_kernel_count; a GROUP BY run, kernel is to follow. */
#define STORE_COUNT_KERNELS \
	"SELECT run, kernel, count(*) AS launches, min(launch) AS first, max(launch) AS last," \
	" max(grid_x) AS grid_x, max(grid_y) AS grid_y, max(grid_z) AS grid_z," \
	" avg(duration_us) AS duration_us FROM main.v_launch"

/* INTERNAL when this store did not begin the run. */
enum status store_run_state(struct store *, int64_t run, struct run_state **out);

/* --- store_track.c --- */

struct track *track_new(void);
void track_free(struct track *);        /* NULL is fine */
/* Takes the next operation of a run. Says what it names that is not there or cannot be, good until
 * the next call; NULL when nothing is wrong. */
const char *track_op(struct track *, const struct row_op *);

/* --- pages.c --- */

struct pages *pages_new(void);
void pages_free(struct pages *);
/* Learns what an existing file holds already, for a run that is added to it. */
enum status pages_load(struct store *);
/* Stores bytes; equal bytes get an equal id. */
enum status pages_put(struct store *, const void *bytes, size_t count, int64_t *data);
/* Writes out what is not in the file yet. last: no more will come, so compress well. */
enum status pages_flush(struct store *, bool last);
enum status pages_read(struct store *, int64_t data, void **bytes, size_t *count);

/* --- embedded by the build (embed_text.sh) --- */

extern const char schema_sql[];

#endif
