/* case_derive.c - a case with one index of an axis alone, or with an axis in another order; see
 * lab_case.h. Used by invariants. */
#include "tui/lab/case/lab_case.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* The dimension of an array whose size is exactly `axis`; -1 if it has none. */
static int axis_of(const struct lab_array *lab, const char *axis)
{
	for (size_t i = 0; axis && i < json_array_size(lab->shape); i++) {
		const char *text = json_string_value(json_array_get(lab->shape, i));

		if (text && strcmp(text, axis) == 0)
			return (int)i;
	}
	return -1;
}

size_t case_origin(const struct case_array *from, const struct case_array *derived,
		   const char *axis, const int64_t *order, size_t i)
{
	int at = axis_of(derived->lab, axis);
	size_t inner = 1, place, outer;

	if (at < 0)
		return i;
	for (int k = at + 1; k < derived->rank; k++)
		inner *= (size_t)derived->shape[k];
	place = i / inner % (size_t)derived->shape[at];
	outer = i / inner / (size_t)derived->shape[at];
	return (outer * (size_t)from->shape[at] + (size_t)order[place]) * inner + i % inner;
}

static enum status derive(const struct lab_case *c, const char *axis, const int64_t *order,
			  int64_t size, struct lab_case *out)
{
	*out = *c;
	out->array_count = 0;
	out->derived = true;
	if (axis)
		TRY(names_set(&out->names, axis, (double)size));
	for (int i = 0; i < c->array_count; i++) {
		const struct case_array *from = &c->arrays[i];
		struct case_array *a = &out->arrays[i];
		int at = axis_of(from->lab, axis);

		*a = *from;
		a->data = a->result = NULL;
		out->array_count++;
		if (at >= 0) {
			a->count = a->count / (size_t)a->shape[at] * (size_t)size;
			a->bytes = a->count * dtype_bytes(a->lab->dtype);
			a->shape[at] = size;
		}
		if (case_array_writes(a) && !(a->result = case_share(a->bytes)))
			return fail(STATUS_INTERNAL, "no memory for %s", a->lab->name);
		if (!from->data)
			continue;
		a->data = xmalloc(a->bytes);
		for (size_t k = 0; k < a->count; k++)
			case_value_set(a, a->data, k, case_value(from, from->data,
					case_origin(from, a, axis, order, k)));
	}
	return STATUS_OK;
}

enum status lab_case_solo(const struct lab_case *c, const char *axis, int64_t at,
			  struct lab_case *out)
{
	return derive(c, axis, &at, 1, out);
}

enum status lab_case_permute(const struct lab_case *c, const char *axis, const int64_t *order,
			     struct lab_case *out)
{
	double size = 0;

	*out = (struct lab_case){ 0 };
	if (axis && !names_get(&c->names, axis, &size))
		return fail(STATUS_INTERNAL, "lab %d: no size %s", c->lab->number, axis);
	return derive(c, axis, order, (int64_t)size, out);
}
