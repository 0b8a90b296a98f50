/* lanes.c - tells uniform values from others, and finds what a thread cannot do alone; see
 * lanes.h. */
#include "config.h"

#include "sim/cu2c/lanes.h"

#include <string.h>

#include "base/xalloc.h"
#include "sim/cu2c/reach.h"
#include "sim/cu2c/token.h"

static const struct token *at(const struct lanes *l, int i)
{
	return token_of(l->rewriter, i);
}

static bool is_member(const struct token *t)
{
	return token_is(t - 1, ".") || token_is(t - 1, "->");
}

/* Whether the token ends an operand, so that an operator after it has two. */
static bool ends_operand(const struct token *t)
{
	return t->kind == TOKEN_IDENTIFIER || t->kind == TOKEN_NUMBER || token_is(t, ")")
		|| token_is(t, "]");
}

/* --- variables --- */

void lanes_declare(struct lanes *l, struct lanes_variable variable)
{
	l->variables = xreallocarray(l->variables, (size_t)l->variable_count + 1,
				     sizeof *l->variables);
	l->variables[l->variable_count++] = variable;
}

struct lanes_variable *lanes_find(const struct lanes *l, const struct token *name)
{
	for (int i = l->variable_count - 1; i >= 0; i--)
		if (token_same(at(l, l->variables[i].name), name))
			return &l->variables[i];
	return NULL;
}

bool lanes_name(const struct lanes *l, const struct token *name, int from, int end)
{
	for (int i = from; i < end; i++)
		if (at(l, i)->kind == TOKEN_IDENTIFIER && token_same(at(l, i), name)
		    && !is_member(at(l, i)))
			return true;
	return false;
}

bool lanes_have(const struct lanes *l, const char *text, int from, int end)
{
	for (int i = from; i < end; i++)
		if (token_is(at(l, i), text))
			return true;
	return false;
}

bool lanes_name_other(const struct lanes *l, int from, int end)
{
	for (int i = from; i < end; i++) {
		const struct lanes_variable *v = at(l, i)->kind == TOKEN_IDENTIFIER
			? lanes_find(l, at(l, i)) : NULL;

		if (v && !v->uniform && !is_member(at(l, i)))
			return true;
	}
	return false;
}

/* --- changes --- */

/* Whether an assignment operator begins at the token. */
static bool assigns(const struct token *t)
{
	static const char *const two[] = { "+", "-", "*", "/", "%", "&", "|", "^", NULL };

	if (token_is(t, "="))
		return !token_is(t + 1, "=");
	if (token_among(t, two))
		return token_is(t + 1, "=");
	return (token_is(t, "<") || token_is(t, ">")) && token_same(t, t + 1)
		&& token_is(t + 2, "=");
}

static bool steps(const struct token *first, const struct token *second)
{
	return token_is(first, "+") && token_is(second, "+");
}

/* Whether a function of the name at `i` has a parameter that is a reference. */
static bool takes_references(const struct lanes *l, int i)
{
	const struct unit *u = l->rewriter->unit;

	for (int k = 0; k < u->function_count; k++)
		if (token_same(token_at(u, u->functions[k].name), at(l, i))
		    && lanes_have(l, "&", u->functions[k].open,
				  token_at(u, u->functions[k].open)->match))
			return true;
	return false;
}

/* Whether the token is all of an argument in a call that may change it. */
static bool is_passed(const struct lanes *l, int i, int from)
{
	static const char *const before[] = { "(", ",", NULL }, *const after[] = { ")", ",", NULL };
	int open = i - 1;

	if (!token_among(at(l, i) - 1, before) || !token_among(at(l, i) + 1, after))
		return false;
	while (open > from && !token_is(at(l, open), "("))
		open = token_closes(at(l, open)) ? at(l, open)->match - 1 : open - 1;
	if (open <= from || token_is(at(l, open - 1), ">"))
		return open > from;
	return at(l, open - 1)->kind == TOKEN_IDENTIFIER && takes_references(l, open - 1);
}

