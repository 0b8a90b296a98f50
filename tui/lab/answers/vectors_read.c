/* vectors_read.c - reads test vectors, and trusts nothing in them; see vectors_read.h. */
#include "config.h"

#include "tui/lab/answers/vectors_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/visible.h"
#include "base/xalloc.h"

#define MAX_FILE ((size_t)256 << 10)
#define MAX_NAME 32
#define MAX_FILL 17                     /* a name and numbers */
#define MAX_TOLERANCE 1.0
#define MAX_EXPRESSION 32               /* bytes */

const json_t *vectors_key(const struct lab *lab, const char *key)
{
	return json_object_get(json_object_get(lab->root, "vectors"), key);
}

static enum status wrong(const struct vector *v, const char *key, const char *expected)
{
	char *shown = visible_text(key);
	enum status status = fail(STATUS_COMPILE, "vector %s: \"%s\": expected %s", v->name, shown,
				  expected);

	free(shown);
	return status;
}

/* Names are printed, and are words of the report. */
static bool valid_name(const char *name)
{
	size_t length = name ? strlen(name) : 0;

	return length > 0 && length <= MAX_NAME
		&& strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static enum status check_keys(const struct vector *v, const json_t *json)
{
	static const char *const known[] = { "name", "what", "tolerance", "sizes", "fill" };
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)json, key, value) {
		size_t i = 0;

		while (i < sizeof known / sizeof known[0] && strcmp(known[i], key) != 0)
			i++;
		if (i == sizeof known / sizeof known[0])
			return wrong(v, key, "name, what, tolerance, sizes and fill only");
	}
	return STATUS_OK;
}

/* --- sizes --- */

/* "work" of the lab is an expression and its maximum. */
static enum status check_work(const struct lab *lab, const struct vector *v,
			      const struct names *names)
{
	const json_t *work = vectors_key(lab, "work"), *of = json_array_get(work, 0);
	double max = json_number_value(json_array_get(work, 1)), value;

	TRY(expression_value(of, names, "work", &value));
	return value <= max ? STATUS_OK
		: fail(STATUS_COMPILE, "vector %s: \"sizes\": %s is %.0f: the maximum is %.0f",
		       v->name, json_string_value(of), value, max);
}

static enum status read_sizes(const struct lab *lab, const json_t *json, struct vector *v)
{
	const json_t *limits = vectors_key(lab, "sizes"), *given = json_object_get(json, "sizes");
	struct names names = { .count = 0 };
	const char *name;
	json_t *limit, *value;

	if (!json_is_object(given) || json_object_size(given) != json_object_size(limits))
		return wrong(v, "sizes", "an object with all sizes of the handout");
	json_object_foreach((json_t *)(uintptr_t)limits, name, limit) {
		json_int_t max = json_integer_value(json_array_get(limit, 1)), size;

		value = json_object_get(given, name);
		size = json_integer_value(value);
		if (!json_is_integer(value) || size < json_integer_value(json_array_get(limit, 0))
		    || size > max) {
			char *range = xasprintf("an integer from %lld to %lld",
				(long long)json_integer_value(json_array_get(limit, 0)),
				(long long)max);
			enum status status = wrong(v, name, range);

			free(range);
			return status;
		}
		TRY(names_set(&names, name, (double)size));
		json_object_set(v->sizes, name, value);
	}
	TRY(check_work(lab, v, &names));
	json_object_update(v->sizes, (json_t *)(uintptr_t)vectors_key(lab, "parameters"));
	return STATUS_OK;
}

/* --- fills --- */

/* Expressions are read by recursion: long ones are not needed. */
static bool valid_fill(const json_t *fill)
{
	size_t count = json_array_size(fill);

	if (count == 0 || count > MAX_FILL || !json_is_string(json_array_get(fill, 0)))
		return false;
	for (size_t i = 1; i < count; i++) {
		const json_t *value = json_array_get(fill, i);

		if (!json_is_number(value) && (!json_is_string(value)
		    || json_string_length(value) > MAX_EXPRESSION))
			return false;
	}
	return true;
}

static enum status read_fills(const struct lab *lab, const json_t *json, struct vector *v)
{
	const json_t *fill = json_object_get(json, "fill");
	const char *name;
	json_t *value;

