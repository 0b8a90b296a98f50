/* bench_rungs.h - the parts of `flashtwin bench --suite decode`: decode attention by rung of the
 * ladder, next to a read of the same bytes.
 *
 * bench_rungs.c runs the suite; bench_rungs_list.c has the shapes; bench_rungs_time.c and
 * bench_rungs_read.c measure; bench_rungs_saved.c reads saved results; bench_rungs_report.c prints,
 * bench_rungs_plot.c draws. Results are one JSON object, { suite, about, rows }, as --json prints
 * it. A row has
 *   list, shape   which list it is from, and the shape (tui/shape.h); of a prompt its sizes
 *   kernel        "read", "rung 6", "best", "prefill", or a peer's name
 *   dtype         of keys and values
 *   queries       of each sequence, if more than one
 *   us, p10, p90  median and percentiles of one layer's attention; null: not measured
 *   runs, copies, launches   samples; copies of K and V that are read in turn; launches in a graph
 *   gbs, read_percent   GB/s of keys and values; the time of the read of as many bytes and the same
 *                 type / this one
 *   flop          of a prompt: multiplications and additions of the causal half
 *   peer          true: another program's
 *   cited         where a time that was not measured here comes from
 *   note
 */
#ifndef BENCH_RUNGS_H
#define BENCH_RUNGS_H

#include <jansson.h>

#include "tui/bench/bench_rig.h"
#include "tui/shape.h"

#define RUNGS_READ "read"
#define RUNGS_LIST_KEYS "keys"          /* the list whose shapes differ in keys only */
#define RUNGS_LIST_SHAPE "shape"        /* one shape, which was asked for */
#define RUNGS_LIST_PREFILL "prefill"    /* of f32 only */
#define RUNGS_LIST_NARROW "narrow"      /* of other types only, unless it is asked for */

enum { RUNGS_MAX = 13, RUNGS_RUNS = 50 };

/* --- bench_rungs_list.c --- */

struct rungs_shape {
	const char *list;
	char *text;
	struct shape shape;             /* all zeros of the list prefill */
};

struct rungs_shapes {
	struct rungs_shape *items;      /* [count] owned */
	size_t count;
};

/* The shapes of all lists for keys and values of a type and for so many queries, of one list, or
 * one shape; smaller ones without a GPU. USAGE for text that is neither. Free them after
 * success. */
enum status rungs_shapes(bool on_gpu, const char *only, enum dtype, int queries,
			 struct rungs_shapes *out);
void rungs_shapes_free(struct rungs_shapes *);
/* The sizes of the list prefill. */
void rungs_prompt(bool on_gpu, int *heads, int *rows, int *head_dim);

/* --- bench_rungs_time.c --- */

struct rungs_time {
	double us, p10, p90;            /* NaN: not measured */
	int runs, copies, launches;
	char note[200];
};

/* Work that reads copy `copy` of what it reads. */
typedef enum status rungs_work(struct rig *, void *context, int copy);

/* Whether a rung exists for a type and so many queries; LADDER_BEST always does. USAGE that names
 * those there are. */
enum status rungs_check(int rung, enum dtype, int queries);
/* Fails with the device's errors, except for memory: a shape that does not fit has a note. */
enum status rungs_time_rung(struct rig *, const struct shape *, int rung, struct rungs_time *out);
/* A causal prompt, by attention_prefill_tiled or attention_prefill. */
enum status rungs_time_prompt(struct rig *, int heads, int rows, int head_dim, bool tiled,
			      struct rungs_time *out);
/* How many copies of so many bytes of K and V are together several times the L2, at least 2, or as
 * many as fit if each takes `held` bytes of memory. */
int rungs_copies(struct rig *, double bytes, double held);
/* Times `copies` times the work, repeated, from a graph, with the result for one. */
enum status rungs_time_work(struct rig *, int copies, rungs_work *, void *context,
			    struct rungs_time *out);
/* The status, but OK, with the note, for the error that memory ran out. */
enum status rungs_fits(enum status, const char *note, struct rungs_time *out);
/* One layer of a rung's attention, with as many KV heads as its path's cache has. */
struct attention_shape rungs_attention(const struct shape *, int rung);

/* --- bench_rungs_read.c --- */

/* The fastest way to read so many bytes. */
enum status rungs_time_read(struct rig *, double bytes, struct rungs_time *out);

/* --- bench_rungs_saved.c --- */

/* Results from files: those of this suite, of peers.py, or cited ones. The first gives `about`,
 * which lists the others. USAGE or IO, naming the file. */
enum status rungs_load(char *const *files, int count, json_t **out);

/* --- bench_rungs_report.c --- */

/* Prints tables. */
enum status rungs_print(const json_t *results);
/* Sets gbs and read_percent of each row that has a time, unless it is a prompt's. */
void rungs_add_rates(json_t *results);
/* The type of keys and values of the rungs; that of the first, if there are several. */
const char *rungs_dtype(const json_t *rows);
/* A member's text, or "". */
const char *rungs_text(const json_t *row, const char *name);
/* The row of a kernel for a shape with a time; NULL if there is none. */
json_t *rungs_find(const json_t *rows, const char *shape, const char *kernel, const char *dtype);
/* Bytes of keys and values that a row's attention reads; NaN if the shape is that of a prompt. */
double rungs_row_bytes(const json_t *row);

/* --- bench_rungs_plot.c --- */

/* Draws GB/s against keys, of the shapes of one sequence. */
enum status rungs_plot(const json_t *results, const char *path);

#endif
