/* unit_program.c - prepares a file of a whole program for one of its two passes.
 *
 * In the host pass a kernel's body becomes a stub that launches it, and functions for devices only
 * lose their bodies, or are removed if they were declared before. In the device pass a kernel
 * begins with the entry of its table, and other functions become inline: they are compiled only
 * where a kernel uses them. In both, main() gets another name. See sim/cuda/program.h. Used by
 * unit_read.c.
 */
#include "config.h"

#include "sim/cu2c/unit_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/cu2c/code_table.h"
#include "sim/cu2c/parameters.h"
#include "sim/cu2c/unit_edit.h"

/* --- names of template parameters --- */

/* The ',' or '>' that ends the template parameter at `at`. */
static int template_parameter_end(const struct unit *u, int at)
{
	for (;;) {
		const struct token *t = token_at(u, at);

		if (token_is(t, "<") && unit_angle_end(u, at) > at)
			at = unit_angle_end(u, at);
		else if (token_is(t, ",") || token_is(t, ">") || t->kind == TOKEN_END)
			return at;
		else
			at = token_opens(t) ? t->match + 1 : at + 1;
	}
}

/* Writes the argument that stands for the parameter [at, end), and names it if it has no name. */
static void write_template_argument(struct unit *u, int at, int end, int number, FILE *out)
{
	static const char *const keywords[] = {
		"typename", "class", "int", "unsigned", "bool", "char", "short", "long", "auto",
		NULL
	};
	int last = at;
	bool pack = false;
	char *name;

	while (last < end && !token_is(token_at(u, last), "="))
		last++;
	for (int i = at; i < last; i++)
		pack |= token_is(token_at(u, i), ".");
	last--;
	if (last > at && token_at(u, last)->kind == TOKEN_IDENTIFIER
	    && !token_among(token_at(u, last), keywords) && !token_is(token_at(u, last - 1), ":")) {
		name = xasprintf("%.*s", token_at(u, last)->length, token_at(u, last)->text);
	} else {
		char *added = xasprintf(" ft_template_%d", number);

		unit_put_after(u, last, added);
		name = xstrdup(added + 1);
		free(added);
	}
	fprintf(out, "%s%s%s", number ? ", " : "", name, pack ? "..." : "");
	free(name);
}

/* The arguments that name this instantiation inside a template's body, "<T, N>"; "" for a function
 * that is not a template. The caller frees them. */
static char *own_arguments(struct unit *u, int start, const struct function *f)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if (f->open > f->name + 1)              /* a specialisation: as it is written there */
		return unit_text(u, f->name + 1, f->open);
	for (int i = start; i < f->name; i++) {
		int at = i + 2, end = unit_angle_end(u, i + 1) - 1, number = 0;

		if (!token_is(token_at(u, i), "template") || end <= i + 1)
			continue;
		out = xcheck(open_memstream(&text, &size));
		fputs("<", out);
		while (at < end) {
			int next = template_parameter_end(u, at);

			write_template_argument(u, at, next < end ? next : end, number++, out);
			at = next + 1;
		}
		fputs(">", out);
		fclose(out);
		return xcheck(text);
	}
	return xstrdup("");
}

/* --- kernels --- */

/* The parameter's name; the caller frees it. One without a name gets one. */
static char *parameter_name(struct unit *u, const struct parameter *p, int number)
{
	char *added, *name;

	if (p->name >= 0)
		return xasprintf("%.*s", token_at(u, p->name)->length, token_at(u, p->name)->text);
	added = xasprintf(" ft_parameter_%d", number);
	unit_put_after(u, p->end - 1, added);
	name = xstrdup(added + 1);
	free(added);
	return name;
}

static char **parameter_names(struct unit *u, const struct parameter *list, int count)
{
	char **names = xcalloc((size_t)count + 1, sizeof *names);

	for (int i = 0; i < count; i++)
		names[i] = parameter_name(u, &list[i], i);
	return names;
}

static void free_names(char **names)
{
	for (char **name = names; *name; name++)
		free(*name);
	free(names);
}

static void write_arguments(const struct parameter *list, char *const *names, FILE *out)
{
	fputs("void *ft_arguments[] = { ", out);
	for (int i = 0; names[i]; i++)
		fprintf(out, "(void *)__builtin_addressof(%s)%s, ", names[i],
			list[i].pack ? "..." : "");
	fputs("0 }; ", out);
}

static void write_stub(const struct parameter *list, char *const *names, FILE *out)
{
	fputs("{ ", out);
	write_arguments(list, names, out);
	fputs("ft_stub(ft_arguments); ", out);
}

/* The first argument of __launch_bounds__, as in the source, or "0"; the caller frees it. */
static char *bounds_of(const struct unit *u, const struct function *f)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if (f->bounds < 0)
		return xstrdup("0");
	out = xcheck(open_memstream(&text, &size));
	unit_write_source(u, f->bounds + 1, unit_declarator_end(u, f->bounds + 1), out);
	fclose(out);
	return xcheck(text);
}

