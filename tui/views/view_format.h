/* view_format.h - how views write numbers: their base, the kind of distance, the scale of charts.
 *
 * The choice applies to every screen: keys x, u and L of the viewer, and options of `view --plain`.
 * It depends on no screen. Used by the views.
 */
#ifndef VIEW_FORMAT_H
#define VIEW_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum view_number {
	NUMBER_DEC,                     /* rounded in tables of chunks and merges */
	NUMBER_FULL,                    /* decimal, with all digits everywhere */
	NUMBER_HEX,                     /* bits as 0x3f800000 */
	NUMBER_BITS,                    /* sign, exponent and fraction: 0 01111111 000... */
	NUMBER_COUNT
};

enum view_distance {
	DISTANCE_ULP,                   /* representable numbers from one to the other */
	DISTANCE_ABS,                   /* |a - b| */
	DISTANCE_REL,                   /* |a - b| / |b| */
	DISTANCE_COUNT
};

enum view_scale { SCALE_LINEAR, SCALE_LOG, SCALE_COUNT };

struct view_format {
	enum view_number number;
	enum view_distance distance;
	enum view_scale scale;
};

/* Their names in options and messages: "hex", "ulp", "log". */
extern const char *const view_number_names[NUMBER_COUNT];
extern const char *const view_distance_names[DISTANCE_COUNT];
extern const char *const view_scale_names[SCALE_COUNT];

/* The options that choose them, "" for the defaults: " --number hex --scale log". */
#define VIEW_FORMAT_OPTIONS 64
void view_format_options(const struct view_format *, char text[VIEW_FORMAT_OPTIONS]);

/* An f32 from its bits: in decimal the shortest text that reads back the same, "-inf", "nan". */
#define VIEW_FORMAT_NUMBER 40
void view_format_number(enum view_number, uint32_t bits, char text[VIEW_FORMAT_NUMBER]);

/* From a to b: 0 for two of the same bits and for two NaNs; NaN where there is no distance. */
double view_format_measure(enum view_distance, float a, float b);
/* A distance, or a maximum of distances, as text: "3", "1.2e-07"; "-" for NaN. */
void view_format_measured(enum view_distance, double, char text[VIEW_FORMAT_NUMBER]);

/* The character for a weight from 0 to 1 in a chart, and the legend of these characters. */
char view_format_mark(enum view_scale, double weight);
const char *view_format_marks(enum view_scale);
/* The level of heat of such a weight, 0 (none) to HEAT_LEVELS, on a logarithmic scale that begins
 * at 0.1 %, or at 1e-6 for SCALE_LOG; and the weight where level 1 + 2 * tick begins, or, for the
 * last tick, where the scale ends. */
int view_format_heat(enum view_scale, double weight);
const char *view_format_tick(enum view_scale, int tick);

#endif
