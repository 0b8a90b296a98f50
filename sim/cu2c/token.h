/* token.h - preprocessed C as a list of tokens that remembers everything between them.
 *
 * Each token carries the blanks, comments and # lines in front of it, so that a text can be changed
 * word by word and written back with every other byte, and so every line number, in place. Knows
 * lexical structure and matching brackets only; sim/cu2c/unit.h finds declarations. Serves the rewriter.
 */
#ifndef TOKEN_H
#define TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

enum token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_QUOTED, TOKEN_PUNCTUATION, TOKEN_END };

struct token {
	enum token_kind kind;
	const char *text;               /* in the source text, which is the caller's */
	int length;
	const char *space;              /* blanks, comments and # lines in front of it */
	int space_length;
	const char *file;               /* of the line marker in force, not terminated */
	int file_length, line;
	bool system;                    /* from a system header, by the line marker */
	int match;                      /* brackets: index of the partner, else -1 */
	const char *instead;            /* written in place of the text when set */
};

/* `at[count - 1]` is the TOKEN_END, whose space is the end of the text. */
struct tokens {
	struct token *at;
	int count;
	const char *file;               /* the source, by the first line marker; not terminated */
	int file_length;
};

/* Splits `text`, which must outlive the tokens. `file` names it where no line marker does. COMPILE
 * for an open comment, string or bracket, as "FILE:LINE: TEXT". Free with tokens_free(). */
enum status tokens_read(const char *file, const char *text, size_t bytes, struct tokens *out);
void tokens_free(struct tokens *);

bool token_is(const struct token *, const char *text);
/* Any of the NULL-terminated words. */
bool token_among(const struct token *, const char *const *words);
bool token_opens(const struct token *);         /* ( [ { */
bool token_closes(const struct token *);
bool token_same(const struct token *, const struct token *);

/* Writes the space, then the text or what stands instead of it. */
void token_write(const struct token *, FILE *);

/* COMPILE with the place of the token in front of the message. */
enum status token_fail(const struct token *, const char *format, ...)
	__attribute__((format(printf, 2, 3), cold));

#endif
