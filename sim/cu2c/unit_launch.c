/* unit_launch.c - replaces the launches in a file of a whole program; see unit_program.h. */
#include "config.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "sim/cu2c/unit_edit.h"
#include "sim/cu2c/unit_program.h"

static bool is_triple(const struct token *t, const char *angle)
{
	return token_is(t, angle) && token_is(t + 1, angle) && token_is(t + 2, angle)
		&& !t[1].space_length && !t[2].space_length;
}

bool unit_begins_launch(const struct token *t)
{
	return is_triple(t, "<");
}

/* The '<' that the '>' at `at` closes; `at` if there is none. */
static int angle_begin(const struct unit *u, int at)
{
	int depth = 0;

	for (int i = at; i > 0; i--) {
		const struct token *t = token_at(u, i);

		if (token_closes(t) && t->match >= 0)
			i = t->match;
		else if (token_is(t, ">"))
			depth++;
		else if (token_is(t, "<") && --depth == 0)
			return i;
		else if (token_opens(t) || token_is(t, ";"))
			return at;
	}
	return at;
}

/* The first token of the expression that ends before `end`: a name with its scopes and template
 * arguments, an element, a member, or something in parentheses. */
static int callee_begin(const struct unit *u, int end)
{
	int at = end - 1;

	for (;;) {
		const struct token *t = token_at(u, at);

		if (token_closes(t) && t->match >= 0 && !token_is(t, "}"))
			at = t->match;
		else if (token_is(t, ">") && angle_begin(u, at) < at)
			at = angle_begin(u, at);
		else if (t->kind != TOKEN_IDENTIFIER)
			return end;
		/* Something may come before that it belongs to. */
		t = token_at(u, at);
		if (t->kind != TOKEN_IDENTIFIER && !token_is(t, "(")) {
			at--;
			continue;
		}
		if (token_is(t - 1, "template"))
			at--;
		t = token_at(u, at - 1);
		if (at > 2 && token_is(t, ":") && token_is(t - 1, ":")) {
			at -= 2;
			t = token_at(u, at - 1);
			if (t->kind != TOKEN_IDENTIFIER && !token_is(t, ">"))
				return at;
		} else if (token_is(t, ".") || token_is(t, "->")) {
			at--;
		} else {
			return at;
		}
		at--;
	}
}

/* f<<<c>>>(a) becomes (ft_configure(c) ? (void)0 : f(a)), as nvcc does it. */
static enum status rewrite_launch(struct unit *u, int at)
{
	int begin = callee_begin(u, at), end = at + 3;
	char *configuration, *text;

	while (token_at(u, end)->kind != TOKEN_END && !is_triple(token_at(u, end), ">"))
		end = token_opens(token_at(u, end)) ? token_at(u, end)->match + 1 : end + 1;
	if (begin == at || !is_triple(token_at(u, end), ">")
	    || !token_is(token_at(u, end + 3), "("))
		return token_fail(token_at(u, at), "cannot read this launch: expected "
				  "KERNEL<<<GRID, BLOCK>>>(ARGUMENTS)");
	if (u->nests)
		unit_replace_builtins_in(u, at + 3, end);
	configuration = unit_text(u, at + 3, end);
	text = xasprintf("(ft_configure(%s) ? (void)0 : ", configuration);
	unit_drop(u, at, end + 3);
	unit_put_before(u, begin, text);
	unit_put_after(u, token_at(u, end + 3)->match, ")");
	free(text);
	free(configuration);
	return STATUS_OK;
}

/* Whether the body that follows the qualifier at `at` has a launch. */
static bool body_launches(const struct unit *u, int at)
{
	const struct token *t = token_at(u, at);

	while (t->kind != TOKEN_END && !token_is(t, ";") && !token_is(t, "=")
	       && !token_is(t, "{")) {
		at = token_opens(t) && t->match >= 0 ? t->match + 1 : at + 1;
		t = token_at(u, at);
	}
	for (int i = at; token_is(t, "{") && i < t->match; i++)
		if (unit_begins_launch(token_at(u, i)))
			return true;
	return false;
}

static bool launches_in_device_code(const struct unit *u)
{
	static const char *const qualifiers[] = { "__global__", "__device__", NULL };

	for (int i = 0; i + 2 < u->tokens.count; i++)
		if (!token_at(u, i)->system && token_among(token_at(u, i), qualifiers)
		    && body_launches(u, i))
			return true;
	return false;
}

enum status unit_replace_launches(struct unit *u)
{
	u->nests = u->mode.pass == PASS_DEVICE
		&& (u->mode.launched || launches_in_device_code(u));
	for (int i = 0; i + 2 < u->tokens.count; i++)
		if (!token_at(u, i)->system && unit_begins_launch(token_at(u, i)))
			TRY(rewrite_launch(u, i));
	return STATUS_OK;
}
