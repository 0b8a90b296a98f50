/* generators.c - the table of generators; see generators.h. A lab that needs another adds a file
 * generate_*.c and a row. */
#include "tui/lab/case/generators.h"

#include <string.h>

enum status generator_array(struct lab_case *c, const char *name, struct case_array **out)
{
	*out = case_array_find(c, name);
	return *out && (*out)->data ? STATUS_OK
		: fail(STATUS_INTERNAL, "lab %d: the generator needs an input %s", c->lab->number,
		       name);
}

enum status generator_size(const struct lab_case *c, const char *name, int64_t *out)
{
	double value;

	if (!names_get(&c->names, name, &value))
		return fail(STATUS_INTERNAL, "lab %d: the generator needs a size %s",
			    c->lab->number, name);
	*out = (int64_t)value;
	return STATUS_OK;
}

static const struct {
	const char *name;
	enum status (*run)(struct lab_case *);
} generators[] = {
	{ "numbered_heads", generate_numbered_heads },
	{ "paged_cache", generate_paged_cache },
	{ "partials", generate_partials },
};

enum status generator_run(const char *name, struct lab_case *c)
{
	for (size_t i = 0; i < sizeof generators / sizeof generators[0]; i++)
		if (strcmp(generators[i].name, name) == 0)
			return generators[i].run(c);
	return fail(STATUS_INTERNAL, "lab %d: unknown generator %s", c->lab->number, name);
}
