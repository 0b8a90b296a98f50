/* lab_read.c - reads and checks lab.json; see lab.h. Used by lab_find.c. */
#include "tui/lab/case/lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"

#define MAX_FILE ((size_t)4 << 20)
#define DEFAULT_STEPS 10000000
#define DEFAULT_SECONDS 60

const char *const lab_part_names[PART_COUNT] = { "public", "secret", "checker", "structure" };

/* What is being read, for messages. */
struct place {
	const char *file, *what;
};

static enum status wrong(const struct place *p, const char *key, const char *expected)
{
	return fail(STATUS_INTERNAL, "%s: %s: \"%s\": expected %s", p->file, p->what, key,
		    expected);
}

/* `keys` are separated by spaces; a key in lower-case brackets is not special here. */
static enum status only_keys(const struct place *p, const json_t *object, const char *keys)
{
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		return fail(STATUS_INTERNAL, "%s: %s: expected an object", p->file, p->what);
	json_object_foreach((json_t *)(uintptr_t)object, key, value) {
		size_t length = strlen(key);
		const char *at = keys;

		while (at && (strncmp(at, key, length) != 0
			      || (at[length] != ' ' && at[length] != '\0'))) {
			at = strchr(at, ' ');
			at += at != NULL;
		}
		if (!at)
			return fail(STATUS_INTERNAL, "%s: %s: unknown key \"%s\": expected one of "
				    "%s", p->file, p->what, key, keys);
	}
	return STATUS_OK;
}

static enum status take_text(const struct place *p, const json_t *object, const char *key,
			     const char *missing, const char **out)
{
	const json_t *value = json_object_get(object, key);

	*out = value ? json_string_value(value) : missing;
	return *out ? STATUS_OK : wrong(p, key, "a text");
}

static enum status take_integer(const struct place *p, const json_t *object, const char *key,
				int64_t missing, int64_t *out)
{
	const json_t *value = json_object_get(object, key);

	*out = value ? json_integer_value(value) : missing;
	return *out >= 0 && (!value || json_is_integer(value)) ? STATUS_OK
		: wrong(p, key, "an integer from 0");
}

static enum status take_number(const struct place *p, const json_t *object, const char *key,
			       double missing, double *out)
{
	const json_t *value = json_object_get(object, key);

	*out = value ? json_number_value(value) : missing;
	return *out >= 0 && (!value || json_is_number(value)) ? STATUS_OK
		: wrong(p, key, "a number from 0");
}

/* NULL allowed if it is optional. */
static enum status take_list(const struct place *p, const json_t *object, const char *key,
			     bool optional, const json_t **out)
{
	*out = json_object_get(object, key);
	return json_is_array(*out) || (optional && !*out) ? STATUS_OK : wrong(p, key, "a list");
}

static enum status read_points(const struct place *p, struct lab *lab)
{
	static const double usual[PART_COUNT] = { 35, 35, 20, 10 };
	const json_t *points = json_object_get(lab->root, "points");
	double sum = 0;

	if (points)
		TRY(only_keys(p, points, "public secret checker structure"));
	for (int i = 0; i < PART_COUNT; i++) {
		TRY(take_number(p, points, lab_part_names[i], points ? 0 : usual[i],
				&lab->points[i]));
		sum += lab->points[i];
	}
	return fabs(sum - 100) < 1e-9 ? STATUS_OK : wrong(p, "points", "a sum of 100");
}

static enum status read_array(struct place p, const char *name, const json_t *json,
			      struct lab_array *out)
{
	static const char *const uses[] = { "in", "out", "inout" };
	const char *type, *use;
	int i = 0;

	p.what = name;
	*out = (struct lab_array){ .name = name, .fill = json_object_get(json, "fill"),
				    .thread = json_object_get(json, "thread"),
				    .point = json_object_get(json, "point") };
	TRY(only_keys(&p, json, "type shape use fill absolute relative thread point"));
	if (out->point && (!json_is_string(json_array_get(out->point, 0))
			   || !json_is_integer(json_array_get(out->point, 1))))
		return wrong(&p, "point", "a name and a number");
	TRY(take_text(&p, json, "type", NULL, &type));
	TRY(take_text(&p, json, "use", NULL, &use));
	TRY(take_list(&p, json, "shape", false, &out->shape));
	TRY(take_number(&p, json, "absolute", 0, &out->absolute));
	TRY(take_number(&p, json, "relative", 0, &out->relative));
	if (!dtype_from_name(type, &out->dtype)
	    || (out->dtype != DTYPE_F32 && out->dtype != DTYPE_I32))
		return wrong(&p, "type", "f32 or i32");
	while (i < 3 && strcmp(uses[i], use) != 0)
		i++;
	out->use = (enum lab_use)i;
	return i < 3 ? STATUS_OK : wrong(&p, "use", "in, out or inout");
}

static enum status read_arrays(const struct place *p, struct lab *lab)
{
	json_t *arrays = json_object_get(lab->root, "arrays"), *value;
	const char *name;

	if (!json_is_object(arrays))
		return wrong(p, "arrays", "an object");
	json_object_foreach(arrays, name, value) {
		if (lab->array_count == MAX_LAB_ARRAYS)
			return wrong(p, "arrays", "fewer arrays");
		TRY(read_array(*p, name, value, &lab->arrays[lab->array_count++]));
	}
	return STATUS_OK;
}

static enum status read_family(struct place p, const json_t *json, struct lab_family *out)
{
	int64_t secret;

