/* store_internal.h - the private declarations of the trace store.
 *
 * store.c opens, publishes, commits and closes; store_run.c, store_write.c and store_rows.c turn
 * events into rows, which bulk.c keeps for a trace in memory; store_read.c and store_runs.c turn
 * rows back into events, which store_track.c checks; store_check.c checks files, store_guard.c
 * their schema; pages.c stores bytes. store_put() takes all rows.
 */
#ifndef STORE_INTERNAL_H
#define STORE_INTERNAL_H

#include "base/hash_map.h"
#include "traces/store/store.h"

/* X(name, table, SQL verb). A page is replaced while it fills, a run and a step at their ends, a
 * sum when later rows join it. */
#define TABLE_LIST(X) \
	X(PAGE, "t_page", "REPLACE") X(PIECE, "t_piece", "INSERT") X(BLOB, "t_blob", "INSERT") \
	X(RUN, "t_run", "REPLACE") X(MODEL, "t_model", "INSERT") X(TEXT, "t_text", "INSERT") \
	X(ATTENTION, "t_attention", "INSERT") \
	X(KERNEL, "t_kernel", "INSERT") X(SOURCE, "t_source", "INSERT") \
	X(OP_KIND, "t_op_kind", "INSERT") \
	X(CALL, "t_call", "INSERT") X(ARG, "t_arg", "INSERT") \
	X(ARG_POINTER, "t_arg_pointer", "INSERT") X(OP, "t_op", "INSERT") \
	X(LAUNCH, "t_launch", "INSERT") X(NODE, "t_node", "INSERT") \
	X(POINTER, "t_pointer", "INSERT") X(BUFFER, "t_buffer", "INSERT") \
	X(STEP, "t_step", "REPLACE") X(KERNEL_COUNT, "t_kernel_count", "REPLACE") \
	X(TOKEN, "t_token", "INSERT") X(DIGEST, "t_digest", "INSERT") \
	X(PARTIAL, "t_partial", "INSERT") X(REDUCE, "t_reduce", "INSERT") \
	X(KV, "t_kv", "INSERT") X(SOFTMAX, "t_softmax", "INSERT") \
	X(POINT, "t_point", "INSERT") \
	X(POINT_SUM, "t_point_sum", "INSERT") \
	X(POINT_NAME, "t_point_name", "INSERT") X(PROBE, "t_probe", "INSERT") \
	X(REQUEST, "t_request", "INSERT") X(ACCESS, "t_access", "INSERT") \
	X(ACCESS_LINE, "t_access_line", "INSERT") X(LINE, "t_line", "INSERT") \
	X(FINDING, "t_finding", "INSERT") X(COUNTER, "t_counter", "INSERT") \
	X(HIT, "t_hit", "INSERT") X(SUM, "t_sum", "REPLACE")

enum table {
#define X(name, table, verb) TABLE_##name,
	TABLE_LIST(X)
#undef X
	TABLE_COUNT
};

/* Cached statements of pages.c. */
enum store_read { READ_PAGE, READ_PIECE, READ_BLOB, STORE_READ_COUNT };

struct checked;
struct pages;
struct row_arg;
struct row_point;
struct track;

/* A value of a row. */
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

/* The launches of a kernel so far. */
struct kernel_count {
	char *kernel;
	int64_t launches, first, last, timed;   /* timed: launches whose duration is known */
	uint32_t grid[3];               /* the maximum */
	double duration_us;             /* the sum */
};

#define RUN_COLUMNS 18

/* A run being written. */
struct run_state {
	int64_t run, ops;
	int64_t last_launch;            /* its number; -1: none yet */
	int64_t step, step_first;       /* and its first operation; step -1: outside of steps */
	/* Of the digests of what an operation wrote [0] and after a step [1]: the last operation
	 * with some and the latest, -1 for none; and the last one's next entry. */
	int64_t digest_op[2], digest_latest[2], digest_entry[2];
	bool ended, summed;             /* summed: t_sum has its rows as they are now */
	struct value row[RUN_COLUMNS];  /* of t_run; its texts are owned */
	struct kernel_count *kernels;
	int kernel_count;
};

/* The last bytes stored with a digest: accumulators of partials are looked up in them. */
struct kept {
	int64_t run, op, data;
	unsigned char *bytes;
	size_t count;
};

/* What a call is, to be hashed; the memory is used again. */
struct call_content {
	unsigned char *bytes;
	size_t count, capacity;
};

