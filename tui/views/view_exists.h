/* view_exists.h - whether a trace has what an address names. */
#ifndef VIEW_EXISTS_H
#define VIEW_EXISTS_H

#include "traces/store/written.h"
#include "tui/views/view_place.h"

/* USAGE when the run has not what the address names, down to its last part. What needs a level that
 * was not recorded, such as points, passes: screens say why they are missing. */
enum status view_check_address(const struct view_context *);

/* Parts of that, for screens which come to such a place by themselves. */
enum status view_check_point(const struct view_context *, const struct view_place *);
/* `count` outputs of the launch; an output or element of -1 is none. */
enum status view_check_output(int64_t launch, int64_t count, int64_t output);
enum status view_check_element(const struct written *, int64_t launch, int64_t element);

#endif
