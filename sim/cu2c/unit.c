/* unit.c - reads declarations and statements as tokens.
 *
 * Telling declarations from expressions in C requires the names of types: those of the file are in
 * the unit, which unit_read.c fills. Used by the rewriter.
 */
#include "sim/cu2c/unit.h"

static const char *const storage_keywords[] = {
	"static", "extern", "register", "auto", "typedef", "inline", "__inline", "__inline__",
	"_Noreturn", "_Thread_local", "__thread", "__extension__", "const", "__const", "__const__",
	"volatile", "__volatile", "__volatile__", "restrict", "__restrict", "__restrict__",
	"__shared__", "__global__", "__grid_constant__", "__forceinline__", "__noinline__", NULL
};
/* Keywords that may also precede a declaration in C++. */
static const char *const cpp_keywords[] = { "constexpr", "typename", NULL };
static const char *const type_keywords[] = {
	"void", "char", "short", "int", "long", "float", "double", "signed", "__signed__",
	"unsigned", "_Bool", "_Complex", "__int128", "_Float16", "_Float32", "_Float64",
	"_Float128", "__bf16", "__builtin_va_list", NULL
};
static const char *const tag_keywords[] = { "struct", "union", "enum", NULL };
const char *const unit_call_keywords[] = {
	"__attribute__", "__attribute", "_Alignas", "alignas", "__launch_bounds__",
	"__cluster_dims__", "__asm__", "__asm", "asm", NULL
};
const char *const unit_typeof_keywords[] = { "__typeof__", "__typeof", "typeof", "_Atomic", NULL };
static const char *const statement_keywords[] = {
	"return", "goto", "else", "case", "sizeof", "do", "if", "for", "while", "switch", "break",
	"continue", "default", "_Static_assert", NULL
};

static bool is_type_name(const struct unit *u, const struct token *t)
{
	for (int i = u->type_name_count - 1; i >= 0; i--)
		if (token_same(t, token_at(u, u->type_names[i])))
			return true;
	return false;
}

int unit_call_end(const struct unit *u, int at)
{
	const struct token *next = token_at(u, at + 1);

	return token_is(next, "(") ? next->match + 1 : at + 1;
}

int unit_tag_end(const struct unit *u, int at)
{
	at++;
	while (token_among(token_at(u, at), unit_call_keywords))
		at = unit_call_end(u, at);
	if (token_at(u, at)->kind == TOKEN_IDENTIFIER)
		at++;
	if (token_is(token_at(u, at), "{"))
		at = token_at(u, at)->match + 1;
	return at;
}

int unit_angle_end(const struct unit *u, int at)
{
	int depth = 0, i = at;

	if (!u->mode.cplusplus || !token_is(token_at(u, at), "<"))
		return at;
	for (;; i++) {
		const struct token *t = token_at(u, i);

		if (token_is(t, "<"))
			depth++;
		else if (token_is(t, ">") && --depth == 0)
			return i + 1;
		else if (t->kind == TOKEN_END || token_closes(t) || token_is(t, ";"))
			return at;
		if (token_opens(t))
			i = t->match;
	}
}

/* First token after a type name, which in C++ may be x::y<z>::w. */
static int type_name_end(const struct unit *u, int at)
{
	if (!u->mode.cplusplus)
		return at + 1;
	for (;;) {
		at = unit_angle_end(u, at + 1);
		if (!token_is(token_at(u, at), ":") || !token_is(token_at(u, at + 1), ":"))
			return at;
		at += 2;
	}
}

/* Whether an unknown identifier must be a type: expressions never have two names in a row. */
static bool looks_like_type(const struct unit *u, int at, bool certain)
{
	const struct token *t = token_at(u, at);

	if (is_type_name(u, t) || certain)
		return true;
	if (u->mode.cplusplus && type_name_end(u, at) > at + 1)
		at = type_name_end(u, at) - 1;
	return !token_among(t, statement_keywords) && token_at(u, at + 1)->kind == TOKEN_IDENTIFIER
		&& !token_among(token_at(u, at + 1), unit_call_keywords);
}

