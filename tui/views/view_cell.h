/* view_cell.h - columns of a trace, and other values, as text. */
#ifndef VIEW_CELL_H
#define VIEW_CELL_H

#include "tui/views/view.h"

/* The size of a cell's text in bytes, enough for any of them. */
#define VIEW_CELL 64
typedef char view_cell[VIEW_CELL];

const char *view_text(sqlite3_stmt *, int column);      /* "-" for NULL */
bool view_null(sqlite3_stmt *, int column);
/* A count, number or size. A damaged trace may hold any: the largest are cut down, so that a few of
 * them can be added. */
#define VIEW_INT_MAX (INT64_C(1) << 53)
int64_t view_int(sqlite3_stmt *, int column);
int64_t view_bits(sqlite3_stmt *, int column);  /* all 64, as of a digest */
const char *view_int_cell(sqlite3_stmt *, int column, view_cell);
/* A REAL; `format` is a printf format for one double. */
const char *view_real_cell(sqlite3_stmt *, int column, const char *format, view_cell);
/* The bits of an f32, in the shortest form that reads back the same: "2.9375", "-inf", "nan". */
const char *view_f32_cell(sqlite3_stmt *, int column, view_cell);
/* The same in the format chosen with --number. */
const char *view_value_cell(const struct view_context *, sqlite3_stmt *, int column, view_cell);
const char *view_float_cell(const struct view_context *, float, view_cell);
float view_f32(sqlite3_stmt *, int column);
/* A byte of text as C writes it: "'R'", "'\n'", "0xe4". */
const char *view_byte_cell(int byte, view_cell);
/* "" for 1, else "s". */
const char *view_plural(int64_t count);
/* "L12", with the run in front when the trace has several. */
const char *view_launch_cell(const struct view_context *, int64_t launch, view_cell);

#endif
