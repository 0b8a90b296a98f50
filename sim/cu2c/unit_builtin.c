/* unit_builtin.c - replaces built-in variables and inline PTX in a user's device code.
 *
 * The names are not macros, because host code and CUDA's own headers give them to other things.
 */
#include "config.h"

#include "sim/cu2c/unit_edit.h"
#include "sim/cu2c/unit_program.h"
#include "sim/cu2c/unit_ptx.h"

/* The names of built-in variables, which host code may give its own. */
static const struct { const char *name, *call; } builtins[] = {
	{ "threadIdx", "ft_thread_index()" }, { "blockIdx", "ft_block_index()" },
	{ "blockDim", "ft_block_dim()" }, { "gridDim", "ft_grid_dim()" },
};

/* Whether the name at `at` is that of a parameter, a member or a variable. */
static bool is_declared(const struct unit *u, int at)
{
	static const char *const before_member[] = { ".", "->", NULL };
	static const char *const declarators[] = { "*", "&", ",", NULL };
	static const char *const keywords[] = { "return", "case", "else", "do", NULL };
	const struct token *t = token_at(u, at), *before = at > 0 ? t - 1 : t;

	if (token_among(before, before_member))
		return true;
	if (token_is(t + 1, "."))
		return false;
	return token_is(t + 1, "__attribute__") || (t->system && !token_is(before, "return"))
		|| token_among(before, declarators)
		|| (before->kind == TOKEN_IDENTIFIER && !token_among(before, keywords));
}

void unit_replace_builtins_in(struct unit *u, int from, int end)
{
	for (int i = from; i < end; i++) {
		struct token *t = &u->tokens.at[i];
		int open = u->mode.cplusplus && !t->instead ? unit_asm_open(u, i) : -1;

		if (open >= 0)
			unit_replace_ptx(u, i, open);
		if (t->kind != TOKEN_IDENTIFIER || t->instead)
			continue;
		for (size_t k = 0; k < sizeof builtins / sizeof builtins[0]; k++)
			if (token_is(t, builtins[k].name) && !is_declared(u, i))
				t->instead = builtins[k].call;
	}
}

/* A lambda `[] __device__ (int i) { }` is device code in a host function. */
static void replace_in_lambdas(struct unit *u, int from, int end)
{
	for (int i = from; i < end; i++) {
		int body = i + 1;

		if (!token_is(token_at(u, i), "__device__"))
			continue;
		while (body < end && !token_is(token_at(u, body), "{"))
			body = token_opens(token_at(u, body)) ? token_at(u, body)->match + 1
				: body + 1;
		if (body < end)
			unit_replace_builtins_in(u, body, token_at(u, body)->match);
	}
}

void unit_replace_builtins(struct unit *u)
{
	int at = 0;

	for (int i = 0; i < u->host_function_count; i++) {
		int body = u->host_functions[i], close = token_at(u, body)->match;

		if (body < at)
			continue;
		unit_replace_builtins_in(u, at, body);
		replace_in_lambdas(u, body, close);
		at = close;
	}
	unit_replace_builtins_in(u, at, u->tokens.count);
}