static bool is_pointer(const struct token *name)
{
	static const char *const qualifiers[] = { "const", "restrict", "__restrict",
						  "__restrict__", NULL };

	do {
		name--;
	} while (token_among(name, qualifiers));
	return token_is(name, "*");
}

/* The last token of the object that begins with the variable at `i`: "v.x[2]"; -1 for a call of a
 * function of it. */
static int object_end(const struct lanes *l, int i, bool pointer)
{
	for (;;) {
		if (token_is(at(l, i + 1), ".") && token_is(at(l, i + 3), "("))
			return -1;
		if (token_is(at(l, i + 1), "."))
			i += 2;
		else if (!pointer && token_is(at(l, i + 1), "["))
			i = at(l, i + 1)->match;
		else
			return i;
	}
}

static bool changes_at(const struct lanes *l, int i, int from, bool pointer)
{
	int end = object_end(l, i, pointer);
	const struct token *t = at(l, i), *after = at(l, end + 1);

	if (end < 0)
		return true;
	if (assigns(after) || steps(after, after + 1) || token_is(after, "--")
	    || steps(t - 2, t - 1) || token_is(t - 1, "--"))
		return true;
	if (token_is(t - 1, "&") && !token_is(t - 2, "&"))
		return !ends_operand(t - 2) || token_is(t - 2, ")");
	return is_passed(l, i, from);
}

bool lanes_change(const struct lanes *l, const struct token *name, int from, int end)
{
	bool pointer = is_pointer(name);

	for (int i = from; i < end; i++)
		if (at(l, i)->kind == TOKEN_IDENTIFIER && token_same(at(l, i), name)
		    && !is_member(at(l, i)) && changes_at(l, i, from, pointer))
			return true;
	return false;
}

/* --- uniform values --- */

static bool is_device_variable(const struct lanes *l, const struct token *t)
{
	const struct unit *u = l->rewriter->unit;

	for (int i = 0; i < u->variable_count; i++)
		if (token_same(token_at(u, u->variables[i].name), t))
			return true;
	return rewriter_binding(l->rewriter, t) != NULL;
}

/* Whether a name is uniform where it stands. A template's parameters and constants of the file are
 * known by that they are nothing else. */
static bool is_uniform_name(const struct lanes *l, int i)
{
	static const char *const functions[] = { "min", "max", "sizeof", NULL };
	const struct token *t = at(l, i);
	const struct lanes_variable *v = lanes_find(l, t);

	if (t->instead)
		return strcmp(t->instead, "ft_block_index()") == 0
			|| strcmp(t->instead, "ft_block_dim()") == 0
			|| strcmp(t->instead, "ft_grid_dim()") == 0;
	if (token_is(t - 1, "."))
		return true;
	if (v)
		return v->uniform && !v->array;
	if (token_is(t, "threadIdx") || is_device_variable(l, t))
		return false;
	return !token_is(t + 1, "(") || token_among(t, functions);
}

bool lanes_uniform(const struct lanes *l, int from, int end, bool changes)
{
	static const char *const other[] = { "->", "[", "{", ";", NULL };

	for (int i = from; i < end; i++) {
		const struct token *t = at(l, i);

		if (token_among(t, other) || (!changes && (assigns(t) || steps(t, t + 1)
							   || token_is(t, "--"))))
			return false;
		/* An address, or what a pointer points to. */
		if ((token_is(t, "*") || (token_is(t, "&") && !token_is(t - 1, "&")
					  && !token_is(t + 1, "&")))
		    && (i == from || !ends_operand(t - 1)))
			return false;
		if (t->kind == TOKEN_IDENTIFIER && !is_uniform_name(l, i))
			return false;
	}
	return true;
}

/* --- what a thread cannot do alone --- */

static bool begins(const struct token *t, const char *prefix)
{
	return (size_t)t->length >= strlen(prefix)
		&& memcmp(t->text, prefix, strlen(prefix)) == 0;
}