static void write_entry(struct unit *u, int start, const struct function *f,
			const struct parameter *list, int count, char *const *names, FILE *out)
{
	const struct token *k = token_at(u, f->name);
	char *arguments = own_arguments(u, start, f), *bounds = bounds_of(u, f);

	fprintf(out, "{ typedef ft_signature<void (*)(");
	for (int i = 0; i < count; i++)
		fprintf(out, "%s%s%s", i ? ", " : "", list[i].type, list[i].pack ? "..." : "");
	fprintf(out, ")> ft_own_signature; static const struct kernel_entry ft_entry"
		" __attribute__((used)) = { \"%.*s\", __PRETTY_FUNCTION__, \"%.*s\", \"",
		k->length, k->text,
		k->file_length, k->file);
	for (int i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? "\\n" : "", names[i]);
	fputs("\", \"", out);
	for (int i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? "\\n" : "", list[i].type);
	fputs("\", ft_own_signature::params, ft_own_signature::count, (unsigned)(", out);
	fprintf(out, "%s), ft_own_signature::template run<&%.*s%s>, %s, %s, ",
		bounds, k->length, k->text, arguments, u->orders_some ? "true" : "false",
		u->orders_seen ? "true" : "false");
	code_table_cluster(u, f->cluster, out);
	fputs(" }; __asm__ __volatile__(\"\" : : \"X\"(&ft_entry)); ", out);
	/* A launch of it by device code is a call of it. */
	if (u->nests) {
		fputs("{ ", out);
		write_arguments(list, names, out);
		fputs("if (ft_nested_take(&ft_entry, ft_arguments)) return; } ", out);
	}
	free(arguments);
	free(bounds);
}

static enum status rewrite_kernel(struct unit *u, int start, const struct function *f)
{
	int close = token_at(u, f->body)->match, count;
	struct parameter *list;
	char *text = NULL, **names;
	size_t size;
	FILE *out;

	TRY(parameters_read(u, f, &list, &count));
	names = parameter_names(u, list, count);
	out = xcheck(open_memstream(&text, &size));
	if (u->mode.pass == PASS_HOST) {
		unit_drop(u, f->body + 1, close);
		write_stub(list, names, out);
	} else {
		write_entry(u, start, f, list, count, names, out);
	}
	fclose(out);
	u->tokens.at[f->body].instead = unit_keep(u, xcheck(text));
	free_names(names);
	parameters_free(list, count);
	return STATUS_OK;
}

/* --- other functions --- */

/* The first of the declaration's specifiers: after template parameters, linkage, and attributes. */
static int specifiers_begin(const struct unit *u, int at)
{
	for (;;) {
		const struct token *t = token_at(u, at);

		if (token_is(t, "template") && unit_angle_end(u, at + 1) > at + 1)
			at = unit_angle_end(u, at + 1);
		else if (token_is(t, "extern") && t[1].kind == TOKEN_QUOTED)
			at += 2;
		else if (token_is(t, "[") && token_is(t + 1, "["))
			at = t->match + 1;
		else
			return at;
	}
}

static void make_inline(struct unit *u, int start, const struct function *f)
{
	static const char *const already[] = {
		"inline", "constexpr", "__forceinline__", "__inline__", "__inline", "friend", NULL
	};

	for (int i = start; i < f->name; i++)
		if (token_among(token_at(u, i), already))
			return;
	unit_put_before(u, specifiers_begin(u, start), "inline ");
}

static bool has_deduced_type(const struct unit *u, int start, const struct function *f)
{
	bool deduced = false;

	for (int i = start; i < f->name; i++)
		deduced |= token_is(token_at(u, i), "auto");
	for (int i = token_at(u, f->open)->match; i < f->body; i++)
		deduced &= !token_is(token_at(u, i), "->");
	return deduced;
}

/* Calls main() with what it takes, whatever that is. */
static void rename_main(struct unit *u, const struct function *f)
{
	int close = token_at(u, f->body)->match;

	u->tokens.at[f->name].instead = "ft_main";
	unit_put_before(u, close, "return 0; ");
	if (u->mode.pass == PASS_HOST)
		unit_put_after(u, close, " extern \"C\" int ft_program_main(int argc, char **argv, "
			  "char **variables) { return ft_call_main(ft_main, argc, argv, "
			  "variables); }");
}

void unit_drop_body(struct unit *u, const struct function *f)
{
	int from = token_at(u, f->open)->match + 1, last = token_at(u, f->body)->match;

	while (from < f->body && !(token_is(token_at(u, from), ":")
				   && !token_is(token_at(u, from + 1), ":")
				   && !token_is(token_at(u, from - 1), ":")))
		from++;
	unit_drop(u, from, last);
	u->tokens.at[last].instead = ";";
}

/* Whether the name has its class or namespace before it: what it declares was declared there. */
static bool is_qualified(const struct unit *u, int start, int name)
{
	int before = name - 1;

	if (before > start && token_is(token_at(u, before), "~"))
		before--;
	return before > start && token_is(token_at(u, before), ":")
		&& token_is(token_at(u, before - 1), ":");
}

/* A function for devices only, in the host's pass. */
static void drop_device_function(struct unit *u, int start, const struct function *f)
{
	if (is_qualified(u, start, f->name))
		unit_drop(u, start, token_at(u, f->body)->match + 1);
	else
		unit_drop_body(u, f);
}

enum status unit_program_function(struct unit *u, int start, const struct function *f,
				  const struct function_kind *kind)
{
	if (f->kernel)
		return f->body >= 0 ? rewrite_kernel(u, start, f) : STATUS_OK;
	if (f->body < 0 || kind->system)
		return STATUS_OK;
	if (u->mode.pass == PASS_HOST && kind->device && !kind->host && !kind->is_constexpr
	    && !has_deduced_type(u, start, f)) {
		drop_device_function(u, start, f);
		return STATUS_OK;
	}
	if (!kind->member && token_is(token_at(u, f->name), "main"))
		rename_main(u, f);
	if (u->mode.pass == PASS_DEVICE && !kind->member)
		make_inline(u, start, f);
	return STATUS_OK;
}
