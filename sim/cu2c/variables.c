/* variables.c - finds device variables, and writes their table; see variables.h. */
#include "sim/cu2c/variables.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/cu2c/parameters.h"
#include "sim/cu2c/unit_edit.h"

/* --- finding --- */

/* The last name before what follows a declarator's name: '[', '=', '{', ',' or ';'. */
static int declared_name(const struct unit *u, int at, int end)
{
	static const char *const after[] = { "[", "=", "{", ",", ";", NULL };
	int name = -1;

	while (at <= end && !token_among(token_at(u, at), after)) {
		const struct token *t = token_at(u, at);

		if (t->kind == TOKEN_IDENTIFIER)
			name = at;
		at = token_is(t, "<") ? unit_angle_end(u, at) : at;
		if (token_at(u, at) == t)
			at = token_opens(t) ? t->match + 1 : at + 1;
	}
	return name;
}

/* The token after the declarator at `at`: a ',' or the end. */
static int declarator_end(const struct unit *u, int at, int end)
{
	while (at < end && !token_is(token_at(u, at), ","))
		at = token_opens(token_at(u, at)) ? token_at(u, at)->match + 1 : at + 1;
	return at;
}

static bool is_left_out(const struct unit *u, int start, int end)
{
	static const char *const words[] = {
		"template", "constexpr", "typedef", "using", "__shared__", "__managed__", NULL
	};
	bool constant = false, assigned = false, external = false;

	for (int i = start; i < end; i++) {
		const struct token *t = token_at(u, i);

		if (token_among(t, words))
			return true;
		assigned |= token_is(t, "=") || token_is(t, "{");
		external |= token_is(t, "extern") && t[1].kind != TOKEN_QUOTED;
		/* Of a pointer, only a const behind its last '*' is about the variable itself. */
		if (!assigned && (token_is(t, "const") || token_is(t, "*")))
			constant = token_is(t, "const");
		if (token_opens(t))
			i = t->match;
	}
	return constant || (external && !assigned);
}

static void note(struct unit *u, int start, int name, int end)
{
	u->variables = xreallocarray(u->variables, (size_t)u->variable_count + 1,
				     sizeof *u->variables);
	u->variables[u->variable_count++] = (struct unit_variable){ start, name, end };
}

/* The host of a program changes and reads variables behind the compiler's back, which must neither
 * drop a static one nor take it for a constant. */
static void keep(struct unit *u, int start, int name)
{
	for (int i = start; i < name; i++)
		if (token_is(token_at(u, i), "__device__")
		    || token_is(token_at(u, i), "__constant__")) {
			unit_put_after(u, i, " __attribute__((used))");
			return;
		}
}

void variables_note(struct unit *u, int start, int end)
{
	int at = start;

	if (is_left_out(u, start, end))
		return;
	if (u->mode.pass == PASS_DEVICE)
		keep(u, start, end);
	while (at < end) {
		int name = declared_name(u, at, end), next;

		if (name < 0)
			return;
		next = declarator_end(u, name, end);
		note(u, start, name, next);
		at = next + 1;
	}
}

/* --- names and types --- */

/* Whether the '{' at `at` opens a namespace with a name, which is then at *name. */
static bool opens_namespace(const struct unit *u, int at, int *name)
{
	*name = at - 1;
	return at > 1 && token_at(u, at - 1)->kind == TOKEN_IDENTIFIER
		&& token_is(token_at(u, at - 2), "namespace");
}

char *variables_qualified(const struct unit *u, int name)
{
	char *text = NULL;
	size_t size;
	FILE *out = xcheck(open_memstream(&text, &size));

	for (int i = 0; i < name; i++) {
		const struct token *t = token_at(u, i);
		int space;

		if (!token_is(t, "{"))
			continue;
		if (t->match < name)
			i = t->match;
		else if (opens_namespace(u, i, &space))
			fprintf(out, "%.*s::", token_at(u, space)->length,
				token_at(u, space)->text);
	}
	fprintf(out, "%.*s", token_at(u, name)->length, token_at(u, name)->text);
	fclose(out);
	return xcheck(text);
}

char *variables_type(const struct unit *u, const struct unit_variable *v)
{
	static const char *const dropped[] = {
		"__device__", "__constant__", "static", "extern", "inline", "volatile", NULL
	};
	char *text = NULL, last = '\0';
	size_t size;
	FILE *out = xcheck(open_memstream(&text, &size));

	for (int i = v->start; i < v->end; i++) {
		const struct token *t = token_at(u, i);

		if (i > v->name && (token_is(t, "=") || token_is(t, "{")))
			break;
		if (token_is(t, ",") && i < v->name)    /* of an earlier declarator */
			break;
		if (i == v->name || token_among(t, dropped) || t->kind == TOKEN_QUOTED)
			continue;
		if (token_is(t, "__attribute__")) {
			i = unit_call_end(u, i) - 1;
			continue;
		}
		parameters_append(out, t, &last);
	}
	fclose(out);
	return xcheck(text);
}

/* --- the table --- */

void variables_write_element(const char *expression, FILE *out)
{
	static const struct { const char *type, *element; } known[] = {
		{ "float", "f32" }, { "double", "f64" }, { "_Bool", "bool" }, { "char", "i8" },
		{ "signed char", "i8" }, { "unsigned char", "u8" }, { "short", "i16" },
		{ "unsigned short", "u16" }, { "int", "i32" }, { "unsigned", "u32" },
		{ "long", "i64" }, { "unsigned long", "u64" }, { "long long", "i64" },
		{ "unsigned long long", "u64" },
	};
	static const char *const forms[] = { "%s", "%s *", "const %s *", "volatile %s *",
					     "const volatile %s *" };

	fprintf(out, "_Generic(%s", expression);
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
			fputs(", ", out);
			fprintf(out, forms[k], known[i].type);
			fprintf(out, ": \"%s\"", known[i].element);
		}
	fputs(", default: (const char *)0)", out);
}

/* In C: the first value of an array is an expression of its type. */
static void write_element(const struct unit *u, const struct unit_variable *v, const char *name,
			  FILE *out)
{
	char *first = xstrdup(name);

	if (u->mode.cplusplus) {
		fprintf(out, "ft_element<decltype(%s)>()", name);
		free(first);
		return;
	}
	for (int i = v->name + 1; token_is(token_at(u, i), "["); i = token_at(u, i)->match + 1) {
		char *longer = xasprintf("%s[0]", first);

		free(first);
		first = longer;
	}
	variables_write_element(first, out);
	free(first);
}

void variables_write(const struct unit *u, FILE *out)
{
	const char *external = u->mode.cplusplus ? "extern \"C\" " : "";

	fputs("static const struct kernel_variable ft_variables[] = {\n", out);
	for (int i = 0; i < u->variable_count; i++) {
		const struct unit_variable *v = &u->variables[i];
		char *name = variables_qualified(u, v->name), *type = variables_type(u, v);

		fprintf(out, "{ \"%s\", \"%s\", ", name, type);
		write_element(u, v, name, out);
		fprintf(out, ", (void *)&%s, sizeof(%s) },\n", name, name);
		free(name);
		free(type);
	}
	fprintf(out, "{ 0, 0, 0, 0, 0 } };\n%sconst struct kernel_variable *const"
		" ft_user_variables;\n%sconst struct kernel_variable *const ft_user_variables ="
		" ft_variables;\n", *external ? external : "extern ", external);
}
