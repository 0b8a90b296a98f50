/* view_digits.c - lights the digits in which two numbers differ; see view_digits.h. */
#include "tui/views/view_digits.h"

#include <string.h>

#include "tui/views/view_print.h"

/* How many digits a number has before its point. */
static size_t whole_digits(const char *text)
{
	return strspn(text + (*text == '-'), "0123456789");
}

size_t view_digits_apart(const char *a, const char *b)
{
	size_t same = 0;

	if ((*a == '-') != (*b == '-') || whole_digits(a) != whole_digits(b))
		return strcmp(a, b) == 0 ? strlen(a) : 0;
	while (a[same] && a[same] == b[same])
		same++;
	return same;
}

void view_digits(const struct view_context *c, int width, const char *text, const char *other)
{
	size_t same = view_digits_apart(text, other);

	view_print(c, "%*s%.*s", width > (int)strlen(text) ? width - (int)strlen(text) : 0, "",
		   (int)same, text);
	if (text[same])
		view_styled(c, STYLE_DIFFERS, "%s", text + same);
}