/* Cached statements that are not in use, the last returned first. */
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
	char *temporary_journal;        /* SQLite's name for its journal */
	sqlite3 *db;
	bool force;                     /* the first commit may replace a file */
	bool writing;
	bool appending;                 /* to a file that may be damaged */
	bool in_transaction;
	int wait_ms;                    /* of the last commit, for readers */
	bool expendable;                /* errors drop the trace and are not reported */
	int64_t max_bytes;              /* of an expendable trace; 0: no limit */
	struct bulk *bulk;              /* its rows, until it is read; NULL: SQLite has them */
	int64_t ids[TABLE_COUNT];       /* the last rowids of an expendable trace */
	bool imaged;                    /* in memory, but store_image() makes a file of it */
	char *broken;                   /* message of the write that failed; ends writing */
	struct pages *pages;
	sqlite3_stmt *inserts[TABLE_COUNT];     /* prepared on first use */
	sqlite3_stmt *reads[STORE_READ_COUNT];  /* the same */
	struct kept_statements statements;
	bool walks_kv;                  /* this connection has w_kv */
	struct run_state *runs;
	int run_count;
	struct call_content content;
	struct hash_map calls;          /* content of a call -> t_call.call */
	struct hash_map texts;          /* a source written here -> t_text.text */
	char **point_names;             /* [i] is t_point_name.name i + 1 */
	int point_name_count;
	struct kept kept;
	struct checked *checked;        /* [checked_count] sums that were checked */
	size_t checked_count;
};

/* --- values of a row --- */

#define V_NULL     ((struct value){ .type = VALUE_NULL })
#define V_INT(x)   ((struct value){ .type = VALUE_INT, .integer = (int64_t)(x) })
/* For a column of reals: SQLite makes 0 of -0 there, as the sum does. A NaN becomes NULL. */
#define V_REAL(x)  ((struct value){ .type = VALUE_REAL, .real = (x) + 0.0 })
#define V_TEXT(x)  ((struct value){ .type = VALUE_STRING, .text = (x) })        /* NULL: NULL */
#define V_BYTES(p, n) ((struct value){ .type = VALUE_BYTES, .bytes = { (p), (n) } })
/* An f32 as its bits, signed so that it takes four bytes. */
#define V_F32(x)   V_INT((int32_t)(x))
/* An integer if the condition holds, else NULL. */
#define V_INT_IF(condition, x) ((condition) ? V_INT(x) : V_NULL)

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define PUT(store, table, ...) \
	store_put(store, table, (const struct value[]){ __VA_ARGS__ }, \
		  COUNT_OF(((const struct value[]){ __VA_ARGS__ })))

/* --- store_sql.c --- */

/* TABLE_COUNT for a table that is not written row by row. */
enum table store_table(const char *name);

/* Whether a row takes the place of one with its key. */
bool store_replaces(enum table);
/* After a failed write: ends writing; OK if the trace is expendable. */
enum status store_write_failed(struct store *, enum status);

/* path NULL: in memory. flags as for sqlite3_open_v2(). On an error store->db may be set;
 * store_disconnect() accepts both. */
enum status store_connect(struct store *, const char *path, int flags);
void store_disconnect(struct store *);
/* Rollback journal, no fsync: a kill loses nothing that was committed, a power cut may. */
enum status store_tune_writer(struct store *);
/* Starts a transaction unless one is open. */
enum status store_begin(struct store *);
enum status store_run_sql(struct store *, const char *sql);
/* Inserts a row, in a transaction that the next commit ends. */
enum status store_put(struct store *, enum table, const struct value *values, size_t count);
/* The key that the row got that was just put with a key of NULL. */
int64_t store_new_id(struct store *, enum table);
/* Runs one UPDATE with its parameters. */
enum status store_update(struct store *, const char *sql, const struct value *values, size_t count);
/* Prepares a SELECT and binds integers to its parameters; the caller finalizes. */
enum status store_select(struct store *, sqlite3_stmt **out, const char *sql,
			 const int64_t *parameters, int count);
/* Runs a SELECT and calls `take` for each row, until that fails. */
enum status store_each(struct store *, const char *sql, const int64_t *parameters, int count,
		       enum status (*take)(void *context, sqlite3_stmt *row), void *context);
/* The integer that a SELECT returns; `otherwise` if it returns no row or NULL. */
enum status store_integer(struct store *, const char *sql, const int64_t *parameters, int count,
			  int64_t otherwise, int64_t *out);
/* SQLite's last error as IO, DAMAGED or INTERNAL, with the file's name. */
enum status store_failed(struct store *, const char *doing);
/* INTERNAL when the store was opened for reading, IO when an earlier write failed. */
enum status store_check_writing(struct store *);
/* Ends all writing with the current error, and returns `status`. */
enum status store_break_off(struct store *, enum status status);
/* Sets how long statements wait for another program's lock. */
void store_wait(struct store *, int milliseconds);
#define STORE_WAIT_MS 10000             /* the default */

/* --- store_image.c --- */

/* To be called before the connection of a store is used: gives SQLite the rows of an expendable
 * trace, which it gets one by one from then on. */
