/* view_kv_written.h - which bytes of the KV cache a step wrote. */
#ifndef VIEW_KV_WRITTEN_H
#define VIEW_KV_WRITTEN_H

#include "tui/views/view_place.h"

/* Prints which bytes of each buffer of a layer were written in the step of the place, up to its
 * operation, or by its launch or operation alone if it has no step; the given slot comes first. */
enum status view_kv_written(const struct view_context *, const struct view_place *, int64_t layer,
			    int64_t slot);

#endif
