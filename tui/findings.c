/* findings.c - findings of the checker as JSON and as text; see findings.h.
 *
 * `find --json` prints the JSON object, and a trace stores it as the message of a finding. The
 * checker, sim/check/check.h, decides what a finding is.
 */
#include "tui/findings.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "traces/row.h"
#include "tui/shown_json.h"

/* --- to JSON --- */

static json_t *triple(const uint32_t *v)
{
	return json_pack("[iii]", (int)v[0], (int)v[1], (int)v[2]);
}

static void put_text(json_t *object, const char *key, const char *text)
{
	json_object_set_new(object, key, text && *text ? json_string(text) : json_null());
}

static void put_side(json_t *object, const struct row_side *side)
{
	put_text(object, "what", side->what);
	if (side->operation)
		put_text(object, "operation", side->operation);
	if (side->launch < 0)
		return;
	json_object_set_new(object, "launch", json_integer((json_int_t)side->launch));
	put_text(object, "file", side->file);
	json_object_set_new(object, "line", side->line ? json_integer(side->line) : json_null());
	json_object_set_new(object, "block", triple(side->block));
	json_object_set_new(object, "thread", triple(side->thread));
	json_object_set_new(object, "epoch", json_integer(side->epoch));
}

static json_t *finding_json(const struct row_finding *f)
{
	json_t *object = json_object();

	put_text(object, "class", f->class);
	json_object_set_new(object, "lint", json_boolean(f->lint));
	json_object_set_new(object, "count", json_integer((json_int_t)f->count));
	json_object_set_new(object, "launch", f->launch < 0 ? json_null()
			    : json_integer((json_int_t)f->launch));
	put_text(object, "kernel", f->kernel);
	if (f->sides[0].what)
		put_side(object, &f->sides[0]);
	if (f->sides[1].what) {
		json_t *other = json_object();

		put_side(other, &f->sides[1]);
		json_object_set_new(object, "other", other);
	}
	if (f->buffer) {
		json_object_set_new(object, "buffer", json_integer((json_int_t)f->buffer));
		json_object_set_new(object, "offset", json_integer((json_int_t)f->offset));
	}
	if (f->bytes)
		json_object_set_new(object, "bytes", json_integer((json_int_t)f->bytes));
	if (f->seed)
		json_object_set_new(object, "seed", json_integer((json_int_t)f->seed));
	put_text(object, "detail", f->detail);
	put_text(object, "why", f->why);
	put_text(object, "fix", f->fix);
	return object;
}

/* --- to text --- */

static const char *text_of(const json_t *object, const char *key, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : otherwise;
}

static int number_at(const json_t *object, const char *key, size_t at)
{
	return (int)json_integer_value(json_array_get(json_object_get(object, key), at));
}

static void print_side(FILE *out, const char *lead, const json_t *side)
{
	const json_t *launch = json_object_get(side, "launch");

	fprintf(out, "  %s%s", lead, text_of(side, "what", "access"));
	if (json_object_get(side, "operation")) {
		fprintf(out, ": %s", text_of(side, "operation", ""));
		if (!json_object_get(side, "block")) {
			putc('\n', out);
			return;
		}
		fprintf(out, ", L%" JSON_INTEGER_FORMAT, json_integer_value(launch));
	}
	fprintf(out, " by block (%d,%d,%d) thread (%d,%d,%d) after %d barriers, %s:%d\n",
		number_at(side, "block", 0),
		number_at(side, "block", 1), number_at(side, "block", 2),
		number_at(side, "thread", 0), number_at(side, "thread", 1),
		number_at(side, "thread", 2),
		(int)json_integer_value(json_object_get(side, "epoch")),
		text_of(side, "file", "?"), (int)json_integer_value(json_object_get(side, "line")));
}

static void print_shown(FILE *out, const json_t *finding)
{
	const json_t *other = json_object_get(finding, "other");
	json_int_t count = json_integer_value(json_object_get(finding, "count"));
	const json_t *launch = json_object_get(finding, "launch");
	const json_t *seed = json_object_get(finding, "seed");

	fprintf(out, "%s%s", json_is_true(json_object_get(finding, "lint")) ? "lint " : "",
		text_of(finding, "class", "?"));
	if (json_is_integer(launch))
		fprintf(out, " in %s, L%" JSON_INTEGER_FORMAT, text_of(finding, "kernel", "?"),
			json_integer_value(launch));
	if (*text_of(finding, "detail", ""))
		fprintf(out, ": %s", text_of(finding, "detail", ""));
	if (count > 1)
		fprintf(out, " (%" JSON_INTEGER_FORMAT " times)", count);
	if (json_is_integer(seed))
		fprintf(out, ", under seed %" JSON_INTEGER_FORMAT, json_integer_value(seed));
	putc('\n', out);
	if (json_object_get(finding, "what"))
		print_side(out, "", finding);
	if (other)
		print_side(out, "and ", other);
	fprintf(out, "  why: %s\n  fix: %s\n", text_of(finding, "why", ""),
		text_of(finding, "fix", ""));
}

/* Names of files and kernels come from a trace. */
void finding_print(FILE *out, const json_t *finding)
{
	json_t *shown = shown_json(finding);

	print_shown(out, shown);
	json_decref(shown);
}

/* --- of a device --- */

enum status findings_store(struct store *store, int64_t run, const struct row_finding *finding,
			   const json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT);
	enum status status = store_finding(store, run, finding, text);

	free(text);
	return status;
}

enum status findings_status(int64_t bugs, int64_t lints, bool lint_fail)
{
	if (bugs > 0)
		return fail(STATUS_FINDING, "%" PRId64 " finding%s", bugs, bugs == 1 ? "" : "s");
	if (lints > 0 && lint_fail)
		return fail(STATUS_FINDING, "%" PRId64 " lint%s", lints, lints == 1 ? "" : "s");
	return STATUS_OK;
}

json_t *findings_json(const struct row_finding *found, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, finding_json(&found[i]));
	return list;
}

void findings_warn_spacing(struct device *device)
{
	static bool warned;
	const char *text = device_spacing(device);

	if (text && !warned)
		fprintf(stderr, "warning: %s\n", text);
	warned |= text != NULL;
}

enum status findings_report(struct device *device, FILE *out, struct store *store, int64_t run,
			    json_t *list, bool lint_fail)
{
	const struct row_finding *found;
	size_t count = device_findings(device, &found);
	int64_t bugs = 0, lints = 0;
	enum status status = STATUS_OK;

	findings_warn_spacing(device);
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		json_t *object = finding_json(&found[i]);

		*(found[i].lint ? &lints : &bugs) += 1;
		if (out)
			finding_print(out, object);
		if (store)
			status = findings_store(store, run, &found[i], object);
		if (list)
			json_array_append(list, object);
		json_decref(object);
	}
	return status != STATUS_OK ? status : findings_status(bugs, lints, lint_fail);
}
