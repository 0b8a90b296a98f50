/* export_page.h - what the parts of export_html.c share; nobody else includes it.
 *
 * export_html.c makes the page and says which operations are in it; export_screens.c draws their
 * screens.
 */
#ifndef EXPORT_PAGE_H
#define EXPORT_PAGE_H

#include "tui/export/export.h"
#include "tui/export/export_book.h"
#include "tui/viewer/viewer_screens.h"
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

/* --- export_html.c --- */

/* SELECTs by run, first and last operation: step, its first and last operation; operations that are
 * no launch, and their step. */
extern const char page_steps[], page_ops[];

/* A comma, but before the first element. */
void page_comma(struct page *);
/* "name":[...], an element for each row; behind another member. */
enum status page_array(struct page *, const char *name, view_row_fn *fn, void *state,
		       const char *sql);
enum status page_launch(const struct page *, int64_t launch, struct view_place *place);

/* --- export_screens.c --- */

/* Whether the page has screens of the view. */
bool page_has_view(const struct view *);
/* How many screens a launch has, of all views. */
enum status page_launch_screens(const struct page *, const struct view_place *, int64_t *screens);
/* "screens":{...} of the run: where in the book the screen of each place is. */
enum status page_screens(struct page *);

#endif
