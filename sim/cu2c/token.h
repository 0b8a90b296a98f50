/* token.h - preprocessed C as a list of tokens, with the text between them.
 *
 * Each token carries the blanks, comments and # lines before it, so that single tokens can be
 * replaced and the rest, with all line numbers, is written back unchanged. Knows only lexical
 * structure and matching brackets; sim/cu2c/unit.h finds declarations. Used by the rewriter.
 */
#ifndef TOKEN_H
#define TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

enum token_kind { TOKEN_IDENTIFIER, TOKEN_NUMBER, TOKEN_QUOTED, TOKEN_PUNCTUATION, TOKEN_END };

struct token {
	enum token_kind kind;
	const char *text;               /* points into the source text; not owned. A qualifier that
					 * is spelled __attribute__((shared)) is __shared__. */
	int length;
	const char *space;              /* blanks, comments and # lines before it */
	int space_length;
	const char *file;               /* from the last line marker; not NUL-terminated */
	int file_length, line;
	bool system;                    /* in a system header, by the line marker */
	int match;                      /* of a bracket: index of its partner, else -1 */
	const char *instead;            /* written in place of the text if not NULL */
};

/* `at[count - 1]` is the TOKEN_END, whose space is the rest of the text. */
struct tokens {
	struct token *at;
	int count;
	const char *file;               /* from the first line marker; not NUL-terminated */
	int file_length;
};

/* Splits `text`, which must outlive the tokens. `file` is its name until the first line marker.
 * COMPILE with "FILE:LINE: TEXT" for an unclosed comment, string or bracket. Free with
 * tokens_free(). */
enum status tokens_read(const char *file, const char *text, size_t bytes, struct tokens *out);
void tokens_free(struct tokens *);

/* Inline, because a compiler knows the length of a constant: the rewriter compares every token with
 * many of them. */
static inline bool token_is(const struct token *t, const char *text)
{
	size_t length = strlen(text);

	return (size_t)t->length == length && memcmp(t->text, text, length) == 0;
}

/* Whether the token is in the NULL-terminated list, which has no empty text. */
bool token_among(const struct token *, const char *const *list);
bool token_opens(const struct token *);         /* ( [ { */
bool token_closes(const struct token *);
bool token_same(const struct token *, const struct token *);

/* Writes the space, then the text or its replacement. */
void token_write(const struct token *, FILE *);

/* Fails with COMPILE and "FILE:LINE: " before the message. */
enum status token_fail(const struct token *, const char *format, ...)
	__attribute__((format(printf, 2, 3), cold));

#endif
