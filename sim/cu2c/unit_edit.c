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

/* Whether the '>' at `at` ends X<T> of X<T>::f<int>(. */
static bool calls_template(const struct unit *u, int at)
{
	int open = at + 4;

	return token_is(token_at(u, at), ">") && token_is(token_at(u, at + 1), ":")
		&& token_is(token_at(u, at + 2), ":") && token_at(u, at + 1)->space_length == 0
		&& token_at(u, at + 3)->kind == TOKEN_IDENTIFIER
		&& unit_angle_end(u, open) > open
		&& token_is(token_at(u, unit_angle_end(u, open)), "(");
}

void unit_name_templates(struct unit *u, int from, int end)
{
	for (int i = from; i + 4 < end; i++)
		if (calls_template(u, i))
			unit_put_before(u, i + 3, "template ");
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
