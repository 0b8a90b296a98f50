/* view_findings.h - steps from one finding of the checker to the next. Used by the viewer. */
#ifndef VIEW_FINDINGS_H
#define VIEW_FINDINGS_H

#include "tui/views/view.h"

/* The finding after or before a place, in order of launch and number; a place that contains
 * findings comes before them. */
enum status view_findings_step(const struct view_context *, int direction, struct address *at,
			       bool *found);

#endif