enum status store_ready(struct store *);

/* --- store.c --- */

/* Writes everything; last: nothing will follow. */
enum status store_commit_rows(struct store *, bool last);
enum status store_fill_op_kinds(struct store *);

/* --- store_kept.c --- */

/* Finalizes all cached statements. */
void store_drop_statements(struct store *);

/* --- store_check.c --- */

/* Replaces the error of a file that failed to open with a clearer one if possible: it is missing,
 * empty, not SQLite or truncated. For failures only: closing a file drops the locks that this
 * process has on it. */
enum status store_explain(const char *path, enum status status);
/* Checks that the open database is a trace: application, version, schema. The caller has begun a
 * transaction, so that all of them are consistent. What an earlier format lacks is added empty:
 * for this connection only, or permanently if open for writing. */
enum status store_check_format(struct store *);

/* --- store_guard.c --- */

/* Makes a new connection safe for files of strangers: no triggers, no trust in the schema, limits
 * of lengths. */
enum status store_guard_connection(struct store *);
/* Whether a version after `version` added the table, index or view. */
typedef bool store_added_fn(int64_t version, const char *name);
/* DAMAGED, naming the object, unless the file holds only tables, indexes and views of its version,
 * as `model`, a database made from schema_sql, defines them. To be called before any of the file's
 * tables or views is read. */
enum status store_guard_schema(struct store *, sqlite3 *model, int64_t version, store_added_fn *);
/* --- store_sums.c --- */

/* Writes what is not in the file yet of the open page, and the sums of runs that have ended since
 * the last call, for the commit that completes them. */
enum status store_sums_write(struct store *);
/* Writes the sum of the schema again, if there is one, after a writer has changed the schema. */
enum status store_sums_schema(struct store *);
/* Writes sums of the tables that later versions than `version` added, for runs that have sums. */
enum status store_sums_added(struct store *, int64_t version);
/* What was checked and found good, by a name of the caller's choice, and whether a sum covered
 * it. */
bool store_checked(const struct store *, int64_t run, const char *what, bool *covered);
void store_check_done(struct store *, int64_t run, const char *what, bool covered);
void store_sums_forget(struct store *);
/* Whether this store writes the run. */
bool store_is_own(const struct store *, int64_t run);

/* --- store_write.c --- */

/* The columns of t_kernel_count; a GROUP BY run, kernel must follow. */
#define STORE_COUNT_KERNELS \
	"SELECT run, kernel, count(*) AS launches, min(launch) AS first, max(launch) AS last," \
	" max(grid_x) AS grid_x, max(grid_y) AS grid_y, max(grid_z) AS grid_z," \
	" avg(duration_us) AS duration_us FROM main.v_launch"

/* The exact value of a scalar argument; NULL if SQLite cannot represent it. */
struct value store_scalar_value(const struct row_arg *);

/* --- store_run.c --- */

/* INTERNAL when this store did not begin the run. */
enum status store_run_state(struct store *, int64_t run, struct run_state **out);
void store_run_forget(struct run_state *);
/* For t_kernel_count. */
void store_run_count_launch(struct run_state *, const struct row_op *);

/* --- store_rows.c --- */

/* The digest of one point; equal for points that diff_points.c treats as equal. */
uint64_t store_point_digest(const struct row_point *, int64_t threads);

/* --- store_track.c --- */

struct track *track_new(void);
void track_free(struct track *);        /* NULL is allowed */
/* Checks the next operation of a run. Returns NULL, or what it refers to that is missing or
 * invalid, as a message that is valid until the next call. */
const char *track_op(struct track *, const struct row_op *);

/* --- pages.c --- */

struct pages *pages_new(void);
void pages_free(struct pages *);
/* Loads the pieces of an existing file, for a run that is added to it. */
enum status pages_load(struct store *);
/* The most bytes in a piece, and in a page. */
#define PAGE_BYTES 65536
/* Stores bytes; equal bytes get an equal id. */
enum status pages_put(struct store *, const void *bytes, size_t count, int64_t *data);
/* Writes what is not in the file yet. last: nothing will follow, so compress well. */
enum status pages_flush(struct store *, bool last);
/* The first page that was written again since the last call; 0: none. */
int64_t pages_replaced(struct store *);
/* Unpacks a page; DAMAGED if that fails. */
enum status pages_check(struct store *, int64_t page);
/* Reads a piece into `bytes`, which can hold PAGE_BYTES. */
enum status pages_piece(struct store *, int64_t piece, unsigned char *bytes, size_t *count);
enum status pages_read(struct store *, int64_t data, void **bytes, size_t *count);

/* --- embedded by the build (embed_text.sh) --- */

extern const char schema_sql[], schema_earlier_sql[];

#endif
