/* token.c - splits preprocessed C into tokens.
 *
 * Only as exact as the rewriter needs: of all operators only "->" and "--" are kept whole, because
 * others do not change the rewriter's view when split. Reads line markers, so that every token has
 * its position in the original file.
 */
#include "config.h"

#include "sim/cu2c/token.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

struct lexer {
	const char *p, *end;
	const char *file;
	int file_length, line;
	bool system;                    /* inside a system header */
	bool fresh;                     /* only blanks on this line so far */
	bool marked;                    /* a line marker has been read */
	struct tokens *out;
	int capacity;
};

bool token_among(const struct token *t, const char *const *list)
{
	char first = '\0';

	if (t->length > 0)
		first = *t->text;
	for (; *list; list++)
		if (**list == first && token_is(t, *list))
			return true;
	return false;
}

bool token_same(const struct token *a, const struct token *b)
{
	return a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}

bool token_opens(const struct token *t)
{
	return t->kind == TOKEN_PUNCTUATION && strchr("([{", *t->text);
}

bool token_closes(const struct token *t)
{
	return t->kind == TOKEN_PUNCTUATION && strchr(")]}", *t->text);
}

void token_write(const struct token *t, FILE *out)
{
	fwrite_unlocked(t->space, 1, (size_t)t->space_length, out);
	if (t->instead)
		fputs_unlocked(t->instead, out);
	else
		fwrite_unlocked(t->text, 1, (size_t)t->length, out);
}

enum status token_fail(const struct token *t, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return fail(STATUS_COMPILE, "%.*s:%d: %s", t->file_length, t->file, t->line, text);
}

static enum status lexer_fail(const struct lexer *lx, int line, const char *text)
{
	return fail(STATUS_COMPILE, "%.*s:%d: %s", lx->file_length, lx->file, line, text);
}

/* Without the locale's tables: most of a text's characters pass here. */
static bool is_word_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'
		|| (c & 0x80);
}

static bool is_word(char c)
{
	return is_word_start(c) || (c >= '0' && c <= '9');
}

static char peek(const struct lexer *lx, int ahead)
{
	return lx->end - lx->p > ahead ? lx->p[ahead] : '\0';
}

/* The flags after the file name of a line marker; flag 3 marks a system header. */
static bool has_flag(const char *p, const char *end, char flag)
{
	while (p < end && *p != flag)
		p++;
	return p < end;
}

/* Reads `# 12 "file"` or `#line 12 "file"`; skips any other # line. The number applies to the next
 * line, so 1 is subtracted for the newline that ends the marker. */
static void read_hash_line(struct lexer *lx)
{
	const char *end = memchr(lx->p, '\n', (size_t)(lx->end - lx->p));
	const char *p = lx->p + 1;
	long line = 0;

	if (!end)
		end = lx->end;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (end - p > 4 && memcmp(p, "line", 4) == 0)
		p += 4;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p < end && isdigit((unsigned char)*p)) {
		while (p < end && isdigit((unsigned char)*p) && line < INT_MAX / 10)
			line = line * 10 + (*p++ - '0');
		lx->line = (int)line - 1;
		while (p < end && (*p == ' ' || *p == '\t'))
			p++;
		/* The last one: a name may contain \" and what looks like flags. */
		const char *close = p < end && *p == '"'
			? memrchr(p + 1, '"', (size_t)(end - p - 1)) : NULL;
		if (close) {
			lx->file = p + 1;
			lx->file_length = (int)(close - p - 1);
			if (!lx->marked) {
				lx->out->file = lx->file;
				lx->out->file_length = lx->file_length;
			}
			lx->marked = true;
			lx->system = has_flag(close + 1, end, '3');
		}
	}
	lx->p = end;
}

static enum status skip_comment(struct lexer *lx)
{
	int line = lx->line;

	if (lx->p[1] == '/') {
		while (lx->p < lx->end && *lx->p != '\n')
			lx->p++;
		return STATUS_OK;
	}
	for (lx->p += 2; !(peek(lx, 0) == '*' && peek(lx, 1) == '/'); lx->p++) {
		if (lx->p >= lx->end)
			return lexer_fail(lx, line, "comment is not closed");
		lx->line += *lx->p == '\n';
	}
	lx->p += 2;
	return STATUS_OK;
}

static enum status skip_space(struct lexer *lx)
{
	while (lx->p < lx->end) {
		char c = *lx->p;

		if (c == '\n') {
			lx->line++;
			lx->fresh = true;
			lx->p++;
		} else if (isspace((unsigned char)c)) {
			lx->p++;
		} else if (c == '\\' && peek(lx, 1) == '\n') {
			lx->line++;
			lx->p += 2;
		} else if (c == '#' && lx->fresh) {
			read_hash_line(lx);
		} else if (c == '/' && (peek(lx, 1) == '/' || peek(lx, 1) == '*')) {
			TRY(skip_comment(lx));
		} else {
			break;
		}
	}
	return STATUS_OK;
}

static enum status read_quoted(struct lexer *lx)
{
	char quote = *lx->p++;

	while (lx->p < lx->end && *lx->p != quote) {
		if (*lx->p == '\\' && lx->end - lx->p > 1)
			lx->p++;
		else if (*lx->p == '\n')
			break;
		lx->line += *lx->p == '\n';
		lx->p++;
	}
	if (lx->p >= lx->end || *lx->p != quote)
		return lexer_fail(lx, lx->line, quote == '"' ? "string is not closed"
				  : "character constant is not closed");
	lx->p++;
	return STATUS_OK;
}