/* What lets other threads run, or depends on which stack runs. */
static bool is_foreign(const struct token *t)
{
	static const char *const names[] = {
		"ft_collective", "ft_site_at", "ft_block_barrier", "ft_active_mask", "ft_await",
		"ft_yield", "ft_clock", "ft_fence", "ft_malloc", "ft_free", "ft_printf", "malloc",
		"free", "new", "delete", "volatile", "__volatile__", "asm", "__asm", "__asm__",
		"goto", "try", "throw", NULL
	};
	static const char *const prefixes[] = {
		"ft_loop_", "ft_grid_b", "ft_grid_is", "ft_async_", "ft_bulk_", "ft_nested_",
		"ft_mbarrier_", "ft_named_", "ft_tile_", "ft_cluster_", "__atomic", "__sync",
		"co_", NULL
	};

	if (t->kind != TOKEN_IDENTIFIER)
		return false;
	for (int i = 0; prefixes[i]; i++)
		if (begins(t, prefixes[i]))
			return true;
	return token_among(t, names);
}

/* Whether the break or continue at `i` stays in [from, end). */
static bool stays(const struct lanes *l, int i, int from)
{
	static const char *const loops[] = { "for", "while", "do", NULL };

	for (int k = from; k < i; k++)
		if ((token_among(at(l, k), loops)
		     || (token_is(at(l, i), "break") && token_is(at(l, k), "switch")))
		    && unit_statement_end(l->rewriter->unit, k) > i)
			return true;
	return false;
}

bool lanes_run_through(const struct lanes *l, int from, int end, bool last)
{
	for (int i = from; i < end; i++) {
		const struct token *t = at(l, i);

		if (is_foreign(t) || token_is(t, "static") || token_is(t, "__shared__")
		    || (token_is(t, "[") && !ends_operand(t - 1)))      /* a lambda */
			return false;
		if ((token_is(t, "break") || token_is(t, "continue")) && !stays(l, i, from))
			return false;
		if (token_is(t, "return") && !(last && token_is(t + 1, ";")))
			return false;
	}
	return true;
}

/* An identifier of the user's that is not of host code, which is removed. */
static bool is_users(const struct token *t)
{
	return !t->system && t->kind == TOKEN_IDENTIFIER && !(t->instead && !*t->instead);
}

/* The user's types and variables may be volatile too. */
static bool has_volatile(const struct unit *u)
{
	for (int i = 0; i < u->tokens.count; i++)
		if (is_users(token_at(u, i)) && token_is(token_at(u, i), "volatile"))
			return true;
	return false;
}

static void reach_users(struct reach *reach, const struct token *name)
{
	const struct unit *u = reach->unit;

	for (int i = name_index_first(&reach->names, name); i >= 0;
	     i = name_index_next(&reach->names, i))
		if (!token_at(u, u->functions[i].name)->system)
			reach_from(reach, &u->functions[i]);
}

/* Adds functions of the user's that the kernel may call without naming them, whose names stand
 * outside functions: constructors and destructors, for members or by another name of the type, and
 * functions whose addresses variables have. False if what else is there, such as a lambda, lets
 * other threads run. */
static bool reach_unnamed(const struct unit *u, struct reach *reach)
{
	int next = 0;

	for (int i = 0; i < u->tokens.count; i++) {
		const struct token *t = token_at(u, i);
		int body;

		while (next < u->function_count && u->functions[next].name < i)
			next++;
		body = next > 0 ? u->functions[next - 1].body : -1;
		if (body >= 0 && i < token_at(u, body)->match) {
			i = token_at(u, body)->match;
			continue;
		}
		if (!is_users(t))
			continue;
		if (is_foreign(t))
			return false;
		if (!token_is(t + 1, "("))
			reach_users(reach, t);
	}
	return true;
}

bool lanes_functions_run_through(const struct lanes *l)
{
	const struct unit *u = l->rewriter->unit;
	struct reach reach;
	bool found;

	if (has_volatile(u))
		return false;
	reach_begin(&reach, u);
	reach_from(&reach, l->kernel);
	found = !reach_unnamed(u, &reach);
	for (int i = 0; i < reach.count && !found; i++) {
		const struct function *f = reach.list[i];

		for (int k = f->body; f != l->kernel && k < token_at(u, f->body)->match && !found;
		     k++)
			found = is_foreign(token_at(u, k));
	}
	reach_end(&reach);
	return !found;
}
