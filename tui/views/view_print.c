/* view_print.c - prints styled text, titles, rows and ends of lists; see view_print.h. */
#include "tui/views/view_print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"

static int print(const struct view_context *c, enum view_style style, const char *format,
		 va_list args)
{
	char small[256], *text = small;
	va_list again;
	int length;

	va_copy(again, args);
	length = vsnprintf(small, sizeof small, format, args);
	if (length >= (int)sizeof small) {
		text = xmalloc((size_t)length + 1);
		vsnprintf(text, (size_t)length + 1, format, again);
	}
	va_end(again);
	display_style(c->out, style);
	display_text(c->out, text);
	if (text != small)
		free(text);
	return length;
}

int view_print(const struct view_context *c, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = print(c, STYLE_PLAIN, format, args);
	va_end(args);
	return length;
}

int view_styled(const struct view_context *c, enum view_style style, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = print(c, style, format, args);
	va_end(args);
	return length;
}

void view_legend(const struct view_context *c, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	for (const char *at = text; *at; at++) {
		bool mark = *at == '`' && at[1];

		at += mark;
		view_styled(c, mark ? STYLE_CHART : STYLE_NOTE, "%c", *at);
	}
}

void view_row_of(const struct view_context *c, int64_t launch, int64_t block)
{
	struct address at = address_none;

	at.run = c->run > 1 ? c->run : -1;
	at.launch = launch;
	at.block = block;
	display_anchor(c->out, &at);
}

void view_title(const struct view_context *c, const char *format, ...)
{
	va_list args;

	view_print(c, "\n");
	va_start(args, format);
	print(c, STYLE_TITLE, format, args);
	va_end(args);
	view_print(c, "\n");
}

const char *view_all_hint(const struct view_context *c)
{
	switch (c->output) {
	case OUTPUT_VIEWER: return ": + shows them";
	case OUTPUT_PAGE: return "";
	default: return ": --all shows them";
	}
}

bool view_fits(const struct view_context *c, int64_t shown, int64_t limit)
{
	return c->all || shown < limit;
}

void view_more(const struct view_context *c, int64_t rows, int64_t limit)
{
	if (!view_fits(c, rows - 1, limit))
		view_print(c, "  ... %" PRId64 " more%s\n", rows - limit, view_all_hint(c));
}
