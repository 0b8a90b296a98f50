/* plot.c - draws a line plot as an SVG; see plot.h.
 *
 * Everything is an attribute, because office programs ignore CSS.
 */
#include "tui/bench/plot.h"

#include <math.h>
#include <string.h>

#include "base/output.h"

enum {
	WIDTH = 960, HEIGHT = 540, LEFT = 84, TOP = 84, BOTTOM = 64, LEGEND = 232,
	RIGHT = WIDTH - LEGEND, FLOOR = HEIGHT - BOTTOM, LEGEND_LINE = 24
};
#define FONTS "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
#define INK "#1d2433"
#define QUIET "#525c6f"

/* Apart in brightness too, for a projector and for readers who do not see every colour. */
static const char *const colours[] = {
	"#0b4fb3", "#c2500a", "#0f7a5a", "#8a2f8f", "#5b4a00", "#b00030", "#0a7fa8", "#404a5c"
};
enum { COLOURS = sizeof colours / sizeof colours[0] };

/* The values along an axis, and where they are drawn. */
struct range {
	enum plot_scale scale;
	double min, max;                /* as drawn: logarithms of a logarithmic axis */
	double from, to;                /* in the picture */
};

static double scaled(enum plot_scale scale, double value)
{
	return scale == PLOT_LINEAR ? value : scale == PLOT_LOG2 ? log2(value) : log10(value);
}

static double unscaled(enum plot_scale scale, double value)
{
	return scale == PLOT_LINEAR ? value : pow(scale == PLOT_LOG2 ? 2.0 : 10.0, value);
}

static bool drawable(const struct range *r, double value)
{
	return isfinite(value) && (r->scale == PLOT_LINEAR || value > 0.0);
}

static double place(const struct range *r, double value)
{
	return r->from + (scaled(r->scale, value) - r->min) / (r->max - r->min) * (r->to - r->from);
}

/* --- ranges and ticks --- */

static void extend(struct range *r, double value)
{
	if (!drawable(r, value))
		return;
	r->min = fmin(r->min, scaled(r->scale, value));
	r->max = fmax(r->max, scaled(r->scale, value));
}

/* The distance of the ticks of a linear axis: 1, 2 or 5 times a power of ten. */
static double tick_distance(double extent, int ticks)
{
	double rough = extent / ticks, power = pow(10.0, floor(log10(rough)));

	return rough <= power ? power : rough <= 2 * power ? 2 * power
		: rough <= 5 * power ? 5 * power : 10 * power;
}

/* Rounds to where a tick is. Linear y axes begin at 0, so that heights can be compared. */
static void finish_range(struct range *r, bool upright)
{
	double tick;

	if (!(r->min <= r->max))
		r->min = r->max = r->scale == PLOT_LINEAR ? 0.0 : 1.0;
	if (r->scale == PLOT_LINEAR && upright)
		r->min = fmin(r->min, 0.0);
	if (r->max - r->min < 1e-9)
		r->max = r->min + 1.0;
	if (r->scale == PLOT_LINEAR) {
		tick = tick_distance(r->max - r->min, 6);
		r->min = floor(r->min / tick + 1e-9) * tick;
		r->max = ceil(r->max / tick - 1e-9) * tick;
	} else if (upright) {
		r->min = floor(r->min + 1e-9);
		r->max = ceil(r->max - 1e-9);
	}
}

static void find_ranges(const struct plot *p, struct range *x, struct range *y)
{
	*x = (struct range){ p->x.scale, INFINITY, -INFINITY, LEFT, RIGHT - 24 };
	*y = (struct range){ p->y.scale, INFINITY, -INFINITY, FLOOR, TOP };
	for (size_t s = 0; s < p->series_count; s++)
		for (size_t i = 0; i < p->series[s].count; i++) {
			if (!drawable(y, p->series[s].y[i]))
				continue;
			extend(x, p->series[s].x[i]);
			extend(y, p->series[s].y[i]);
		}
	for (size_t i = 0; i < p->limit_count; i++)
		extend(y, p->limits[i].y);
	finish_range(x, false);
	finish_range(y, true);
}

