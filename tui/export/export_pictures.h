/* export_pictures.h - the steps of a page as numbers, from which export_step.js draws them. */
#ifndef EXPORT_PICTURES_H
#define EXPORT_PICTURES_H

#include "tui/export/export_lists.h"

/* Writes "pictures":[...] of the run: an object for each attention, with an array for each slot and
 * head. */
enum status page_pictures(struct page *);

#endif
