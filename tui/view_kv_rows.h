/* view_kv_rows.h - the values of the rows that a KV cache got last, and the text they stand for. */
#ifndef VIEW_KV_ROWS_H
#define VIEW_KV_ROWS_H

#include "tui/view.h"

/* Of one layer, up to the launch of the place: the slot and KV head of the address's block, else
 * the first. Nothing where rows were not recorded. */
enum status view_kv_rows(const struct view_context *, const struct view_place *, int64_t layer);

#endif
