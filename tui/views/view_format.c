/* view_format.c - numbers, distances and weights in the chosen formats; see view_format.h. */
#include "tui/views/view_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "tui/views/view_display.h"

const char *const view_number_names[NUMBER_COUNT] = { "dec", "full", "hex", "bits" };
const char *const view_distance_names[DISTANCE_COUNT] = { "ulp", "abs", "rel" };
const char *const view_scale_names[SCALE_COUNT] = { "linear", "log" };

/* --- options --- */

void view_format_options(const struct view_format *looks, char text[VIEW_FORMAT_OPTIONS])
{
	snprintf(text, VIEW_FORMAT_OPTIONS, "%s%s%s%s%s%s",
		 looks->number ? " --number " : "",
		 looks->number ? view_number_names[looks->number] : "",
		 looks->distance ? " --distance " : "",
		 looks->distance ? view_distance_names[looks->distance] : "",
		 looks->scale ? " --scale " : "",
		 looks->scale ? view_scale_names[looks->scale] : "");
}

/* --- numbers --- */

static float f32_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static void write_decimal(float value, char text[VIEW_FORMAT_NUMBER])
{
	if (isnan(value)) {
		snprintf(text, VIEW_FORMAT_NUMBER, "nan");
		return;
	}
	for (int digits = 6; digits <= 9; digits++) {
		snprintf(text, VIEW_FORMAT_NUMBER, "%.*g", digits, value);
		if (strtof(text, NULL) == value)
			break;
	}
}

/* Bits with sign, exponent and fraction separated. */
static void write_bits(uint32_t bits, char text[VIEW_FORMAT_NUMBER])
{
	for (int bit = 31; bit >= 0; bit--) {
		*text++ = bits >> bit & 1 ? '1' : '0';
		if (bit == 31 || bit == 23)
			*text++ = ' ';
	}
	*text = '\0';
}

void view_format_number(enum view_number number, uint32_t bits, char text[VIEW_FORMAT_NUMBER])
{
	switch (number) {
	case NUMBER_HEX:
		snprintf(text, VIEW_FORMAT_NUMBER, "0x%08" PRIx32, bits);
		break;
	case NUMBER_BITS:
		write_bits(bits, text);
		break;
	default:
		write_decimal(f32_of(bits), text);
	}
}

/* --- distances --- */

double view_format_measure(enum view_distance distance, float a, float b)
{
	double apart = fabs((double)a - b);
	int64_t ulp = value_distance(DTYPE_F32, bits_of(a), bits_of(b));

	if (bits_of(a) == bits_of(b) || (isnan(a) && isnan(b)))
		return 0.0;
	if (ulp < 0)
		return NAN;
	switch (distance) {
	case DISTANCE_ABS: return apart;
	case DISTANCE_REL: return apart == 0.0 ? 0.0 : apart / fabs((double)b);
	default: return (double)ulp;
	}
}

void view_format_measured(enum view_distance distance, double value, char text[VIEW_FORMAT_NUMBER])
{
	if (isnan(value))
		snprintf(text, VIEW_FORMAT_NUMBER, "-");
	else
		snprintf(text, VIEW_FORMAT_NUMBER, distance == DISTANCE_ULP ? "%.0f" : "%.2g",
			 value);
}

/* --- weights --- */

static const struct {
	double min[3];                  /* of '.', ':' and '@' */
	const char *legend;
	double coldest;                 /* weight of the first level of heat */
	const char *ticks[HEAT_LEVELS / 2 + 1]; /* weights where every second level begins */
} scales[SCALE_COUNT] = {
	[SCALE_LINEAR] = { { 0.01, 0.05, 0.2 },
			   "' ' under 1 %, `. under 5 %, `: under 20 %, `@ more",
			   1e-3, { "0.1", "1", "10", "100 %" } },
	[SCALE_LOG] = { { 1e-5, 1e-3, 1e-1 },
			"' ' under 1e-5, `. under 1e-3, `: under 1e-1, `@ more (log)",
			1e-6, { "1e-6", "1e-4", "1e-2", "1" } },
};

char view_format_mark(enum view_scale scale, double weight)
{
	const double *min = scales[scale].min;

	if (isnan(weight))
		return '?';
	return weight < min[0] ? ' ' : weight < min[1] ? '.' : weight < min[2] ? ':' : '@';
}

const char *view_format_marks(enum view_scale scale)
{
	return scales[scale].legend;
}

int view_format_heat(enum view_scale scale, double weight)
{
	double coldest = log10(scales[scale].coldest);
	int level;

	if (!(weight >= scales[scale].coldest))
		return 0;
	/* A damaged weight may be too large for a level. */
	if (weight >= 1.0)
		return HEAT_LEVELS;
	level = 1 + (int)((log10(weight) - coldest) / -coldest * HEAT_LEVELS);
	return level < HEAT_LEVELS ? level : HEAT_LEVELS;
}

const char *view_format_tick(enum view_scale scale, int tick)
{
	return scales[scale].ticks[tick];
}
