/* export_svg.c - one screen as a picture for slides.
 *
 * Steps, chunks, reductions, weights over the text, time and memory are drawn with shapes
 * (slide.h). Other screens are text, dark on white, sized to its content: the lines of
 * `view --plain`, each a <text> that can be selected and searched; colours only repeat what the
 * text says, and a header names trace, run, screen and address. Styles are attributes, because
 * office programs ignore CSS.
 */
#include "tui/export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "base/xalloc.h"
#include "tui/export/slide.h"
#include "tui/views/view_list.h"

#define CELL 8.4                        /* width of a character */
#define LINE 17                         /* distance between lines */
#define MARGIN 14
#define HEADER 34                       /* height of the header, above the first line */
#define MIN_COLUMNS 60

static const char *const looks[STYLE_COUNT] = {
	[STYLE_TITLE] = " font-weight=\"bold\"",
	[STYLE_HEADING] = " text-decoration=\"underline\"",
	[STYLE_NOTE] = " fill=\"#595959\"",
	[STYLE_WRONG] = " fill=\"#a34700\" font-weight=\"bold\"",
	[STYLE_NEW] = " fill=\"#0b4fb3\" font-weight=\"bold\"",
	[STYLE_CHART] = " fill=\"#0b4fb3\"",
};

/* Sets the text's length, so that columns align in any font. */
static void open_text(FILE *out, double x, double y, size_t columns, const char *look)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\""
		" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\"%s>", x, y,
		columns * CELL, look);
}

/* --- lines --- */

static void put_spans(FILE *out, const struct display_line *line, const char *text)
{
	size_t bytes = strlen(text), from = 0;

	for (size_t i = 0; i <= line->span_count; i++) {
		size_t to = i < line->span_count ? line->spans[i].from : bytes;
		const char *look = i > 0 ? looks[line->spans[i - 1].style] : NULL;

		if (to > from) {
			fprintf(out, look ? "<tspan%s>" : "", look);
			export_markup(out, text + from, to - from);
			fputs(look ? "</tspan>" : "", out);
		}
		from = to;
	}
}

/* Spans count bytes of the line as drawn; export_text() keeps the number of bytes. */
static void put_line(FILE *out, const struct display_line *line, double y, bool current,
		     double width)
{
	char *text = export_text(line->text);
	size_t columns = visible_columns(text, strlen(text));

	if (current)
		fprintf(out, "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\""
			" fill=\"#e4ecf7\"/>\n", MARGIN / 2, y - LINE + 4.5, width - MARGIN, LINE);
	if (columns > 0) {
		open_text(out, MARGIN, y, columns, "");
		put_spans(out, line, text);
		fputs("</text>\n", out);
	}
	free(text);
}

static size_t widest(const struct display *d)
{
	size_t columns_needed = MIN_COLUMNS;

	for (size_t i = 0; i < display_count(d); i++) {
		char *text = export_text(display_line(d, i)->text);
		size_t columns = visible_columns(text, strlen(text));

		columns_needed = columns > columns_needed ? columns : columns_needed;
		free(text);
	}
	return columns_needed;
}

/* --- the picture --- */

/* "demo.twin r1 | chunks at L12.b3", clean. The caller frees it. */
static char *picture_title(const struct export_job *job, const struct view *screen, int64_t run)
{
	char at[ADDRESS_TEXT], *raw, *text;

	address_format(&job->at, at);
	raw = xasprintf("%s%s%s r%" PRId64 " | %s%s%s", job->name, job->other ? ", " : "",
			  job->other ? job->other_name : "", run, screen->name, *at ? " at " : "",
			  at);
	text = export_text(raw);
	free(raw);
	return text;
}

static void put_picture(FILE *out, const struct display *d, const struct address *at,
			const char *title, const char *summary)
{
	size_t columns = widest(d), title_columns = visible_columns(title, strlen(title));
	double width, height = MARGIN + HEADER + display_count(d) * (double)LINE + MARGIN;
	long row = display_row(d, at);

	width = 2 * MARGIN + (columns > title_columns ? columns : title_columns) * CELL;
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%.0f\""
		" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" font-size=\"14\" fill=\"#111111\""
		" font-family=\"'DejaVu Sans Mono', 'Liberation Mono', Consolas, Menlo,"
		" monospace\">\n<title>", width, height, width, height);
	export_markup(out, title, strlen(title));
	fputs("</title>\n<desc>", out);
	export_markup(out, summary, strlen(summary));
	fprintf(out, "</desc>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
		"<line x1=\"%d\" y1=\"%d\" x2=\"%.0f\" y2=\"%d\" stroke=\"#595959\"/>\n", MARGIN,
		MARGIN + 20, width - MARGIN, MARGIN + 20);
	open_text(out, MARGIN, MARGIN + 12, title_columns, " font-weight=\"bold\"");
	export_markup(out, title, strlen(title));
	fputs("</text>\n", out);
	for (size_t i = 0; i < display_count(d); i++)
		put_line(out, display_line(d, i), MARGIN + HEADER + (i + 0.7) * LINE,
			 (long)i == row, width);
	fputs("</svg>\n", out);
}

/* The lines of a screen that has no picture, or nothing to draw one of. */
static enum status write_lines(const struct export_job *job, const struct view *screen)
{
	struct display *display;
	int64_t run;
	enum status status = export_draw(job, screen, &run, &display);

	if (status == STATUS_OK) {
		char *title = picture_title(job, screen, run);

		put_picture(job->out, display, &job->at, title, screen->summary);
		free(title);
	}
	display_free(display);
	return status;
}

static enum status write_svg(const struct export_job *job)
{
	const struct view *screen = job->play ? &view_step : export_screen(job);
	bool drawn;

	TRY(slide_write(job, screen, job->play, &drawn));
	return drawn ? STATUS_OK : write_lines(job, screen);
}

const struct export_format export_svg = { .name = "svg", .screens = true, .pairs = true,
	.plays = true, .write = write_svg };
