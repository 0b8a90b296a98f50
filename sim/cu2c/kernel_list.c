/* kernel_list.c - the kernels and device variables of a user's file; see kernel_list.h. */
#include "sim/cu2c/kernel_list.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "sim/cu2c/kernel_choice.h"
#include "sim/cu2c/parameters.h"
#include "sim/cu2c/unit.h"
#include "sim/cu2c/variables.h"

/* Names of the parameters, each in memory of its own. */
static struct listed_name *names_of(const struct unit *u, const struct parameter *list, int count)
{
	struct listed_name *names = xcalloc((size_t)count + 1, sizeof *names);

	for (int i = 0; i < count; i++) {
		const struct token *t = token_at(u, list[i].name);

		names[i].name = xasprintf("%.*s", t->length, t->text);
		names[i].type = xstrdup(list[i].type);
	}
	return names;
}

static void free_names(struct listed_name *names, int count)
{
	for (int i = 0; i < count; i++) {
		free(names[i].name);
		free(names[i].type);
	}
	free(names);
}

static enum status visit_kernel(const struct unit *u, const struct function *f,
				const struct kernel_list_visitor *v)
{
	struct listed_kernel kernel = {
		.line = token_at(u, f->name)->line,
		.is_template = kernel_choice_is_template(u, f),
	};
	struct parameter *list;

	TRY(parameters_read(u, f, &list, &kernel.param_count));
	kernel.name = variables_qualified(u, f->name);
	kernel.params = names_of(u, list, kernel.param_count);
	v->kernel(v->context, &kernel);
	free_names(kernel.params, kernel.param_count);
	free(kernel.name);
	parameters_free(list, kernel.param_count);
	return STATUS_OK;
}

static enum status visit(const struct unit *u, const struct kernel_list_visitor *v)
{
	for (int i = 0; i < u->function_count; i++)
		if (u->functions[i].kernel && u->functions[i].body >= 0)
			TRY(visit_kernel(u, &u->functions[i], v));
	for (int i = 0; i < u->variable_count; i++) {
		struct listed_name variable = {
			.name = variables_qualified(u, u->variables[i].name),
			.type = variables_type(u, &u->variables[i]),
		};

		v->variable(v->context, &variable);
		free(variable.name);
		free(variable.type);
	}
	return STATUS_OK;
}

enum status kernel_list_read(const char *file, const char *text, size_t bytes, bool cplusplus,
			     const struct kernel_list_visitor *visitor)
{
	const struct unit_mode mode = { .user = true, .cplusplus = cplusplus };
	enum status status;
	struct unit u;

	TRY(unit_read(file, text, bytes, mode, &u));
	status = visit(&u, visitor);
	unit_free(&u);
	return status;
}
