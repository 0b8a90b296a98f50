/* view_element_spot.h - the two runs that are compared, and places of their differences. */
#ifndef VIEW_ELEMENT_SPOT_H
#define VIEW_ELEMENT_SPOT_H

#include "tui/views/view.h"

/* The two runs that a context compares; *some false: it has only one. */
enum status element_pair(const struct view_context *, struct diff_pair *, bool *some);

/* The address of a difference, and the place of an address among differences. */
enum status element_spot_address(const struct view_context *, const struct diff_spot *,
				 struct address *at);
enum status element_address_spot(const struct view_context *, const struct address *at,
				 struct diff_spot *);

#endif
