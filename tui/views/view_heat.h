/* view_heat.h - weights as heat: the background of the text itself; marks where there are no
 * colours for it.
 *
 * The one place that says how a weight looks. Used by the screens that draw weights of keys.
 */
#ifndef VIEW_HEAT_H
#define VIEW_HEAT_H

#include "tui/views/view.h"

/* Prints one key: its character on the heat of its weight, or, without colours for heat, the mark
 * of its weight. */
void view_heat_key(const struct view_context *, char byte, double weight);
/* Prints the levels of heat between the weights where they begin; for colours only. */
void view_heat_ramp(const struct view_context *);
/* Prints the legend on a line, followed by `more`, which may be empty. */
void view_heat_legend(const struct view_context *, const char *more);

#endif
