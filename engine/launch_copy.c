/* launch_copy.c - deep copies of launches; see launch_copy.h. */
#include "engine/launch_copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* Returns NULL if there is nothing to copy. */
static void *copy_of(const void *from, size_t count, size_t size)
{
	void *to;

	if (!from || count == 0)
		return NULL;
	to = xcalloc(count, size);
	memcpy(to, from, count * size);
	return to;
}

static void copy_arg(struct arg *to, const struct arg *from)
{
	*to = *from;
	to->name = from->name ? xstrdup(from->name) : NULL;
	if (from->kind != PARAM_BLOB)
		return;
	to->value.blob = copy_of(from->value.blob, from->bytes, 1);
	to->fields = copy_of(from->fields, (size_t)from->field_count, sizeof *from->fields);
}

static void free_arg(const struct arg *arg)
{
	free((void *)arg->name);
	if (arg->kind != PARAM_BLOB)
		return;
	free((void *)arg->value.blob);
	free((void *)arg->fields);
}

struct launch launch_copy(const struct launch *from)
{
	struct arg *args = xcalloc((size_t)from->arg_count + 1, sizeof *args);
	struct launch to = *from;

	for (int i = 0; i < from->arg_count; i++)
		copy_arg(&args[i], &from->args[i]);
	to.args = args;
	to.attributes = copy_of(from->attributes, (size_t)from->attribute_count,
				sizeof *from->attributes);
	return to;
}

void launch_copy_free(struct launch *launch)
{
	for (int i = 0; i < launch->arg_count; i++)
		free_arg(&launch->args[i]);
	free((void *)launch->args);
	free((void *)launch->attributes);
	*launch = (struct launch){ 0 };
}
