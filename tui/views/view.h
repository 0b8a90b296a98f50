/* view.h - what a view of a trace is, and what views share.
 *
 * A view draws one screen into a display, at most 100 columns wide, from the v_* views of a trace
 * alone: no engine, no GPU. One file per view, its struct view last. Values are shown from their
 * bits, and what was not measured or recorded is "-". Serves cmd_view.c and the viewer.
 */
#ifndef VIEW_H
#define VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "traces/diff/diff_spot.h"
#include "traces/store/store.h"
#include "tui/views/address.h"
#include "tui/views/breakpoints.h"
#include "tui/views/view_display.h"
#include "tui/views/view_format.h"

/* The search for the first difference of two runs, which may be gone on with. */
struct view_scan {
	struct diff_pair pair;          /* it is about; another pair begins it again */
	struct diff_spot spot;
	enum diff_outcome outcome;
	diff_stop_fn *stop;             /* NULL: never */
	void *context;
};

struct view_context {
	struct display *out;
	struct store *store;
	struct store *other;            /* a second trace to compare with, or NULL */
	int64_t run;                    /* that is shown */
	int64_t other_run;              /* to compare with, of `other` or this trace; 0: any */
	struct view_scan *scan;         /* kept from one drawing to the next, or NULL */
	const struct breakpoints *breaks;       /* to mark, or NULL */
	struct address at;              /* address_none: nowhere in particular */
	bool all;                       /* leave no rows out */
	struct view_format looks;
};

struct view {
	const char *name;               /* of --screen */
	const char *summary;
	const char *table;              /* the launches it can show have rows there; NULL: all */
	bool whole;                     /* it shows the same at every address of a run */
	/* IO or DAMAGED from the trace; USAGE when the trace has nothing at the address. */
	enum status (*draw)(const struct view_context *);
};

extern const struct view view_summary, view_time, view_launch, view_kv, view_chunks, view_reduce,
	view_points, view_counters, view_source, view_attention, view_diff, view_findings;

/* All of them, NULL-terminated. */
extern const struct view *const view_table[];
const struct view *view_find(const char *name);
/* USAGE with the names there are; `what` is the option. */
enum status view_parse(const char *what, const char *name, const struct view **out);
/* Sets the run to that of the address, else the first; USAGE when the trace has no such run. */
enum status view_choose_run(struct view_context *);

/* The file and line that the screen of sources is at; *found false: no text was recorded. */
enum status view_source_line(const struct view_context *, char *file, size_t size, int64_t *line,
			     bool *found);

/* The finding behind or before a place, in order of launch and number; a place that lies around
 * findings comes before them. */
enum status view_findings_step(const struct view_context *, int direction, struct address *at,
			       bool *found);

/* --- queries --- */

typedef enum status view_row_fn(const struct view_context *, sqlite3_stmt *row, void *state);

/* Calls fn for each row of a SELECT on the v_* views; ?1, ?2, ... are the integers. Stops at the
 * first status that is not OK. */
enum status view_rows(const struct view_context *, view_row_fn *fn, void *state, const char *sql,
		      const int64_t *values, int count);
#define VIEW_ROWS(context, fn, state, sql, ...) \
	view_rows((context), (fn), (state), (sql), (const int64_t[]){ __VA_ARGS__ }, \
		  (int)(sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))

/* The first column of the first row; `otherwise` when there is no row or it is NULL. */
enum status view_number(const struct view_context *, int64_t otherwise, int64_t *out,
			const char *sql, const int64_t *values, int count);
#define VIEW_NUMBER(context, otherwise, out, sql, ...) \
	view_number((context), (otherwise), (out), (sql), (const int64_t[]){ __VA_ARGS__ }, \
		    (int)(sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))

/* What the run is compared with: the run of its number in the second trace, else that one's first;
 * without a second trace the next run of this one. *found false: there is none. */
enum status view_second(const struct view_context *, struct view_context *second, bool *found);

/* --- columns as text --- */

/* Room for any of them. */
#define VIEW_CELL 64
typedef char view_cell[VIEW_CELL];

const char *view_text(sqlite3_stmt *, int column);      /* "-" for NULL */
bool view_null(sqlite3_stmt *, int column);
int64_t view_int(sqlite3_stmt *, int column);
const char *view_int_cell(sqlite3_stmt *, int column, view_cell);
/* A REAL with a printf format for one double. */
const char *view_real_cell(sqlite3_stmt *, int column, const char *format, view_cell);
/* The bits of an f32, shortest form that reads back alike: "2.9375", "-inf", "nan". */
const char *view_f32_cell(sqlite3_stmt *, int column, view_cell);
/* The same in the base that the reader chose. */
const char *view_value_cell(const struct view_context *, sqlite3_stmt *, int column, view_cell);
const char *view_float_cell(const struct view_context *, float, view_cell);
float view_f32(sqlite3_stmt *, int column);
/* A byte of text as C writes it: "'R'", "'\n'", "0xe4". */
const char *view_byte_cell(int byte, view_cell);
/* "" for 1, else "s". */
const char *view_plural(int64_t count);
/* Whether points of the kernel are those of the project, whose values have names. */
enum status view_own_points(const struct view_context *, const char *kernel, bool *own);
/* What value number `value` of a point is called: "max", or "v0" of a point that is a user's. */
const char *view_point_value(bool own, const char *point, int value);
/* "L12", with the run in front when the trace has several. */
const char *view_launch_cell(const struct view_context *, int64_t launch, view_cell);

/* --- drawing --- */

/* Characters written. */
int view_print(const struct view_context *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same in a style of its own. */
int view_styled(const struct view_context *, enum view_style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* What the marks of a chart mean: a character behind a ` is such a mark, and gets the glyph it has
 * there. */
void view_legend(const struct view_context *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Makes the line being written the row of a launch, or of a block of it; block -1: of all. */
void view_row_of(const struct view_context *, int64_t launch, int64_t block);
void view_title(const struct view_context *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Whether row number `shown` of a list still fits; without --all lists end after `limit` rows. */
bool view_fits(const struct view_context *, int64_t shown, int64_t limit);
/* The last line of such a list, when it was cut. */
void view_more(const struct view_context *, int64_t rows, int64_t limit);

/* --- what is at the address --- */

struct view_place {
	int64_t launch, op, step;       /* step -1: outside of steps */
	int64_t layer;                  /* -1: none */
	int64_t grid[3], block[3];
	char kernel[64];
};
/* The launch of the address; of an address with none, the last launch for which `table` (a view
 * with a column launch) has rows, at most that of the step the address names. *found false: there
 * is none. USAGE when the address names a launch, block, warp or lane that is not there. */
enum status view_place_find(const struct view_context *, const char *table, struct view_place *,
			    bool *found);
int64_t view_place_blocks(const struct view_place *);
int64_t view_place_threads(const struct view_place *);          /* of a block */
/* "L12 flash_decode_chunk, step 3, layer 0". */
void view_place_title(const struct view_context *, const char *what, const struct view_place *);

#endif
