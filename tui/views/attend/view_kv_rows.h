/* view_kv_rows.h - one slot of the KV cache: its positions as text, and rows of K and V by
 * value. */
#ifndef VIEW_KV_ROWS_H
#define VIEW_KV_ROWS_H

#include "tui/views/view_place.h"

/* Draws one layer with capacity for max_len positions, as of the end of the launch or operation of
 * the place: the slot and KV head of the address's block, else the first. Draws nothing if there
 * are no rows. */
enum status view_kv_rows(const struct view_context *, const struct view_place *, int64_t layer,
			 int64_t max_len);
/* How many consecutive blocks of a launch share a KV head; all of them show the same screen. */
enum status view_kv_group(const struct view_context *, const struct view_place *, int64_t *blocks);

#endif
