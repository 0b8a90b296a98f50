/* unit_ptx.c - replaces asm statements; see unit_ptx.h.
 *
 * `asm("T" : "=r"(x) : "r"(y))` becomes `({ auto &ft_out_0 = (x); ft_reg ft_0; ft_reg
 * ft_1((unsigned)(y)); STATEMENTS ft_out_0 = ...; })`, all on its lines: the tokens of x and y stay
 * where they are. Text in place of an operand's expression (constraint "C") is not supported.
 */
#include "config.h"

#include "sim/cu2c/unit_ptx.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/cu2c/ptx_table.h"
#include "sim/cu2c/ptx_text.h"
#include "sim/cu2c/unit_edit.h"

struct statement {
	int at, open;                   /* tokens: asm, and its '(' */
	int next;                       /* the first token that is not read */
	int count;                      /* operands */
	char *text;
	char *after;                    /* assignments to operands */
};

static bool is_string(const struct token *t)
{
	return t->kind == TOKEN_QUOTED && *t->text == '"';
}

int unit_asm_open(const struct unit *u, int at)
{
	static const char *const keywords[] = { "asm", "__asm", "__asm__", NULL };
	static const char *const qualifiers[] = {
		"volatile", "__volatile__", "__volatile", NULL
	};
	int open = at + 1;

	if (token_at(u, at)->system || !token_among(token_at(u, at), keywords))
		return -1;
	while (token_among(token_at(u, open), qualifiers))
		open++;
	return token_is(token_at(u, open), "(") ? open : -1;
}

/* --- the text --- */

/* The string's characters, without its quotes and escapes. */
static void add_string(FILE *out, const struct token *t)
{
	const char *end = t->text + t->length - 1;

	for (const char *p = t->text + 1; p < end; p++) {
		if (*p == '\\' && p + 1 < end) {
			p++;
			fputc(*p == 'n' || *p == 't' || *p == 'r' ? ' ' : *p, out);
			if (*p == 'n')
				fputc('\n', out);
		} else {
			fputc(*p, out);
		}
	}
}

/* The text of the strings at `at`; the caller frees it. */
static char *read_text(const struct unit *u, int at, int *next)
{
	char *text = NULL;
	size_t size;
	FILE *out = xcheck(open_memstream(&text, &size));

	for (; is_string(token_at(u, at)); at++)
		add_string(out, token_at(u, at));
	fclose(out);
	*next = at;
	return xcheck(text);
}

/* Makes %% of the text %. */
static void replace_double_percent(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		from += from[0] == '%' && from[1] == '%';
		*to++ = *from;
	}
	*to = '\0';
}

/* --- operands --- */

/* The type of an operand with this constraint; NULL if it is not supported. */
static const char *type_of(const char *constraint)
{
	static const struct { char letter; const char *type; } types[] = {
		{ 'r', "unsigned" }, { 'l', "unsigned long long" }, { 'h', "unsigned short" },
		{ 'f', "float" }, { 'd', "double" }, { 'n', "long long" },
	};

	constraint += strspn(constraint, "=+&");
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (*constraint == types[i].letter && !constraint[1])
			return types[i].type;
	return NULL;
}

/* The operand that an input shares, for a constraint like "0"; -1 if it has its own register. */
static int shared_with(const struct statement *s, const char *constraint)
{
	int number = *constraint - '0';

	return number >= 0 && number < s->count && !constraint[1] ? number : -1;
}

static void add_assignment(struct statement *s, int number)
{
	char *after = xasprintf("%sft_out_%d = ft_%d.as<decltype(ft_out_%d)>(); ", s->after,
				number, number, number);

	free(s->after);
	s->after = after;
}

static void replace_output(struct unit *u, struct statement *s, int at, int close, bool read,
			   const char *type)
{
	int n = s->count;

	u->tokens.at[at].instead = unit_keep(u, xasprintf("auto &ft_out_%d =", n));
	unit_put_after(u, close, read
		       ? unit_keep(u, xasprintf("; ft_reg ft_%d((%s)ft_out_%d);", n, type, n))
		       : unit_keep(u, xasprintf("; ft_reg ft_%d;", n)));
	add_assignment(s, n);
}

