/* view_query.h - queries for views: rows and numbers from the v_* views, and which run to show. */
#ifndef VIEW_QUERY_H
#define VIEW_QUERY_H

#include "tui/views/view.h"

/* Sets the run to that of the address, by default the first. USAGE if it does not exist. */
enum status view_choose_run(struct view_context *);

typedef enum status view_row_fn(const struct view_context *, sqlite3_stmt *row, void *state);

/* Calls fn for each row of a SELECT on the v_* views; ?1, ?2, ... are the integers. Stops at the
 * first status that is not OK. */
enum status view_rows(const struct view_context *, view_row_fn *fn, void *state, const char *sql,
		      const int64_t *values, int count);
#define VIEW_ROWS(context, fn, state, sql, ...) \
	view_rows((context), (fn), (state), (sql), (const int64_t[]){ __VA_ARGS__ }, \
		  (int)(sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))

/* The first column of the first row; `otherwise` if there is no row or it is NULL. */
enum status view_number(const struct view_context *, int64_t otherwise, int64_t *out,
			const char *sql, const int64_t *values, int count);
#define VIEW_NUMBER(context, otherwise, out, sql, ...) \
	view_number((context), (otherwise), (out), (sql), (const int64_t[]){ __VA_ARGS__ }, \
		    (int)(sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))

/* Finds the run to compare with. With a second trace, that is its run of the same number, or else
 * its first run; without one, the next run of this trace. *found is false if there is none. */
enum status view_second(const struct view_context *, struct view_context *second, bool *found);

#endif
