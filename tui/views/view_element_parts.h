/* view_element_parts.h - what is drawn of an element beside the table; parts of view_element.c.
 *
 * view_element_chart.c counts and charts, view_element_cause.c tells where a value came from,
 * view_element_finding.c what may explain a difference, view_element_point.c has named points.
 */
#ifndef VIEW_ELEMENT_PARTS_H
#define VIEW_ELEMENT_PARTS_H

#include "tui/views/kernel_text.h"
#include "tui/views/view_element_value.h"

void element_chart_draw(const struct view_context *, const struct element_view *);
enum status element_cause_draw(const struct view_context *, const struct element_view *);
/* The finding that may explain a difference in the launch. */
enum status element_finding_draw(const struct view_context *, const struct element_view *);
/* The first point that differs of a block, or (-1) of the launch: where the difference was born, or
 * came in. Nothing where none does. */
enum status element_first_point(const struct view_context *, const struct element_view *,
				int64_t block);
/* The values of a point on both sides. */
enum status element_point_draw(const struct view_context *, const struct element_view *);

/* "  at kernels/attend_keys.cuh:45", where the text has the point. */
void element_point_place(const struct view_context *, const struct kernel_text *,
			 const char *point);

#endif
