/* view_exists.h - whether a trace has what an address names. */
#ifndef VIEW_EXISTS_H
#define VIEW_EXISTS_H

#include "traces/store/written.h"
#include "tui/views/view_place.h"

/* USAGE when the run lacks any part of what the address names. Points and other parts that need a
 * level that was not recorded are accepted: screens say why they are missing. */
enum status view_check_address(const struct view_context *);

/* Parts of the same check, for screens that find such a place themselves. */
enum status view_check_point(const struct view_context *, const struct view_place *);
/* `count` outputs of the launch; output or element is -1 when the address has none. */
enum status view_check_output(int64_t launch, int64_t count, int64_t output);
enum status view_check_element(const struct written *, int64_t launch, int64_t element);

#endif
