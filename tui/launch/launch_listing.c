/* launch_listing.c - the kernels of a user's file as a table or as JSON; see launch_listing.h. */
#include "config.h"

#include "tui/launch/launch_listing.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "base/xalloc.h"
#include "sim/cu2c/kernel_list.h"
#include "tui/launch/user_kernel.h"
#include "tui/run.h"

struct listing {
	json_t *kernels, *variables;
};

/* --- collecting --- */

static json_t *visible_string(const char *text)
{
	char *shown = visible_text(text);
	json_t *string = json_string(shown);

	free(shown);
	return string;
}

static json_t *named(const struct listed_name *n)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", visible_string(n->name));
	json_object_set_new(object, "type", visible_string(n->type));
	return object;
}

static void take_kernel(void *context, const struct listed_kernel *k)
{
	struct listing *l = context;
	json_t *object = json_object(), *params = json_array();

	for (int i = 0; i < k->param_count; i++)
		json_array_append_new(params, named(&k->params[i]));
	json_object_set_new(object, "name", visible_string(k->name));
	json_object_set_new(object, "line", json_integer(k->line));
	json_object_set_new(object, "template", json_boolean(k->is_template));
	json_object_set_new(object, "parameters", params);
	json_array_append_new(l->kernels, object);
}

static void take_variable(void *context, const struct listed_name *v)
{
	struct listing *l = context;

	json_array_append_new(l->variables, named(v));
}

/* --- printing --- */

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static int widest(const struct listing *l)
{
	size_t width = strlen("variable"), i;
	json_t *item;

	json_array_foreach(l->kernels, i, item) {
		size_t own = strlen(text_of(item, "name"))
			+ (json_is_true(json_object_get(item, "template")) ? strlen("<...>") : 0);

		width = own > width ? own : width;
	}
	json_array_foreach(l->variables, i, item)
		width = strlen(text_of(item, "name")) > width ? strlen(text_of(item, "name"))
			: width;
	return (int)width;
}

static void print_kernel(const json_t *k, int width)
{
	char *name = xasprintf("%s%s", text_of(k, "name"),
			       json_is_true(json_object_get(k, "template")) ? "<...>" : "");
	json_t *param;
	size_t i;

	printf("%-*s  %5lld  ", width, name,
	       (long long)json_integer_value(json_object_get(k, "line")));
	free(name);
	json_array_foreach(json_object_get(k, "parameters"), i, param)
		printf("%s%s: %s", i ? ", " : "", text_of(param, "name"), text_of(param, "type"));
	putchar('\n');
}

static void print_table(const struct listing *l)
{
	int width = widest(l);
	json_t *item;
	size_t i;

	printf("%-*s  %5s  parameters\n", width, "kernel", "line");
	json_array_foreach(l->kernels, i, item)
		print_kernel(item, width);
	if (json_array_size(l->variables))
		printf("%-*s  %5s  type\n", width, "variable", "");
	json_array_foreach(l->variables, i, item)
		printf("%-*s  %5s  %s\n", width, text_of(item, "name"), "",
		       text_of(item, "type"));
}

enum status launch_listing_print(const struct user_source *source, bool json)
{
	struct listing l = { json_array(), json_array() };
	const struct kernel_list_visitor visitor = {
		.context = &l, .kernel = take_kernel, .variable = take_variable,
	};
	enum status status = user_kernel_list(source, &visitor);
	json_t *object = json_object();

	json_object_set_new(object, "file", visible_string(source->file));
	json_object_set_new(object, "kernels", l.kernels);
	json_object_set_new(object, "variables", l.variables);
	if (status == STATUS_OK && json)
		status = run_print_json(object);
	else if (status == STATUS_OK)
		print_table(&l);
	json_decref(object);
	return status;
}
