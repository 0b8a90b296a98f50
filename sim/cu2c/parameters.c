/* parameters.c - reads the parameters of a kernel; see parameters.h. */
#include "sim/cu2c/parameters.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

void parameters_append(FILE *out, const struct token *t, char *last)
{
	bool glued = !*last || strchr("*([:", *last) || strchr("[]),:", *t->text);

	fprintf(out, "%s%.*s", glued ? "" : " ", t->length, t->text);
	*last = t->text[t->length - 1];
}

static char *parameter_type(const struct unit *u, const struct parameter *p)
{
	static const char *const dropped[] = {
		"restrict", "__restrict", "__restrict__", "__grid_constant__", NULL
	};
	char *text = NULL, last = '\0';
	size_t size;
	FILE *out = xcheck(open_memstream(&text, &size));

	for (int i = p->from; i < p->end; i++) {
		const struct token *t = token_at(u, i);

		if (token_among(t, dropped) || (p->pack && token_is(t, ".")))
			continue;
		if (i != p->name) {
			parameters_append(out, t, &last);
		} else if (token_is(t + 1, "[")) {
			i = t[1].match;
			bool rows = token_is(token_at(u, i + 1), "[");

			fputs(last == '*' ? "" : " ", out);
			fputs(rows ? "(*)" : "*", out);
			last = '*';
		}
	}
	fclose(out);
	return xcheck(text);
}

void parameters_free(struct parameter *list, int count)
{
	for (int i = 0; i < count; i++)
		free(list[i].type);
	free(list);
}

static bool has_no_parameters(const struct unit *u, int open)
{
	const struct token *t = token_at(u, open);

	return t->match == open + 1 || (t->match == open + 2 && token_is(t + 1, "void"));
}

enum status parameters_read(const struct unit *u, const struct function *f,
			    struct parameter **list, int *count)
{
	int close = token_at(u, f->open)->match;

	*list = NULL;
	*count = 0;
	for (int at = f->open + 1; at < close && !has_no_parameters(u, f->open); ) {
		int declarator = unit_specifiers(u, at, true).end;
		struct parameter p = { .from = at, .name = unit_declarator_name(u, declarator),
				       .end = unit_declarator_end(u, declarator) };

		p.pack = token_is(token_at(u, declarator), ".");
		if (p.pack)
			p.name = unit_declarator_name(u, declarator + 3);
		if (p.name >= p.end)
			p.name = -1;
		if (p.name < 0 && u->mode.pass == PASS_KERNELS) {
			parameters_free(*list, *count);
			return token_fail(token_at(u, at),
					  "parameter %d of kernel '%.*s' has no name", *count + 1,
					  token_at(u, f->name)->length, token_at(u, f->name)->text);
		}
		p.type = parameter_type(u, &p);
		*list = xreallocarray(*list, (size_t)*count + 1, sizeof **list);
		(*list)[(*count)++] = p;
		at = unit_parameter_end(u, declarator) + 1;
	}
	return STATUS_OK;
}