/* "4,096", "0.05", "1e+09" */
static void format_number(double value, char text[40])
{
	char digits[32];
	size_t length, used = 0;

	if (value < 1000 || value >= 1e9 || value != floor(value)) {
		snprintf(text, 40, "%.4g", value);
		return;
	}
	snprintf(digits, sizeof digits, "%.0f", value);
	length = strlen(digits);
	for (size_t i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			text[used++] = ',';
		text[used++] = digits[i];
	}
	text[used] = '\0';
}

/* The distance of an axis's ticks, as drawn: of a long logarithmic axis, several powers. */
static double distance_of(const struct range *r)
{
	double extent = r->max - r->min;

	return r->scale == PLOT_LINEAR ? tick_distance(extent, 6) : fmax(1.0, ceil(extent / 10.0));
}

/* --- drawing --- */

static void put_markup(FILE *out, const char *text)
{
	for (; *text; text++) {
		const char *escape = *text == '&' ? "&amp;" : *text == '<' ? "&lt;"
			: *text == '>' ? "&gt;" : NULL;

		if (escape)
			fputs(escape, out);
		else
			putc(*text, out);
	}
}

static void put_text(FILE *out, double x, double y, const char *how, const char *text)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, how);
	put_markup(out, text);
	fputs("</text>\n", out);
}

static void put_line(FILE *out, double x1, double y1, double x2, double y2, const char *how)
{
	fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2,
		y2, how);
}

static void draw_ticks(FILE *out, const struct range *r, bool upright)
{
	double distance = distance_of(r);
	char text[40];

	for (double t = ceil(r->min / distance - 1e-9) * distance; t <= r->max + 1e-9 * distance;
	     t += distance) {
		double at = place(r, unscaled(r->scale, t));

		format_number(unscaled(r->scale, fabs(t) < 1e-9 * distance ? 0.0 : t), text);
		if (upright) {
			put_line(out, LEFT, at, RIGHT - 24, at, "stroke=\"#dfe3ea\"");
			put_text(out, LEFT - 10, at + 5, "text-anchor=\"end\"", text);
		} else {
			put_line(out, at, FLOOR, at, FLOOR + 6, "stroke=\"" QUIET "\"");
			put_text(out, at, FLOOR + 24, "text-anchor=\"middle\"", text);
		}
	}
}

static void draw_marker(FILE *out, size_t number, double x, double y)
{
	const char *colour = colours[number % COLOURS];

	/* Series of the same colour have different markers. */
	switch ((number + number / COLOURS) % 4) {
	case 0:
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>", x, y, colour);
		break;
	case 1:
		fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\" fill=\"%s\"/>",
			x - 4, y - 4, colour);
		break;
	case 2:
		fprintf(out, "<path d=\"M%.1f %.1fl5 9h-10z\" fill=\"%s\"/>", x, y - 6, colour);
		break;
	default:
		fprintf(out, "<path d=\"M%.1f %.1fl5.5 5.5l-5.5 5.5l-5.5 -5.5z\" fill=\"%s\"/>", x,
			y - 5.5, colour);
	}
}

enum { MOST_MARKED = 40 };              /* points; a line of more is drawn without markers */

static void draw_series(FILE *out, const struct plot_series *s, size_t number,
			const struct range *x, const struct range *y)
{
	bool pen = false;

	fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\""
		" stroke-linejoin=\"round\"%s d=\"", colours[number % COLOURS],
		s->peer ? " stroke-dasharray=\"7 5\"" : "");
	for (size_t i = 0; i < s->count; i++) {
		bool here = drawable(x, s->x[i]) && drawable(y, s->y[i]);

		if (here)
			fprintf(out, "%c%.1f %.1f", pen ? 'L' : 'M', place(x, s->x[i]),
				place(y, s->y[i]));
		pen = here;
	}
	fputs("\"/>\n", out);
	for (size_t i = 0; i < s->count && s->count <= MOST_MARKED; i++)
		if (drawable(x, s->x[i]) && drawable(y, s->y[i]))
			draw_marker(out, number, place(x, s->x[i]), place(y, s->y[i]));
	putc('\n', out);
}

