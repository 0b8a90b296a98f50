/* view_element_parts.h - the parts of view_element.c drawn in addition to the table.
 *
 * view_element_chart.c has counts and charts, view_element_cause.c where a value came from,
 * view_element_finding.c what may explain a difference, view_element_point.c named points.
 */
#ifndef VIEW_ELEMENT_PARTS_H
#define VIEW_ELEMENT_PARTS_H

#include "tui/views/element/view_element_value.h"
#include "tui/views/kernel/kernel_text.h"

void element_chart_draw(const struct view_context *, const struct element_view *);
enum status element_cause_draw(const struct view_context *, const struct element_view *);
/* The finding that may explain a difference in the launch. */
enum status element_finding_draw(const struct view_context *, const struct element_view *);
/* The first point of a block, or of the launch (block -1), that differs: where the difference arose
 * or came in. Draws nothing if no point differs. */
enum status element_first_point(const struct view_context *, const struct element_view *,
				int64_t block);
/* The values of a point on both sides. */
enum status element_point_draw(const struct view_context *, const struct element_view *);

/* "  at kernels/attend_keys.cuh:45", if the text has the point. */
void element_point_place(const struct view_context *, const struct kernel_text *,
			 const char *point);

#endif
