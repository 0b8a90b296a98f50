/* view_kv_rows.h - one slot of the KV cache: its positions as text, and rows of K and V by value. */
#ifndef VIEW_KV_ROWS_H
#define VIEW_KV_ROWS_H

#include "tui/views/view_place.h"

/* Of one layer with room for max_len positions, as after the launch of the place: the slot and KV
 * head of the address's block, else the first. Nothing where no rows were written. */
enum status view_kv_rows(const struct view_context *, const struct view_place *, int64_t layer,
			 int64_t max_len);
/* How many blocks of a launch, one behind another, share a KV head: the screen is the same at each
 * of them. */
enum status view_kv_group(const struct view_context *, const struct view_place *, int64_t *blocks);

#endif
