/* export_screens.h - draws all screens of a page; used by export_html.c. */
#ifndef EXPORT_SCREENS_H
#define EXPORT_SCREENS_H

#include "tui/export/export_lists.h"

/* Whether the page has screens of the view. */
bool page_has_view(const struct view *);
/* The number of screens of a launch, in all views. */
enum status page_launch_screens(const struct page *, const struct view_place *, int64_t *screens);
/* Writes "screens":{...} of the run: the number in the book of each place's screen. */
enum status page_screens(struct page *);
/* Removes the progress bar, if there is one. */
void page_progress_end(const struct page *);

#endif
