/* plot.h - a line plot as an SVG: several series, linear or logarithmic axes, a legend, limits.
 *
 * Used by the suites of `flashtwin bench` to draw what their tables say. Text stays text, in fonts
 * that every system has; each series has its own colour, marker and, if it is a peer's, a dashed
 * line, so that a plot can be read without colours.
 */
#ifndef PLOT_H
#define PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

enum plot_scale { PLOT_LINEAR, PLOT_LOG2, PLOT_LOG10 };

struct plot_axis {
	const char *label;              /* with its unit: "time, ms" */
	enum plot_scale scale;          /* logarithmic: values that are not above 0 are left out */
};

/* A line through (x[i], y[i]), in the order given. A y that is NaN was not measured: a gap. */
struct plot_series {
	const char *name;
	const double *x, *y;            /* [count] */
	size_t count;
	bool peer;                      /* another program's: dashed */
};

/* A horizontal line with its name above it. */
struct plot_limit {
	const char *name;
	double y;
};

struct plot {
	const char *title;
	const char *note;               /* below the title: device, sizes, ...; NULL: none */
	struct plot_axis x, y;
	const struct plot_series *series;
	size_t series_count;
	const struct plot_limit *limits;
	size_t limit_count;
};

/* Draws into a stream; the caller checks it for errors. */
void plot_draw(const struct plot *, FILE *);
/* Writes a file, which appears complete or not at all. IO as for output_open(). */
enum status plot_write(const struct plot *, const char *path);

#endif
