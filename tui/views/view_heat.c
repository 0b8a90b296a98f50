/* view_heat.c - weights as heat or as marks, and the legend of both; see view_heat.h. */
#include "tui/views/view_heat.h"

#include <math.h>

#include "tui/views/view_print.h"

void view_heat_key(const struct view_context *c, char byte, double weight)
{
	if (!c->heat)
		view_styled(c, STYLE_CHART, "%c", view_format_mark(c->looks.scale, weight));
	else if (isnan(weight))
		view_styled(c, STYLE_WRONG, "?");
	else
		view_styled(c, STYLE_HEAT + view_format_heat(c->looks.scale, weight), "%c", byte);
}

/* "0.1 ## 1 ## 10 ## 100 %": two levels between ticks. */
void view_heat_ramp(const struct view_context *c)
{
	view_styled(c, STYLE_NOTE, " weight %s ", view_format_tick(c->looks.scale, 0));
	for (int level = 1; level <= HEAT_LEVELS; level++) {
		view_styled(c, STYLE_HEAT + level, "  ");
		if (level % 2 == 0)
			view_styled(c, STYLE_NOTE, " %s%s",
				    view_format_tick(c->looks.scale, level / 2),
				    level < HEAT_LEVELS ? " " : "");
	}
}

void view_heat_legend(const struct view_context *c, const char *more)
{
	const char *between = *more ? "; " : "";

	if (!c->heat) {
		view_legend(c, " weights: %s%s%s\n", view_format_marks(c->looks.scale), between,
			    more);
		return;
	}
	view_heat_ramp(c);
	view_styled(c, STYLE_NOTE, "%s%s\n", between, more);
}
