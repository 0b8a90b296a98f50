/* export_lists.h - a page being written, and rows of a trace as arrays of its JSON.
 *
 * Used by export_html.c, which writes the page and chooses its operations, and by export_screens.c,
 * which draws their screens.
 */
#ifndef EXPORT_LISTS_H
#define EXPORT_LISTS_H

#include "tui/export/export.h"
#include "tui/export/export_book.h"
#include "tui/views/view_place.h"
#include "tui/views/view_query.h"

struct page {
	const struct export_job *job;
	struct view_context c;          /* c.store and c.run are being written */
	struct store *compared;         /* the other one of two traces, or NULL */
	const char *name;               /* of the trace being written */
	const char *title;              /* of the page: the names of its traces */
	struct book *book;
	FILE *json;
	int64_t first_op, last_op;      /* the exported operations of this run */
	bool begun;                     /* the array being written has an element */
	bool coarse;                    /* no text screens of single blocks: too many */
	int64_t done, total;            /* screens, for the progress bar */
	double shown;                   /* of the progress bar, so far */
};

/* SELECTs by run, first and last operation. page_steps: step, its first and last operation.
 * page_ops: operations other than launches, and their step. */
extern const char page_steps[], page_ops[];

/* Writes a comma, except before the first element. */
void page_comma(struct page *);
/* Writes ,"name":[...] with an element for each row. */
enum status page_array(struct page *, const char *name, view_row_fn *fn, void *state,
		       const char *sql);
enum status page_launch(const struct page *, int64_t launch, struct view_place *place);

#endif
