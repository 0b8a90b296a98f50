/* unit_qualifiers.c - replaces CUDA's qualifiers in a user's file by C and C++.
 *
 * Those of inlining become the compiler's attributes, those of memory spaces are removed;
 * __constant__ and __managed__ variables get their places. unit_read.c replaces __global__ and
 * __launch_bounds__, rewrite_shared.c __shared__.
 */
#include "config.h"

#include "sim/cu2c/unit_edit.h"
#include "sim/cu2c/unit_program.h"

/* Qualifiers of where functions and variables are, and of a kernel's parameters. */
static const char *const space_qualifiers[] = {
	"__device__", "__host__", "__constant__", "__grid_constant__", NULL
};

/* Replaces CUDA's inlining qualifiers, but not gcc's attributes of the same names. */
static void replace_inline_qualifier(struct unit *u, int at)
{
	struct token *t = &u->tokens.at[at];

	if (at == 0 || t->system || token_is(t - 1, "("))
		return;
	if (token_is(t, "__forceinline__"))
		t->instead = "inline __attribute__((always_inline))";
	else if (token_is(t, "__noinline__"))
		t->instead = "__attribute__((noinline))";
}

/* Whether a __constant__ variable can be in a section of its own, by which the checker finds it:
 * one that is const cannot be written anyway, and one of a template is in a section already. */
static bool has_section(const struct unit *u, int i)
{
	static const char *const ends[] = { ";", "{", "}", "=", "[", "(", NULL };
	static const char *const others[] = { "const", "constexpr", "template", "inline", NULL };

	while (i > 0 && !token_among(token_at(u, i - 1), ends))
		i--;
	for (; token_at(u, i)->kind != TOKEN_END && !token_among(token_at(u, i), ends); i++)
		if (token_among(token_at(u, i), others))
			return false;
	return true;
}

/* The first token of the declaration with the token at `at`. */
static int declaration_begin(const struct unit *u, int at)
{
	static const char *const ends[] = { ";", "{", "}", NULL };

	while (at > 0 && !token_among(token_at(u, at - 1), ends))
		at--;
	return at;
}

/* Removes the initialisers of the variables that are declared from `at` on. */
static void drop_initialisers(struct unit *u, int at)
{
	while (token_at(u, at)->kind != TOKEN_END && !token_is(token_at(u, at), ";")) {
		const struct token *t = token_at(u, at);
		bool assigned = token_is(t, "=");
		bool called = token_is(t, "(") && t[-1].kind == TOKEN_IDENTIFIER
			&& !token_among(t - 1, unit_call_keywords);
		int end = at;

		if (assigned)
			end = unit_declarator_end(u, at + 1);
		else if (token_opens(t))
			end = t->match + 1;
		if (assigned || called || token_is(t, "{"))
			unit_drop(u, at, end);
		at = end > at ? end : at + 1;
	}
}

/* A __managed__ variable is one object, in the device's code; host code refers to it. */
static void replace_managed(struct unit *u, int at)
{
	bool is_extern = false;

	for (int i = declaration_begin(u, at); !token_is(token_at(u, i), ";")
	     && token_at(u, i)->kind == TOKEN_IDENTIFIER; i++) {
		if (token_is(token_at(u, i), "static"))
			u->tokens.at[i].instead = "";
		is_extern |= token_is(token_at(u, i), "extern");
	}
	if (u->mode.pass == PASS_HOST)
		drop_initialisers(u, at + 1);
	u->tokens.at[at].instead = u->mode.pass == PASS_DEVICE
		? "__attribute__((visibility(\"default\")))"
		: u->mode.pass == PASS_HOST && !is_extern ? "extern" : "";
}

static void replace_space_qualifier(struct unit *u, int at)
{
	struct token *t = &u->tokens.at[at];
	bool own = token_is(t, "__constant__") && !t->system && u->mode.pass != PASS_HOST;

	if (token_is(t, "__managed__"))
		replace_managed(u, at);
	else if (token_is(t, "__shared__") && u->mode.pass == PASS_HOST)
		t->instead = "";
	else if (token_among(t, space_qualifiers))
		t->instead = own && has_section(u, at)
			? "__attribute__((section(\"ft_constant\")))" : "";
}

void unit_replace_qualifier(struct unit *u, int at)
{
	replace_inline_qualifier(u, at);
	replace_space_qualifier(u, at);
}
