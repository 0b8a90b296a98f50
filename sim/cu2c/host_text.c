/* host_text.c - removes host code from a user's file, for nvcc; see host_text.h.
 *
 * nvcc compiles host code too, which needs all of a framework's headers. The declarations are found
 * in the preprocessed text; the compiler keeps lines, and the columns of lines without macros.
 */
#include "config.h"

#include "sim/cu2c/host_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/cu2c/unit.h"

struct blanking {
	char *text;
	const char **lines;             /* where each begins, and the end of the text */
	int count;
};

static void find_lines(struct blanking *b)
{
	b->lines = xcalloc(strlen(b->text) + 2, sizeof *b->lines);
	b->lines[b->count++] = b->text;
	for (const char *p = b->text; (p = strchr(p, '\n')); )
		b->lines[b->count++] = ++p;
	b->lines[b->count] = b->text + strlen(b->text);
}

/* Where the token is in the text, if its column is the same there; NULL: it is not. */
static const char *find_token(const struct blanking *b, const struct token *t, const char *begin)
{
	const char *text = t->space + t->space_length, *line = text, *at;

	while (line > begin && line[-1] != '\n')
		line--;
	if (text - line > b->lines[t->line] - b->lines[t->line - 1])
		return NULL;
	at = b->lines[t->line - 1] + (text - line);
	return strncmp(at, t->text, (size_t)t->length) == 0 ? at : NULL;
}

/* Whether the line is a directive, or continues one. */
static bool is_directive(const struct blanking *b, int line)
{
	const char *begin = b->lines[line];

	while (line > 0 && begin - b->text >= 2 && begin[-2] == '\\')
		begin = b->lines[--line];
	return begin[strspn(begin, " \t")] == '#';
}

static void blank(struct blanking *b, const char *from, const char *end, int line)
{
	for (; b->lines[line] < end; line++) {
		const char *begin = b->lines[line] > from ? b->lines[line] : from;
		const char *last = b->lines[line + 1] < end ? b->lines[line + 1] : end;

		if (is_directive(b, line))
			continue;
		for (char *p = b->text + (begin - b->text); p < last; p++)
			if (*p != '\n')
				*p = ' ';
	}
}

/* The last character of the literal that begins at `p`, or of a comment to the end of the line; `p`
 * where there is neither. The quote in 1'000 begins none. */
static const char *skip_literal(const char *begin, const char *p, const char *end)
{
	const char quote = *p;

	if (quote == '\'' && p > begin && isalnum((unsigned char)p[-1]))
		return p;
	if (p + 1 < end && p[0] == '/' && p[1] == '/')
		return end - 1;
	if (quote != '"' && quote != '\'')
		return p;
	while (p + 1 < end && *++p != quote)
		p += *p == '\\' && p + 1 < end;
	return p;
}

/* The end of the line, or of a later one if parentheses are open: the expansion of a macro is on
 * the line where its arguments begin. */
static const char *end_of_macro(const struct blanking *b, int line)
{
	int depth = 0;

	for (; line < b->count; line++) {
		for (const char *p = b->lines[line]; p < b->lines[line + 1]; p++) {
			p = skip_literal(b->lines[line], p, b->lines[line + 1]);
			depth += (*p == '(') - (*p == ')');
		}
		if (depth <= 0)
			return b->lines[line + 1];
	}
	return b->lines[line];
}

static void blank_range(struct blanking *b, const struct unit *u, const struct unit_range *r,
			const char *preprocessed)
{
	const struct token *first = token_at(u, r->first), *last = token_at(u, r->last);
	const char *from, *end;

	if (first->line < 1 || last->line > b->count || first->line > last->line)
		return;
	from = find_token(b, first, preprocessed);
	end = find_token(b, last, preprocessed);
	blank(b, from ? from : b->lines[first->line - 1],
	      end ? end + last->length : end_of_macro(b, last->line - 1), first->line - 1);
}

static bool is_in(const struct token *t, const char *file)
{
	return strlen(file) == (size_t)t->file_length
		&& memcmp(t->file, file, (size_t)t->file_length) == 0;
}

enum status host_text_remove(const char *file, const char *preprocessed, size_t bytes,
			     const char *source, char **out)
{
	const struct unit_mode mode = { .user = true, .cplusplus = true };
	struct blanking b = { .text = xstrdup(source) };
	enum status status;
	struct unit u;

	status = unit_read(file, preprocessed, bytes, mode, &u);
	if (status != STATUS_OK) {
		free(b.text);
		return status;
	}
	find_lines(&b);
	for (int i = 0; i < u.dropped_count; i++)
		if (is_in(token_at(&u, u.dropped[i].first), file)
		    && is_in(token_at(&u, u.dropped[i].last), file))
			blank_range(&b, &u, &u.dropped[i], preprocessed);
	free(b.lines);
	unit_free(&u);
	*out = b.text;
	return STATUS_OK;
}
