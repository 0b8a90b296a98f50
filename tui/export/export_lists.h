/* export_lists.h - a page in the making, and rows of a trace as arrays of its JSON.
 *
 * Part of export_html.c, which makes the page and says which operations are in it, and of
 * export_screens.c, which draws their screens.
 */
#ifndef EXPORT_LISTS_H
#define EXPORT_LISTS_H

#include "tui/export/export.h"
#include "tui/export/export_book.h"
#include "tui/views/view_place.h"
#include "tui/views/view_query.h"

struct page {
	const struct export_job *job;
	struct view_context c;          /* its run is the one being written */
	struct book *book;
	FILE *json;
	int64_t first_op, last_op;      /* of this run that are exported */
	bool begun;                     /* the array being written has an element */
};

/* SELECTs by run, first and last operation: step, its first and last operation; operations that are
 * no launch, and their step. */
extern const char page_steps[], page_ops[];

/* A comma, but before the first element. */
void page_comma(struct page *);
/* "name":[...], an element for each row; behind another member. */
enum status page_array(struct page *, const char *name, view_row_fn *fn, void *state,
		       const char *sql);
enum status page_launch(const struct page *, int64_t launch, struct view_place *place);

#endif