static struct specifiers read_specifiers(const struct unit *u, int at, bool certain)
{
	struct specifiers s = { .end = at };

	for (;;) {
		const struct token *t = token_at(u, s.end);

		if (t->kind != TOKEN_IDENTIFIER)
			return s;
		if (u->mode.cplusplus && token_among(t, cpp_keywords)) {
			s.end++;
		} else if (token_among(t, storage_keywords)) {
			s.is_shared |= token_is(t, "__shared__");
			s.is_extern |= token_is(t, "extern");
			s.end++;
		} else if (token_among(t, unit_call_keywords)) {
			s.end = unit_call_end(u, s.end);
		} else if (token_among(t, type_keywords)) {
			s.type = true;
			s.end++;
		} else if (token_among(t, tag_keywords)) {
			s.type = true;
			s.end = unit_tag_end(u, s.end);
		} else if (token_among(t, unit_typeof_keywords)) {
			s.type = true;
			s.end = unit_call_end(u, s.end);
		} else if (!s.type && looks_like_type(u, s.end, certain || s.end > at)) {
			s.type = true;
			s.end = type_name_end(u, s.end);
		} else {
			return s;
		}
	}
}

/* Whether a temporary of the type is used at once: "Sum(temp).of(x)" declares nothing. */
static bool makes_temporary(const struct unit *u, int after_type)
{
	const struct token *t = token_at(u, after_type), *next;

	if (!token_is(t, "(") || t->match <= after_type)
		return false;
	next = token_at(u, t->match + 1);
	return token_is(next, ".") || token_is(next, "->");
}

struct specifiers unit_specifiers(const struct unit *u, int at, bool certain)
{
	struct specifiers s = read_specifiers(u, at, certain);

	if (s.type && !certain && makes_temporary(u, s.end))
		return (struct specifiers){ .end = at };
	return s;
}

int unit_declarator_name(const struct unit *u, int at)
{
	for (;;) {
		const struct token *t = token_at(u, at);

		if (token_among(t, unit_call_keywords))
			at = unit_call_end(u, at);
		else if (token_is(t, "*") || token_is(t, "&") || token_is(t, "(")
			 || token_among(t, storage_keywords))
			at++;
		else
			return t->kind == TOKEN_IDENTIFIER ? at : -1;
	}
}

int unit_declarator_end(const struct unit *u, int at)
{
	for (;;) {
		const struct token *t = token_at(u, at);

		if (t->kind == TOKEN_END || token_closes(t) || token_is(t, ";") || token_is(t, ",")
		    || token_is(t, "="))
			return at;
		at = token_opens(t) ? t->match + 1 : at + 1;
	}
}

int unit_parameter_end(const struct unit *u, int at)
{
	int end = unit_declarator_end(u, at);

	while (token_is(token_at(u, end), "="))
		end = unit_declarator_end(u, end + 1);
	return end;
}

int unit_statement_end(const struct unit *u, int at)
{
	const struct token *t = token_at(u, at);

	if (token_is(t, "{"))
		return t->match + 1;
	if (token_is(t, "if") || token_is(t, "for") || token_is(t, "while")
	    || token_is(t, "switch")) {
		int end = unit_statement_end(u, unit_call_end(u, at));

		if (token_is(t, "if") && token_is(token_at(u, end), "else"))
			return unit_statement_end(u, end + 1);
		return end;
	}
	if (token_is(t, "do"))
		at = unit_statement_end(u, at + 1);
	else if (t->kind == TOKEN_IDENTIFIER && token_is(token_at(u, at + 1), ":"))
		return unit_statement_end(u, at + 2);
	for (;;) {
		t = token_at(u, at);
		if (t->kind == TOKEN_END || token_closes(t))
			return at;
		if (token_is(t, ";"))
			return at + 1;
		at = token_opens(t) ? t->match + 1 : at + 1;
	}
}
