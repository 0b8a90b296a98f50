/* view_findings.h - steps from one finding of the checker to the next; serves the viewer. */
#ifndef VIEW_FINDINGS_H
#define VIEW_FINDINGS_H

#include "tui/views/view.h"

/* The finding behind or before a place, in order of launch and number; a place that lies around
 * findings comes before them. */
enum status view_findings_step(const struct view_context *, int direction, struct address *at,
			       bool *found);

#endif
