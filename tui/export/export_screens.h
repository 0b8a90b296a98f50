/* export_screens.h - all screens of a page; part of export_html.c. */
#ifndef EXPORT_SCREENS_H
#define EXPORT_SCREENS_H

#include "tui/export/export_lists.h"

/* Whether the page has screens of the view. */
bool page_has_view(const struct view *);
/* How many screens a launch has, of all views. */
enum status page_launch_screens(const struct page *, const struct view_place *, int64_t *screens);
/* "screens":{...} of the run: where in the book the screen of each place is. */
enum status page_screens(struct page *);

#endif
