/* references.c - the table of references, and how they find the arrays of a lab; see references.h.
 *
 * The functions are in reference_*.c, one file for each topic.
 */
#include "tui/lab/reference/references.h"

#include <string.h>

/* A function reads its inputs with reference_array() and reference_size(), and returns before it
 * uses them if job->missing is set. */
static const struct {
	const char *name;
	reference_fn *run;
} references[] = {
	{ "softmax_rows", reference_softmax_rows },
	{ "online_softmax", reference_online_softmax },
	{ "safe_softmax", reference_safe_softmax },
	{ "max_and_sum", reference_max_and_sum },
	{ "decode_partials", reference_decode_partials },
	{ "combine", reference_combine },
	{ "gqa", reference_gqa },
	{ "paged", reference_paged },
};

/* The lab's name for what the reference calls `name`. */
static const char *renamed(const struct reference_job *job, const char *name)
{
	const char *other = json_string_value(json_object_get(
		json_object_get(job->c->lab->reference, "with"), name));

	return other ? other : name;
}

static void miss(struct reference_job *job, const char *name)
{
	if (!job->missing)
		job->missing = name;
}

const struct case_array *reference_array(struct reference_job *job, const char *name)
{
	const struct case_array *a = case_array_get(job->c, renamed(job, name));

	if (!a || !a->data) {
		miss(job, name);
		return NULL;
	}
	return a;
}

double *reference_optional(struct reference_job *job, const char *name)
{
	const struct case_array *a = case_array_get(job->c, renamed(job, name));

	return a && case_array_writes(a) ? job->expected[a - job->c->arrays] : NULL;
}

double *reference_output(struct reference_job *job, const char *name)
{
	double *output = reference_optional(job, name);

	if (!output)
		miss(job, name);
	return output;
}

double reference_size(struct reference_job *job, const char *name)
{
	const char *known = renamed(job, name);
	const json_t *scalar = json_object_get(job->c->lab->scalars, known);
	double value = 0;

	if (scalar) {
		if (expression_value(json_object_get(scalar, "value"), &job->c->names, known,
				     &value) != STATUS_OK)
			miss(job, name);
	} else if (!names_get(&job->c->names, known, &value)) {
		miss(job, name);
	}
	return value;
}

double reference_value(const struct case_array *a, size_t i)
{
	return case_value(a, a->data, i);
}

enum status reference_run(struct reference_job *job)
{
	const json_t *json = job->c->lab->reference;
	const char *name = json_string_value(json_object_get(json, "name"));
	const char *program = json_string_value(json_object_get(json, "program"));

	if (program)
		return reference_program(job, program);
	for (size_t i = 0; i < sizeof references / sizeof references[0] && name; i++) {
		if (strcmp(references[i].name, name) != 0)
			continue;
		references[i].run(job);
		return !job->missing ? STATUS_OK
			: fail(STATUS_INTERNAL, "lab %d: the reference %s needs %s",
			       job->c->lab->number, name, job->missing);
	}
	return fail(STATUS_INTERNAL, "lab %d: there is no reference %s", job->c->lab->number,
		    name ? name : "(no name)");
}