/* Replaces what is around the expression of the operand whose constraint is at `at`. */
static bool replace_operand(struct unit *u, struct statement *s, int at, bool output)
{
	int open, close, other;
	char *constraint = read_text(u, at, &open);
	const char *type = type_of(constraint);
	bool read = *constraint == '+';

	other = output ? -1 : shared_with(s, constraint);
	free(constraint);
	if (!token_is(token_at(u, open), "(") || (!type && other < 0))
		return false;
	close = token_at(u, open)->match;
	s->next = close + 1;
	unit_drop(u, at, open);
	if (output) {
		replace_output(u, s, at, close, read, type);
	} else if (other >= 0) {
		u->tokens.at[at].instead = unit_keep(u, xasprintf(
			"ft_reg &ft_%d = ft_%d; ft_%d.put((ft_reg::plain<decltype(ft_out_%d)>)",
			s->count, other, other, other));
		unit_put_after(u, close, ");");
	} else {
		u->tokens.at[at].instead = unit_keep(u, xasprintf("ft_reg ft_%d((%s)", s->count,
								  type));
		unit_put_after(u, close, ");");
	}
	s->count++;
	return true;
}

/* Replaces the operands between the colons. */
static bool replace_operands(struct unit *u, struct statement *s)
{
	int close = token_at(u, s->open)->match;

	for (int section = 0; section < 2 && token_is(token_at(u, s->next), ":"); section++) {
		u->tokens.at[s->next++].instead = "";
		while (is_string(token_at(u, s->next))) {
			if (!replace_operand(u, s, s->next, section == 0))
				return false;
			if (!token_is(token_at(u, s->next), ","))
				break;
			u->tokens.at[s->next++].instead = "";
		}
	}
	if (s->next < close && !token_is(token_at(u, s->next), ":"))
		return false;
	unit_drop(u, s->next, close);           /* what it changes besides */
	return true;
}

/* --- the statement --- */

/* The name of the instruction as an undefined symbol, which is an error for kernels that reach it.
 * A symbol may hold letters, digits, dots, and $, which stands for a colon. */
static char *absent_symbol(const struct token *at, const char *what)
{
	char *symbol = xasprintf("ft_ptx_absent.%d.%s", at->line, what);

	for (char *p = symbol; *p; p++)
		if (*p == ':')
			*p = '$';
		else if (!strchr("._0123456789abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ", *p))
			*p = '_';
	return symbol;
}

/* A call in assembler: in C++ templates, g++ drops the __asm__ name of a function that is declared
 * in a block. */
#ifdef __aarch64__
#define ABSENT_CALL "bl"
#else
#define ABSENT_CALL "call"
#endif

static void replace_by_absent(struct unit *u, const struct statement *s, const char *what)
{
	struct token *t = &u->tokens.at[s->at];
	char *symbol = absent_symbol(t, what);

	unit_drop(u, s->at, token_at(u, s->open)->match + 1);
	t->instead = unit_keep(u, xasprintf("__asm__ __volatile__(\"" ABSENT_CALL " %s\")",
					    symbol));
	free(symbol);
}

static int count_operands(const struct unit *u, int open)
{
	int close = token_at(u, open)->match, colons = 0, count = 0;

	for (int i = open + 1; i < close && colons < 3; i++) {
		const struct token *t = token_at(u, i);

		colons += token_is(t, ":");
		count += colons > 0 && colons < 3 && is_string(t) && token_is(t + 1, "(");
		if (token_opens(t))
			i = t->match;
	}
	return count;
}

void unit_replace_ptx(struct unit *u, int at, int open)
{
	const struct token *first = token_at(u, at);
	const struct ptx_place place = { first->file, first->file_length, first->line, at };
	struct statement s = { .at = at, .open = open };
	int close = token_at(u, open)->match;
	char *code = NULL, *absent = NULL;

	s.text = read_text(u, open + 1, &s.next);
	replace_double_percent(s.text);
	s.after = xstrdup("");
	if (s.next > open + 1)
		code = ptx_translate(s.text, count_operands(u, open), &place, &absent);
	if (code)
		unit_drop(u, at, s.next);
	if (code && replace_operands(u, &s)) {
		u->tokens.at[at].instead = "({";
		u->tokens.at[close].instead = unit_keep(u, xasprintf("%s%s})", code, s.after));
	} else {
		replace_by_absent(u, &s, absent ? absent : "operands");
	}
	free(s.text);
	free(s.after);
	free(code);
	free(absent);
}

/* --- order --- */

static bool any(const struct unit *u, bool (*has)(const char *text, int length))
{
	for (int i = 0; i < u->tokens.count; i++) {
		int at = unit_asm_open(u, i);

		for (at++; at > 0 && is_string(token_at(u, at)); at++)
			if (has(token_at(u, at)->text, token_at(u, at)->length))
				return true;
	}
	return false;
}

bool unit_ptx_orders_some(const struct unit *u)
{
	return any(u, ptx_orders_some);
}

bool unit_ptx_orders_seen(const struct unit *u)
{
	return any(u, ptx_orders_seen);
}
