/* lab_case.c - makes the sizes and arrays of a case; see lab_case.h. */
#include "tui/lab/case/lab_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/xalloc.h"
#include "tui/lab/case/fills.h"
#include "tui/lab/case/generators.h"
#include "tui/lab/case/lab_random.h"

#define MAX_SIZE ((int64_t)1 << 30)
#define MAX_ELEMENTS ((size_t)1 << 24)

void *case_share(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

const struct case_array *case_array_get(const struct lab_case *c, const char *name)
{
	for (int i = 0; i < c->array_count; i++)
		if (strcmp(c->arrays[i].lab->name, name) == 0)
			return &c->arrays[i];
	return NULL;
}

struct case_array *case_array_find(struct lab_case *c, const char *name)
{
	return (struct case_array *)(uintptr_t)case_array_get(c, name);
}

bool case_array_writes(const struct case_array *a)
{
	return a->lab->use != USE_IN;
}

double case_value(const struct case_array *a, const void *bytes, size_t i)
{
	float value;

	if (a->lab->dtype == DTYPE_I32)
		return ((const int32_t *)bytes)[i];
	value = ((const float *)bytes)[i];
	return isnan(value) ? (double)NAN : value;      /* its sign depends on the CPU */
}

void case_value_set(const struct case_array *a, void *bytes, size_t i, double value)
{
	if (a->lab->dtype == DTYPE_I32)
		((int32_t *)bytes)[i] = (int32_t)fmin(fmax(value, INT32_MIN), INT32_MAX);
	else
		((float *)bytes)[i] = (float)value;
}

/* --- sizes --- */

/* A number or an expression, [FROM, TO], or {"of": [...]}. */
static enum status make_size(const json_t *json, const char *name, struct lab_random *random,
			     struct names *names)
{
	const json_t *of = json_object_get(json, "of");
	int64_t value, to;

	if (json_array_size(of) > 0)
		json = json_array_get(of, random_bits(random) % json_array_size(of));
	if (json_is_array(json) && json_array_size(json) == 2) {
		TRY(expression_integer(json_array_get(json, 0), names, name, 0, MAX_SIZE, &value));
		TRY(expression_integer(json_array_get(json, 1), names, name, value, MAX_SIZE, &to));
		value = random_integer(random, value, to);
	} else {
		TRY(expression_integer(json, names, name, 0, MAX_SIZE, &value));
	}
	return names_set(names, name, (double)value);
}

static enum status make_sizes(struct lab_case *c)
{
	const json_t *chosen = c->part == PART_PUBLIC
		? json_array_get(c->family->public_cases, (size_t)c->index) : NULL;
	struct lab_random random = { c->seed };
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)c->family->sizes, name, value) {
		const json_t *other = json_object_get(chosen, name);

		TRY(make_size(other ? other : value, name, &random, &c->names));
	}
	json_object_foreach((json_t *)(uintptr_t)chosen, name, value)
		if (!json_object_get(c->family->sizes, name))
			return fail(STATUS_INTERNAL, "lab %d: family %s: public: no size %s",
				    c->lab->number, c->family->name, name);
	return STATUS_OK;
}

/* --- arrays --- */

static enum status make_shape(const struct lab_case *c, struct case_array *a)
{
	a->rank = (int)json_array_size(a->lab->shape);
	a->count = 1;
	if (a->rank < 1 || a->rank > MAX_RANK)
		return fail(STATUS_INTERNAL, "lab %d: %s: expected 1 to %d dimensions",
			    c->lab->number, a->lab->name, MAX_RANK);
	for (int i = 0; i < a->rank; i++) {
		TRY(expression_integer(json_array_get(a->lab->shape, (size_t)i), &c->names,
				       a->lab->name, 1, MAX_ELEMENTS, &a->shape[i]));
		a->count *= (size_t)a->shape[i];
		if (a->count > MAX_ELEMENTS)
			return fail(STATUS_INTERNAL, "lab %d: %s has more than %zu elements",
				    c->lab->number, a->lab->name, MAX_ELEMENTS);
	}
	a->bytes = a->count * dtype_bytes(a->lab->dtype);
	return STATUS_OK;
}

static enum status allocate(struct case_array *a)
{
	if (a->lab->use != USE_OUT)
		a->data = xcalloc(1, a->bytes);
	if (case_array_writes(a))
		a->result = case_share(a->bytes);
	return a->result || !case_array_writes(a) ? STATUS_OK
		: fail(STATUS_INTERNAL, "no memory for %s, %zu bytes", a->lab->name, a->bytes);
}

static enum status fill(const struct lab_case *c, struct case_array *a)
{
	const json_t *own = json_object_get(c->family->fill, a->lab->name);
	const json_t *how = own ? own : a->lab->fill;
	double *values;
	enum status status;

	if (!a->data)
		return STATUS_OK;
	values = xcalloc(a->count, sizeof *values);
	status = fill_array(how, &c->names, a->lab->name, seed_from(a->lab->name, c->seed),
			    a->count, (size_t)a->shape[a->rank - 1], a->lab->dtype == DTYPE_I32,
			    values);
	for (size_t i = 0; i < a->count && status == STATUS_OK; i++)
		case_value_set(a, a->data, i, values[i]);
	free(values);
	return status;
}

static enum status make_arrays(struct lab_case *c)
{
	for (int i = 0; i < c->lab->array_count; i++) {
		struct case_array *a = &c->arrays[i];

		a->lab = &c->lab->arrays[i];
		c->array_count++;
		TRY(make_shape(c, a));
		TRY(allocate(a));
		TRY(fill(c, a));
	}
	return c->lab->generate ? generator_run(c->lab->generate, c) : STATUS_OK;
}

enum status lab_case_make(const struct lab *lab, const struct lab_family *family,
			  enum lab_part part, int index, uint64_t seed, struct lab_case *out)
{
	*out = (struct lab_case){
		.lab = lab, .family = family, .part = part, .index = index, .seed = seed,
	};
	TRY(make_sizes(out));
	return make_arrays(out);
}

void lab_case_free(struct lab_case *c)
{
	for (int i = 0; i < c->array_count; i++) {
		free(c->arrays[i].data);
		if (c->arrays[i].result)
			munmap(c->arrays[i].result, c->arrays[i].bytes);
	}
	*c = (struct lab_case){ 0 };
}

char *lab_case_sizes(const struct lab_case *c)
{
	char *text = xstrdup("");

	for (int i = 0; i < c->names.count; i++) {
		char *longer = xasprintf("%s%s%s %g", text, i ? ", " : "", c->names.name[i],
					 c->names.value[i]);

		free(text);
		text = longer;
	}
	return text;
}
