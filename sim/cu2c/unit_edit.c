/* unit_edit.c - replaces tokens of a unit by other text; see unit_edit.h. */
#include "config.h"

#include "sim/cu2c/unit_edit.h"

#include <stdlib.h>

#include "base/xalloc.h"

const char *unit_keep(struct unit *u, char *text)
{
	u->kept = xreallocarray(u->kept, (size_t)u->kept_count + 1, sizeof *u->kept);
	u->kept[u->kept_count++] = text;
	return text;
}

/* What is written for the token now; the caller frees it. */
static char *written(const struct token *t)
{
	return t->instead ? xstrdup(t->instead) : xasprintf("%.*s", t->length, t->text);
}

void unit_put_before(struct unit *u, int at, const char *text)
{
	struct token *t = &u->tokens.at[at];
	char *old = written(t);

	t->instead = unit_keep(u, xasprintf("%s%s", text, old));
	free(old);
}

void unit_put_after(struct unit *u, int at, const char *text)
{
	struct token *t = &u->tokens.at[at];
	char *old = written(t);

	t->instead = unit_keep(u, xasprintf("%s%s", old, text));
	free(old);
}

void unit_drop(struct unit *u, int from, int end)
{
	for (int i = from; i < end; i++)
		u->tokens.at[i].instead = "";
}

/* Whether the name at `at` has template arguments and is called. */
static bool calls_template(const struct unit *u, int at)
{
	int open = at + 1, end = unit_angle_end(u, open);

	return token_at(u, at)->kind == TOKEN_IDENTIFIER && end > open
		&& token_is(token_at(u, end), "(");
}

/* Whether X<T>:: comes before the name at `at`. */
static bool follows_template(const struct unit *u, int at)
{
	return token_is(token_at(u, at - 3), ">") && token_is(token_at(u, at - 2), ":")
		&& token_is(token_at(u, at - 1), ":") && token_at(u, at - 2)->space_length == 0;
}

/* Whether the name at `at` is a member's, and what follows is written as template arguments and not
 * as comparisons: without blanks, and without what only an expression has. */
static bool is_member_template(const struct unit *u, int at)
{
	const int end = unit_angle_end(u, at + 1);

	if (!token_is(token_at(u, at - 1), ".") && !token_is(token_at(u, at - 1), "->"))
		return false;
	if (token_is(token_at(u, at + 2), "<") || token_at(u, at + 1)->space_length
	    || token_at(u, end - 1)->space_length || token_at(u, end)->space_length)
		return false;
	for (int i = at + 2; i < end; i++) {
		const struct token *t = token_at(u, i);

		if (token_is(t, "?") || (token_is(t, "&") && token_is(t + 1, "&"))
		    || (token_is(t, "|") && token_is(t + 1, "|")))
			return false;
		if (token_opens(t))
			i = t->match;
	}
	return true;
}

void unit_name_templates(struct unit *u, int from, int end)
{
	for (int i = from + 3; i + 1 < end; i++)
		if (calls_template(u, i) && (follows_template(u, i) || is_member_template(u, i)))
			unit_put_before(u, i, "template ");
}

void unit_write_source(const struct unit *u, int from, int end, FILE *out)
{
	for (int i = from; i < end; i++) {
		const struct token *t = token_at(u, i);

		fprintf(out, "%s%.*s", i > from && t->space_length ? " " : "", t->length, t->text);
	}
}

char *unit_text(const struct unit *u, int from, int end)
{
	char *text = NULL;
	size_t size;
	FILE *out = xcheck(open_memstream(&text, &size));

	for (int i = from; i < end; i++) {
		const struct token *t = token_at(u, i);
		char *now = written(t);

		fprintf(out, "%s%s", i > from && t->space_length ? " " : "", now);
		free(now);
	}
	fclose(out);
	return xcheck(text);
}