	TRY(only_keys(&p, json, "name sizes fill public secret reason next"));
	TRY(take_text(&p, json, "name", NULL, &out->name));
	p.what = out->name;
	TRY(take_text(&p, json, "reason", "", &out->reason));
	TRY(take_text(&p, json, "next", "", &out->next));
	TRY(take_list(&p, json, "public", true, &out->public_cases));
	TRY(take_integer(&p, json, "secret", 0, &secret));
	out->secret_cases = (int)secret;
	out->sizes = json_object_get(json, "sizes");
	out->fill = json_object_get(json, "fill");
	if (out->sizes && !json_is_object(out->sizes))
		return wrong(&p, "sizes", "an object");
	return !out->fill || json_is_object(out->fill) ? STATUS_OK : wrong(&p, "fill", "an object");
}

static enum status read_families(const struct place *p, struct lab *lab)
{
	const json_t *list;

	TRY(take_list(p, lab->root, "families", false, &list));
	lab->family_count = (int)json_array_size(list);
	lab->families = xcalloc((size_t)lab->family_count + 1, sizeof *lab->families);
	for (int i = 0; i < lab->family_count; i++)
		TRY(read_family((struct place){ p->file, "families" },
				json_array_get(list, (size_t)i), &lab->families[i]));
	return STATUS_OK;
}

static enum status read_rules(struct place p, const struct lab *lab, const char *key,
			      const char *name, const char *keys, struct lab_rule **out, int *count)
{
	const json_t *list;

	p.what = key;
	TRY(take_list(&p, lab->root, key, true, &list));
	*count = (int)json_array_size(list);
	*out = xcalloc((size_t)*count + 1, sizeof **out);
	for (int i = 0; i < *count; i++) {
		struct lab_rule *rule = &(*out)[i];

		rule->json = json_array_get(list, (size_t)i);
		TRY(only_keys(&p, rule->json, keys));
		TRY(take_text(&p, rule->json, name, NULL, &rule->name));
		TRY(take_text(&p, rule->json, "reason", "", &rule->reason));
		TRY(take_text(&p, rule->json, "next", "", &rule->next));
	}
	return STATUS_OK;
}

static enum status read_head(const struct place *p, struct lab *lab)
{
	int64_t schema, number, hours;

	TRY(only_keys(p, lab->root, "schema number name title summary hours prerequisites kind "
		      "file points steps seconds scalars arrays launches families generate "
		      "reference invariants structure hints questions vectors"));
	TRY(take_integer(p, lab->root, "schema", 0, &schema));
	if (schema != 1)
		return wrong(p, "schema", "1");
	TRY(take_integer(p, lab->root, "number", -1, &number));
	TRY(take_integer(p, lab->root, "hours", 0, &hours));
	lab->number = (int)number;
	lab->hours = (int)hours;
	TRY(take_text(p, lab->root, "name", NULL, &lab->name));
	TRY(take_text(p, lab->root, "title", NULL, &lab->title));
	TRY(take_text(p, lab->root, "summary", NULL, &lab->summary));
	TRY(take_text(p, lab->root, "kind", "kernel", &lab->kind));
	TRY(take_text(p, lab->root, "file", "student.cu", &lab->file));
	TRY(take_list(p, lab->root, "hints", true, &lab->hints));
	return read_points(p, lab);
}

/* What a lab that runs kernels needs. */
static enum status read_kernel(const struct place *p, struct lab *lab)
{
	TRY(read_arrays(p, lab));
	TRY(take_list(p, lab->root, "launches", false, &lab->launches));
	lab->scalars = json_object_get(lab->root, "scalars");
	lab->generate = json_string_value(json_object_get(lab->root, "generate"));
	lab->reference = json_object_get(lab->root, "reference");
	if (!json_is_object(lab->reference))
		return wrong(p, "reference", "an object");
	TRY(read_rules(*p, lab, "invariants", "name",
		       "name array sums values lengths seeds axis reason next", &lab->invariants,
		       &lab->invariant_count));
	return read_rules(*p, lab, "structure", "counter", "counter max reason next", &lab->limits,
			  &lab->limit_count);
}

static enum status parse(const char *file, const char *text, size_t bytes, struct lab *lab)
{
	const struct place p = { file, "the lab" };
	json_error_t error;

	lab->root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
	if (!lab->root)
		return fail(STATUS_INTERNAL, "%s:%d: %s", file, error.line, error.text);
	TRY(read_head(&p, lab));
	TRY(take_integer(&p, lab->root, "steps", DEFAULT_STEPS, &lab->steps));
	TRY(take_integer(&p, lab->root, "seconds", DEFAULT_SECONDS, &lab->seconds));
	TRY(read_families(&p, lab));
	return strcmp(lab->kind, "questions") == 0 ? STATUS_OK : read_kernel(&p, lab);
}

enum status lab_read(const char *folder, struct lab **out)
{
	char *file = xasprintf("%s/lab.json", folder), *text = NULL;
	size_t bytes;
	enum status status = file_read(file, MAX_FILE, &text, &bytes);

	*out = NULL;
	if (status == STATUS_OK) {
		struct lab *lab = xcalloc(1, sizeof *lab);

		lab->folder = xstrdup(folder);
		status = parse(file, text, bytes, lab);
		if (status == STATUS_OK)
			*out = lab;
		else
			lab_free(lab);
	}
	free(text);
	free(file);
	return status;
}

void lab_free(struct lab *lab)
{
	if (!lab)
		return;
	free(lab->families);
	free(lab->invariants);
	free(lab->limits);
	json_decref(lab->root);
	free(lab->folder);
	free(lab);
}