/* A preprocessing number: 1e-5f, 0x1p+3, .5, 10ull, 1'000. */
static void read_number(struct lexer *lx)
{
	while (lx->p < lx->end && (is_word(*lx->p) || *lx->p == '.'
				   || (*lx->p == '\'' && is_word(peek(lx, 1))))) {
		bool exponent = strchr("eEpP", *lx->p) != NULL;

		lx->p++;
		if (exponent && (peek(lx, 0) == '+' || peek(lx, 0) == '-'))
			lx->p++;
	}
}

static enum status read_text(struct lexer *lx, struct token *t)
{
	char c = *lx->p;

	if (is_word_start(c)) {
		t->kind = TOKEN_IDENTIFIER;
		while (lx->p < lx->end && is_word(*lx->p))
			lx->p++;
	} else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)peek(lx, 1)))) {
		t->kind = TOKEN_NUMBER;
		read_number(lx);
	} else if (c == '"' || c == '\'') {
		t->kind = TOKEN_QUOTED;
		TRY(read_quoted(lx));
	} else {
		t->kind = TOKEN_PUNCTUATION;
		lx->p += c == '-' && (peek(lx, 1) == '>' || peek(lx, 1) == '-') ? 2 : 1;
	}
	return STATUS_OK;
}

/* Where the text continues after blanks and `word`; NULL if that is not there. */
static const char *after(const struct lexer *lx, const char *p, const char *word)
{
	const size_t length = strlen(word);

	while (p && p < lx->end && (*p == ' ' || *p == '\t'))
		p++;
	return p && (size_t)(lx->end - p) >= length && memcmp(p, word, length) == 0
		? p + length : NULL;
}

/* Reads a qualifier of CUDA that is spelled as an attribute, as nvcc's headers define it. */
static void read_attribute(struct lexer *lx, struct token *t)
{
	static const struct { const char *name, *qualifier; } spellings[] = {
		{ "shared", "__shared__" }, { "device", "__device__" }, { "host", "__host__" },
		{ "global", "__global__" }, { "constant", "__constant__" },
		{ "managed", "__managed__" },
	};
	const char *open = after(lx, after(lx, lx->p, "("), "(");

	for (size_t i = 0; open && i < sizeof spellings / sizeof spellings[0]; i++) {
		const char *end = after(lx, after(lx, after(lx, open, spellings[i].name), ")"),
					")");

		if (end) {
			t->text = spellings[i].qualifier;
			t->length = (int)strlen(t->text);
			lx->p = end;
			return;
		}
	}
}

static struct token *add_token(struct lexer *lx)
{
	if (lx->out->count == lx->capacity) {
		lx->capacity = lx->capacity ? 2 * lx->capacity : 1024;
		lx->out->at = xreallocarray(lx->out->at, (size_t)lx->capacity,
					    sizeof *lx->out->at);
	}
	struct token *t = &lx->out->at[lx->out->count++];
	*t = (struct token){ .kind = TOKEN_END, .match = -1 };
	return t;
}

static enum status read_token(struct lexer *lx)
{
	struct token *t = add_token(lx);

	t->space = lx->p;
	TRY(skip_space(lx));
	t->space_length = (int)(lx->p - t->space);
	t->file = lx->file;
	t->file_length = lx->file_length;
	t->line = lx->line;
	t->system = lx->system;
	t->text = lx->p;
	if (lx->p < lx->end) {
		lx->fresh = false;
		TRY(read_text(lx, t));
		t->length = (int)(lx->p - t->text);
		if (*t->text == '_' && token_is(t, "__attribute__"))
			read_attribute(lx, t);
	}
	return STATUS_OK;
}

/* Pairs brackets. The match fields of open brackets form a stack. */
static enum status match_brackets(struct tokens *ts)
{
	int open = -1;

	for (int i = 0; i < ts->count; i++) {
		struct token *t = &ts->at[i];
		char c = t->kind == TOKEN_PUNCTUATION ? *t->text : '\0';

		if (c == '(' || c == '[' || c == '{') {
			t->match = open;
			open = i;
		} else if (c == ')' || c == ']' || c == '}') {
			char partner = open < 0 ? '\0' : *ts->at[open].text;

			if (partner != (c == ')' ? '(' : c == ']' ? '[' : '{'))
				return token_fail(t, "'%c' has no matching bracket", c);
			t->match = open;
			open = ts->at[open].match;
			ts->at[t->match].match = i;
		}
	}
	return open < 0 ? STATUS_OK
		: token_fail(&ts->at[open], "'%c' is not closed", *ts->at[open].text);
}

enum status tokens_read(const char *file, const char *text, size_t bytes, struct tokens *out)
{
	struct lexer lx = { .p = text, .end = text + bytes, .file = file,
			    .file_length = (int)strlen(file), .line = 1, .fresh = true,
			    .out = out };
	enum status status;

	*out = (struct tokens){ .file = file, .file_length = lx.file_length };
	if (bytes > INT_MAX)
		return fail(STATUS_COMPILE, "%s:1: expected at most %d bytes of source, got %zu",
			    file, INT_MAX, bytes);
	do {
		status = read_token(&lx);
	} while (status == STATUS_OK && out->at[out->count - 1].kind != TOKEN_END);
	if (status == STATUS_OK)
		status = match_brackets(out);
	if (status != STATUS_OK)
		tokens_free(out);
	return status;
}

void tokens_free(struct tokens *ts)
{
	free(ts->at);
	*ts = (struct tokens){ 0 };
}
