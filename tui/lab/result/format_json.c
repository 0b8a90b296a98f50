/* format_json.c - a result with everything in it; see formats.h.
 *
 * "schema" grows when keys change. */
#include "tui/lab/result/formats.h"

static json_t *part_json(const struct part_result *p)
{
	json_t *part = json_object();

	format_put(part, "graded", json_boolean(p->graded));
	format_put(part, "points", json_real(p->points));
	format_put(part, "max", json_real(p->max));
	format_put(part, "passed", json_integer(p->passed));
	format_put(part, "count", json_integer(p->count));
	return part;
}

static json_t *case_json(const struct case_result *c)
{
	json_t *object = json_object();

	format_put(object, "part", json_string(lab_part_names[c->part]));
	format_put(object, "family", c->family ? json_string(c->family->name) : json_null());
	format_put(object, "index", json_integer(c->index));
	format_put(object, "title", json_string(c->title));
	format_put(object, "passed", json_boolean(c->passed));
	format_put(object, "findings", json_integer(c->findings));
	format_put(object, "limits", json_integer(c->limits));
	format_put(object, "limits_met", json_integer(c->limits_met));
	format_put(object, "sizes", json_string(c->sizes));
	format_put(object, "margin", json_real(c->margin));
	format_put(object, "failures", json_incref(c->failures));
	format_put(object, "printed", json_string(c->printed));
	return object;
}

void format_json(FILE *out, const struct lab_result *r)
{
	json_t *all = json_object(), *parts = json_object(), *cases = json_array();

	for (int i = 0; i < PART_COUNT; i++)
		format_put(parts, lab_part_names[i], part_json(&r->parts[i]));
	for (int i = 0; i < r->case_count; i++)
		json_array_append_new(cases, case_json(&r->cases[i]));
	format_put(all, "schema", json_integer(1));
	format_put(all, "lab", json_integer(r->lab->number));
	format_put(all, "name", json_string(r->lab->name));
	format_put(all, "file", json_string(r->file));
	format_put(all, "student", r->student ? json_string(r->student) : json_null());
	format_put(all, "compiled", json_boolean(r->compiled));
	format_put(all, "messages", json_string(r->messages ? r->messages : ""));
	format_put(all, "notes", json_string(r->notes ? r->notes : ""));
	format_put(all, "passed", json_boolean(lab_result_passed(r)));
	format_put(all, "points", json_real(r->points));
	format_put(all, "max", json_real(r->max));
	format_put(all, "parts", parts);
	format_put(all, "cases", cases);
	format_print_json(out, all, JSON_INDENT(2));
}
