/* viewer_compare.c - lights the digits in which two displays of the same place differ; see
 * viewer_compare.h.
 *
 * Lines correspond if they have the same number and are the row of the same address. They are
 * compared word by word if they have the same number of words. Heat and notes stay as they are.
 */
#include "tui/viewer/viewer_compare.h"

#include <string.h>

#include "tui/views/view_digits.h"

#define BLANKS " >"                     /* between words; '>' marks a row */
#define WORD 80                         /* bytes of a word that are compared */

struct word {
	const char *text;               /* in the line */
	size_t length;
};

/* The word at `text`, or the next one; false: there is none. */
static bool next_word(const char *text, struct word *w)
{
	w->text = text + strspn(text, BLANKS);
	w->length = strcspn(w->text, BLANKS);
	return w->length > 0;
}

static size_t count_words(const char *text)
{
	struct word w = { text, 0 };
	size_t count = 0;

	while (next_word(w.text + w.length, &w))
		count++;
	return count;
}

/* Leaves out the run of an address: "r2.L12" is L12 of the other run. */
static void skip_run(struct word *w)
{
	size_t digits = *w->text == 'r' ? strspn(w->text + 1, "0123456789") : 0;

	if (digits > 0 && digits + 2 < w->length && w->text[digits + 1] == '.') {
		w->text += digits + 2;
		w->length -= digits + 2;
	}
}

static bool is_chart(const struct word *w)
{
	return strspn(w->text, "#=+.-|:@") >= w->length;
}

/* The byte of the first difference of two words; their length if they are equal. */
static size_t apart(const struct word *a, const struct word *b)
{
	char one[WORD], two[WORD];

	if (a->length >= WORD || b->length >= WORD)
		return 0;
	memcpy(one, a->text, a->length);
	memcpy(two, b->text, b->length);
	one[a->length] = two[b->length] = '\0';
	return view_digits_apart(one, two);
}

static void light(struct display *d, size_t line, const struct word *w, size_t from)
{
	size_t at = (size_t)(w->text - display_line(d, line)->text);
	enum view_style style = display_style_at(d, line, at);

	if (from < w->length && style < STYLE_HEAT && style != STYLE_NOTE)
		display_restyle(d, line, at + from, at + w->length, STYLE_DIFFERS);
}

static void compare_line(struct display *d[2], size_t line)
{
	const char *text[2] = { display_line(d[0], line)->text, display_line(d[1], line)->text };
	struct word a = { text[0], 0 }, b = { text[1], 0 };

	if (strcmp(text[0], text[1]) == 0 || count_words(text[0]) != count_words(text[1]))
		return;
	while (next_word(a.text + a.length, &a) && next_word(b.text + b.length, &b)) {
		size_t same;

		skip_run(&a);
		skip_run(&b);
		if ((a.length == b.length && memcmp(a.text, b.text, a.length) == 0)
		    || (is_chart(&a) && is_chart(&b)))
			continue;
		same = apart(&a, &b);
		light(d[0], line, &a, same);
		light(d[1], line, &b, same);
	}
}

/* Whether two lines are rows of the same place, or of none. */
static bool same_place(const struct display_line *a, const struct display_line *b)
{
	struct address at[2] = { a->at, b->at };

	at[0].run = at[1].run = -1;
	return address_equal(&at[0], &at[1]);
}

void viewer_compare(struct display *a, struct display *b)
{
	struct display *both[2] = { a, b };
	size_t count = display_count(a) < display_count(b) ? display_count(a) : display_count(b);

	for (size_t i = 0; i < count; i++)
		if (same_place(display_line(a, i), display_line(b, i)))
			compare_line(both, i);
}