/* Longer texts are drawn smaller. */
enum { LEGEND_LETTERS = 24, NOTE_LETTERS = 120 };

static double size_of(const char *text, int letters, double size)
{
	return fmin(size, size * letters / (double)strlen(text));
}

static void draw_legend(FILE *out, const struct plot *p)
{
	/* Many lines move together. */
	double line = fmin(LEGEND_LINE, (FLOOR - TOP - 12.0) / (double)p->series_count);
	char look[40];

	for (size_t i = 0; i < p->series_count; i++) {
		double y = TOP + 12 + (double)i * line;

		fprintf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\""
			" stroke-width=\"2.5\"%s/>", RIGHT, y, RIGHT + 32, y, colours[i % COLOURS],
			p->series[i].peer ? " stroke-dasharray=\"7 5\"" : "");
		draw_marker(out, i, RIGHT + 16, y);
		snprintf(look, sizeof look, "font-size=\"%.1f\"",
			 size_of(p->series[i].name, LEGEND_LETTERS, 15));
		put_text(out, RIGHT + 42, y + 5, look, p->series[i].name);
	}
}

static void draw_limits(FILE *out, const struct plot *p, const struct range *y)
{
	for (size_t i = 0; i < p->limit_count; i++) {
		double at = place(y, p->limits[i].y);

		put_line(out, LEFT, at, RIGHT - 24, at,
			 "stroke=\"#b00030\" stroke-width=\"1.5\" stroke-dasharray=\"2 4\"");
		put_text(out, LEFT + 10, at - 7, "fill=\"#b00030\" font-size=\"14\"",
			 p->limits[i].name);
	}
}

void plot_draw(const struct plot *p, FILE *out)
{
	struct range x, y;
	char look[60];

	find_ranges(p, &x, &y);
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%d\" height=\"%d\""
		" viewBox=\"0 0 %d %d\" font-family=\"" FONTS "\" font-size=\"15\" fill=\"" INK
		"\">\n<title>", WIDTH, HEIGHT, WIDTH, HEIGHT);
	put_markup(out, p->title);
	fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", out);
	put_text(out, 24, 34, "font-size=\"20\" font-weight=\"bold\"", p->title);
	if (p->note) {
		snprintf(look, sizeof look, "fill=\"" QUIET "\" font-size=\"%.1f\"",
			 size_of(p->note, NOTE_LETTERS, 14));
		put_text(out, 24, 58, look, p->note);
	}
	draw_ticks(out, &y, true);
	draw_ticks(out, &x, false);
	put_line(out, LEFT, FLOOR, RIGHT - 24, FLOOR, "stroke=\"" QUIET "\"");
	put_text(out, (LEFT + RIGHT - 24) / 2.0, HEIGHT - 14, "text-anchor=\"middle\"", p->x.label);
	fprintf(out, "<g transform=\"translate(22 %.1f) rotate(-90)\">", (TOP + FLOOR) / 2.0);
	put_text(out, 0, 0, "text-anchor=\"middle\"", p->y.label);
	fputs("</g>\n", out);
	draw_limits(out, p, &y);
	for (size_t i = 0; i < p->series_count; i++)
		draw_series(out, &p->series[i], i, &x, &y);
	draw_legend(out, p);
	fputs("</svg>\n", out);
}

enum status plot_write(const struct plot *p, const char *path)
{
	struct output output;

	TRY(output_open(path, &output));
	plot_draw(p, output.file);
	return output_commit(&output);
}