	if (fill && !json_is_object(fill))
		return wrong(v, "fill", "an object");
	json_object_foreach((json_t *)(uintptr_t)fill, name, value) {
		int i = 0;

		while (i < lab->array_count && strcmp(lab->arrays[i].name, name) != 0)
			i++;
		if (i == lab->array_count || lab->arrays[i].use != USE_IN)
			return wrong(v, name, "the name of an input");
		if (!valid_fill(value))
			return wrong(v, name, "a list of the fill's name and up to 16 numbers");
	}
	v->family.fill = fill;
	return STATUS_OK;
}

static enum status check_lengths(const struct vector *v, const struct lab_case *c)
{
	const struct case_array *lengths = case_array_get(c, "lengths");
	double n = 0;

	if (!lengths || !names_get(&c->names, "n", &n))
		return fail(STATUS_INTERNAL, "lab %d: expected lengths and n", c->lab->number);
	for (size_t i = 0; i < lengths->count; i++) {
		double length = case_value(lengths, lengths->data, i);

		if (length < 0 || length > n)
			return fail(STATUS_COMPILE, "vector %s: lengths[%zu] is %.0f: expected 0 "
				    "to n, which is %.0f", v->name, i, length, n);
	}
	return STATUS_OK;
}

enum status vector_case(const struct lab *lab, const struct vector *v, uint64_t seed,
			struct lab_case *out)
{
	enum status status = lab_case_make(lab, &v->family, PART_SECRET, 0, seed, out);

	if (status == STATUS_OK)
		return check_lengths(v, out);
	return fail_context(STATUS_COMPILE, "vector %s", v->name);
}

/* Only a try shows whether the fills are right. */
static enum status try_case(const struct lab *lab, const struct vector *v)
{
	struct lab_case c;
	struct error_record error;
	enum status status = vector_case(lab, v, 0, &c);

	error_save(&error);
	lab_case_free(&c);
	error_restore(&error);
	return status;
}

/* --- the file --- */

static enum status read_vector(const struct lab *lab, const json_t *json, struct vector *v)
{
	const json_t *tolerance = json_object_get(json, "tolerance");
	const char *name = json_string_value(json_object_get(json, "name"));

	v->name = "without a name";
	v->sizes = json_object();
	if (!valid_name(name))
		return wrong(v, "name", "up to 32 lower-case letters, digits and dashes");
	v->name = name;
	TRY(check_keys(v, json));
	v->tolerance = json_number_value(tolerance);
	if (!(v->tolerance > 0 && v->tolerance <= MAX_TOLERANCE))
		return wrong(v, "tolerance", "a number above 0, at most 1");
	v->family = (struct lab_family){
		.name = v->name, .reason = "", .next = "", .sizes = v->sizes,
	};
	TRY(read_sizes(lab, json, v));
	TRY(read_fills(lab, json, v));
	return try_case(lab, v);
}

static enum status read_list(const struct lab *lab, const char *file, struct vectors *out)
{
	size_t count = json_array_size(out->root);

	if (!json_is_array(out->root) || count > MAX_VECTORS)
		return fail(STATUS_COMPILE, "%s: expected a list of at most %d vectors", file,
			    MAX_VECTORS);
	for (size_t i = 0; i < count; i++) {
		struct vector *v = &out->vector[out->count++];

		TRY(read_vector(lab, json_array_get(out->root, i), v));
		for (size_t k = 0; k < i; k++)
			if (strcmp(out->vector[k].name, v->name) == 0)
				return fail(STATUS_COMPILE, "two vectors have the name %s",
					    v->name);
	}
	return STATUS_OK;
}

enum status vectors_read(const struct lab *lab, const char *file, struct vectors *out)
{
	json_error_t error;
	size_t bytes;
	char *text;

	*out = (struct vectors){ 0 };
	TRY(file_read(file, MAX_FILE, &text, &bytes));
	out->root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
	free(text);
	if (!out->root) {
		char *shown = visible_text(error.text);
		enum status status = fail(STATUS_COMPILE, "%s:%d: %s", file, error.line, shown);

		free(shown);
		return status;
	}
	return read_list(lab, file, out);
}

void vectors_free(struct vectors *v)
{
	for (int i = 0; i < v->count; i++)
		json_decref(v->vector[i].sizes);
	json_decref(v->root);
	*v = (struct vectors){ 0 };
}
