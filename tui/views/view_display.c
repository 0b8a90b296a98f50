/* view_display.c - lines of styled text, stored or printed at once; see view_display.h. */
#include "tui/views/view_display.h"

#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "base/xalloc.h"

struct display {
	FILE *sink;
	struct address at;
	struct display_line *lines;     /* stored, when there is no sink */
	size_t count, capacity;

	/* The line being written. */
	char *text;
	size_t length, text_room;
	struct display_span *spans;
	size_t span_count, span_room;
	enum view_style style;
	struct address anchor;
};

struct display *display_create(FILE *sink, const struct address *at)
{
	struct display *d = xcalloc(1, sizeof *d);

	d->sink = sink;
	d->at = *at;
	d->anchor = address_none;
	return d;
}

void display_free(struct display *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->count; i++) {
		free(d->lines[i].text);
		free(d->lines[i].spans);
	}
	free(d->lines);
	free(d->text);
	free(d->spans);
	free(d);
}

/* --- writing --- */

static void append(struct display *d, char c)
{
	if (d->length + 1 >= d->text_room) {
		d->text_room = d->text_room ? 2 * d->text_room : 128;
		d->text = xrealloc(d->text, d->text_room);
	}
	d->text[d->length++] = c;
	d->text[d->length] = '\0';
}

static void keep_line(struct display *d)
{
	struct display_line *line;

	if (d->count == d->capacity) {
		d->capacity = d->capacity ? 2 * d->capacity : 64;
		d->lines = xreallocarray(d->lines, d->capacity, sizeof *d->lines);
	}
	line = &d->lines[d->count++];
	line->text = xstrdup(d->length ? d->text : "");
	line->span_count = d->span_count;
	line->spans = NULL;
	line->at = d->anchor;
	if (d->span_count) {
		line->spans = xreallocarray(NULL, d->span_count, sizeof *d->spans);
		memcpy(line->spans, d->spans, d->span_count * sizeof *d->spans);
	}
}

static void end_line(struct display *d)
{
	if (d->length && d->text[0] == ' ' && address_covers(&d->anchor, &d->at))
		d->text[0] = '>';
	if (d->sink)
		fprintf(d->sink, "%s\n", d->length ? d->text : "");
	else
		keep_line(d);
	d->length = 0;
	d->span_count = 0;
	d->style = STYLE_PLAIN;
	d->anchor = address_none;
}

void display_style(struct display *d, enum view_style style)
{
	if (d->style == style)
		return;
	d->style = style;
	if (d->span_count == d->span_room) {
		d->span_room = d->span_room ? 2 * d->span_room : 8;
		d->spans = xreallocarray(d->spans, d->span_room, sizeof *d->spans);
	}
	d->spans[d->span_count++] = (struct display_span){ d->length, style };
}

void display_anchor(struct display *d, const struct address *at)
{
	d->anchor = *at;
}

void display_text(struct display *d, const char *text)
{
	enum view_style style = d->style;

	while (*text) {
		char shown[VISIBLE_BYTES];

		if (*text == '\n') {
			end_line(d);
			text++;
			continue;
		}
		/* The style continues on the next line when a text has several lines. */
		display_style(d, style);
		text += visible_next(text, shown);
		for (const char *c = shown; *c; c++)
			append(d, *c);
	}
}

void display_finish(struct display *d)
{
	if (d->length)
		end_line(d);
}

/* --- reading --- */

size_t display_count(const struct display *d)
{
	return d->count;
}

const struct display_line *display_line(const struct display *d, size_t number)
{
	return &d->lines[number];
}

static bool is_row(const struct display_line *line)
{
	return !address_equal(&line->at, &address_none);
}

long display_row(const struct display *d, const struct address *at)
{
	long best = -1;

	for (size_t i = 0; i < d->count; i++)
		if (address_covers(&d->lines[i].at, at)
		    && (best < 0 || !address_covers(&d->lines[i].at, &d->lines[best].at)))
			best = (long)i;
	return best;
}

long display_next_row(const struct display *d, long from, int direction)
{
	for (long i = from + direction; i >= 0 && i < (long)d->count; i += direction)
		if (is_row(&d->lines[i]))
			return i;
	return -1;
}

void display_mark(struct display *d, const struct address *at)
{
	d->at = *at;
	for (size_t i = 0; i < d->count; i++)
		if (is_row(&d->lines[i]) && strchr(" >", d->lines[i].text[0]) && *d->lines[i].text)
			d->lines[i].text[0] = address_covers(&d->lines[i].at, at) ? '>' : ' ';
}

/* The style of the byte `at`. */
static enum view_style style_at(const struct display_line *line, size_t at)
{
	enum view_style style = STYLE_PLAIN;

	for (size_t i = 0; i < line->span_count && line->spans[i].from <= at; i++)
		style = line->spans[i].style;
	return style;
}

enum view_style display_style_at(const struct display *d, size_t line, size_t at)
{
	return style_at(&d->lines[line], at);
}

void display_restyle(struct display *d, size_t number, size_t from, size_t past,
		     enum view_style style)
{
	struct display_line *line = &d->lines[number];
	const enum view_style after = style_at(line, past);
	struct display_span *spans = xreallocarray(NULL, line->span_count + 2, sizeof *spans);
	size_t count = 0, i = 0;

	for (; i < line->span_count && line->spans[i].from < from; i++)
		spans[count++] = line->spans[i];
	spans[count++] = (struct display_span){ from, style };
	spans[count++] = (struct display_span){ past, after };
	for (; i < line->span_count; i++)
		if (line->spans[i].from > past)
			spans[count++] = line->spans[i];
	free(line->spans);
	line->spans = spans;
	line->span_count = count;
}

int display_width(const struct display *d)
{
	int width = 0;

	for (size_t i = 0; i < d->count; i++) {
		int columns = 0, used = 0;

		/* Neither blanks at the end nor the further bytes of a character of UTF-8. */
		for (const char *c = d->lines[i].text; *c; c++) {
			columns += ((unsigned char)*c & 0xc0) != 0x80;
			used = *c == ' ' ? used : columns;
		}
		if (used > width && style_at(&d->lines[i], 0) != STYLE_NOTE)
			width = used;
	}
	return width;
}

void display_write(const struct display *d, FILE *out)
{
	for (size_t i = 0; i < d->count; i++)
		fprintf(out, "%s\n", d->lines[i].text);
}
