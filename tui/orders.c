/* orders.c - replays a recorded run under other seeds and explains differences; see orders.h.
 *
 * engine/replay/replay.h replays and compares; the findings come from the checker of the replaying
 * device. An explanation is searched for in the first launch that differs.
 */
#include "tui/orders.h"

#include <inttypes.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/replay/replay.h"
#include "engine/replay/replay_clock.h"
#include "traces/row.h"
#include "tui/command.h"
#include "tui/findings.h"

/* --- one order --- */

struct found {
	json_t *all;                    /* owned by the caller; NULL if the replay failed */
	const struct orders *orders;    /* receives new findings; NULL: not wanted */
	struct tally *tally;            /* counts new findings */
	uint64_t seed;
};

static enum status add_new_findings(const struct found *found, const struct row_finding *events);

static enum status take_findings(void *context, struct device *device, int64_t run)
{
	struct found *found = context;
	const struct row_finding *events;
	size_t count = device_findings(device, &events);

	(void)run;
	findings_warn_spacing(device);
	json_decref(found->all);
	found->all = findings_json(events, count);
	return found->orders ? add_new_findings(found, events) : STATUS_OK;
}

/* With target->check, `found` receives the findings. */
static enum status replay_under(struct store *trace, int64_t run,
				const struct device_options *target, struct replay_report *report,
				struct found *found)
{
	const struct replay_options options = {
		.device = "sim", .target = *target,
		.replayed = target->check ? take_findings : NULL, .context = found,
	};
	enum status status = replay_compare(trace, run, &options, report);

	return status == STATUS_OK ? status
		: fail_context(status, "under seed %" PRIu64, target->seed);
}

/* --- what explains a difference --- */

static int64_t first_launch(const struct diff_report *report)
{
	for (int i = 0; i < report->item_count; i++) {
		long long launch;

		if (sscanf(report->items[i].address, "L%lld", &launch) == 1)
			return launch;
	}
	return -1;
}

/* The first difference that names an element; else the first of all. */
static const struct diff_item *first_element(const struct diff_report *report)
{
	for (int i = 0; i < report->item_count; i++)
		if (strchr(report->items[i].what, '['))
			return &report->items[i];
	return report->item_count ? &report->items[0] : NULL;
}

/* The name of the launch's kernel; "" if the trace does not have the launch. */
static enum status kernel_of(struct store *trace, int64_t run, int64_t launch, char *out,
			     size_t size)
{
	sqlite3_stmt *rows = NULL;
	const char *name = NULL;
	int step;

	*out = '\0';
	if (sqlite3_prepare_v2(store_db(trace), "SELECT kernel FROM v_launch"
			       " WHERE run = ?1 AND launch = ?2", -1, &rows, NULL) != SQLITE_OK)
		return store_read_failed(trace);
	sqlite3_bind_int64(rows, 1, run);
	sqlite3_bind_int64(rows, 2, launch);
	step = sqlite3_step(rows);
	if (step == SQLITE_ROW)
		name = (const char *)sqlite3_column_text(rows, 0);
	if (name)
		snprintf(out, size, "%s", name);
	sqlite3_finalize(rows);
	return step == SQLITE_ROW || step == SQLITE_DONE ? STATUS_OK : store_read_failed(trace);
}

static bool is_of_launch(const json_t *finding, int64_t launch)
{
	const json_t *own = json_object_get(finding, "launch");
	const json_t *other = json_object_get(json_object_get(finding, "other"), "launch");

	return (json_is_integer(own) && json_integer_value(own) == launch)
		|| (json_is_integer(other) && json_integer_value(other) == launch);
}

/* How well a finding explains a difference; 0: not at all. A finding is reported only for the first
 * launch it occurs in, so one in another launch of the same kernel counts too. Leaks and NaNs
 * do not depend on the order. */
static int score_of(const json_t *finding, int64_t launch, const char *kernel)
{
	const char *class = json_string_value(json_object_get(finding, "class"));
	const char *of = json_string_value(json_object_get(finding, "kernel"));
	bool lint = json_is_true(json_object_get(finding, "lint"));

	if (!class || strcmp(class, "leak") == 0 || strcmp(class, "nan-born") == 0)
		return 0;
	if (is_of_launch(finding, launch))
		return lint ? 3 : 6;
	if (of && *kernel && strcmp(of, kernel) == 0)
		return lint ? 2 : 5;
	return lint ? 1 : 4;
}

static const json_t *best_of(const json_t *findings, int64_t launch, const char *kernel)
{
	const json_t *best = NULL;
	int best_score = 0;

	for (size_t i = 0; i < json_array_size(findings); i++) {
		const json_t *finding = json_array_get(findings, i);
		int score = score_of(finding, launch, kernel);

		if (score > best_score) {
			best_score = score;
			best = finding;
		}
	}
	return best;
}

static void print_difference(FILE *out, const uint64_t seeds[2], const struct diff_report *report)
{
	const struct diff_item *item = first_element(report);

	fprintf(out, "seeds %" PRIu64 " and %" PRIu64 " differ", seeds[0], seeds[1]);
	if (report->item_count && item != &report->items[0])
		fprintf(out, ", first at %s %s", report->items[0].address, report->items[0].what);
	if (item)
		fprintf(out, ": %s %s is %s and %s", item->address, item->what, item->a, item->b);
	putc('\n', out);
}

static json_t *item_json(const struct diff_item *item)
{
	return item ? json_pack("{s:s, s:s, s:s, s:s}", "address", item->address, "what",
				item->what, "a", item->a, "b", item->b) : json_null();
}

/* Replays the run under both seeds at the level partials, and compares element by element. */
static enum status compare_elements(struct store *trace, int64_t run, const uint64_t seeds[2],
				    struct store *both, struct diff_report *out)
{
	struct diff_options diff = { 0 };
	int64_t runs[2];

	for (int i = 0; i < 2; i++) {
		const struct replay_options options = {
			.device = "sim", .target.seed = seeds[i], .out = both,
			.level = LEVEL_PARTIALS,
		};
		struct replay_report report = { 0 };
		enum status status = replay_compare(trace, run, &options, &report);

		runs[i] = report.run;
		diff_report_free(&report.diff);
		TRY(status);
	}
	diff.run_a = runs[0];
	diff.run_b = runs[1];
	TRY(diff_runs(both, both, &diff, out));
	return replay_leave_out_clock(both, both, &diff, out);
}

/* If no difference in *diff names an element, compares again element by element: *diff then points
 * to `closer`, which the caller frees. */
static enum status refine_difference(struct store *trace, int64_t run, const uint64_t seeds[2],
				     const struct diff_report **diff, struct diff_report *closer)
{
	const struct diff_item *item = first_element(*diff);
	struct store *both;
	enum status status;

	if (!item || strchr(item->what, '['))
		return STATUS_OK;
	TRY(store_create(NULL, NULL, &both));
	status = compare_elements(trace, run, seeds, both, closer);
	if (status == STATUS_OK && closer->item_count)
		*diff = closer;
	if (status != STATUS_OK) {
		struct error_record error;

		error_save(&error);
		store_close(both);
		error_restore(&error);
		return status;
	}
	return store_close(both);
}

/* Replays under the checker. *out becomes NULL for a kernel without a checked build. */
static enum status replay_checked(struct store *trace, int64_t run, uint64_t seed, json_t **out)
{
	const struct device_options target = { .seed = seed, .jobs = 1, .check = true };
	struct replay_report checked = { 0 };
	struct found found = { .all = NULL };
	enum status status = replay_under(trace, run, &target, &checked, &found);

	diff_report_free(&checked.diff);
	if (status == STATUS_OK || status == STATUS_USAGE) {
		*out = found.all;
		return STATUS_OK;
	}
	json_decref(found.all);
	return status;
}

enum status orders_explain(struct store *trace, int64_t run, uint64_t seed,
			   const struct diff_report *diff, const json_t *findings, FILE *text,
			   json_t *out)
{
	int64_t launch = first_launch(diff);
	uint64_t seeds[2] = { 0, seed };
	struct diff_report closer = { 0 };
	json_t *own = NULL, *best;
	struct store_run recorded;
	enum status status;
	char kernel[128];

	TRY(kernel_of(trace, run, launch, kernel, sizeof kernel));
	TRY(store_run_read(trace, run, &recorded));
	seeds[0] = recorded.seed;
	store_run_free(&recorded);
	status = refine_difference(trace, run, seeds, &diff, &closer);
	if (status == STATUS_OK) {
		print_difference(text, seeds, diff);
		json_object_set_new(out, "seeds", json_pack("[I, I]", (json_int_t)seeds[0],
							    (json_int_t)seeds[1]));
		json_object_set_new(out, "launch", launch < 0 ? json_null() : json_integer(launch));
		json_object_set_new(out, "first", item_json(first_element(diff)));
	}
	diff_report_free(&closer);
	TRY(status);
	if (!findings)
		TRY(replay_checked(trace, run, seed, &own));
	best = json_deep_copy(best_of(findings ? findings : own, launch, kernel));
	if (best) {
		fprintf(text, "what explains it:\n");
		finding_print(text, best);
	} else {
		fprintf(text, "the checker found nothing that explains it\n");
	}
	json_object_set_new(out, "finding", best ? best : json_null());
	json_decref(own);
	return STATUS_OK;
}

/* --- all orders --- */

struct tally {
	int64_t differing, bugs, lints; /* bugs, lints: new findings */
	uint64_t first;                 /* the first seed that differed */
};

static bool same_key(const json_t *a, const json_t *b, const char *key)
{
	const json_t *x = json_object_get(a, key), *y = json_object_get(b, key);

	return x == y || json_equal(x, y);
}

static bool is_known(const json_t *list, const json_t *finding)
{
	static const char *const keys[] = { "class", "kernel", "file", "line", "operation" };
	const json_t *other = json_object_get(finding, "other");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *known = json_array_get(list, i);
		bool same = same_key(json_object_get(known, "other"), other, "line")
			|| same_key(known, finding, "line");

		for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
			same = same && same_key(known, finding, keys[k]);
		if (same)
			return true;
	}
	return false;
}

/* Prints, stores with their seed and counts the findings that no earlier order has shown. */
static enum status add_new_findings(const struct found *found, const struct row_finding *events)
{
	const struct orders *orders = found->orders;

	for (size_t i = 0; i < json_array_size(found->all); i++) {
		json_t *finding = json_array_get(found->all, i);

		if (is_known(orders->findings, finding))
			continue;
		json_object_set_new(finding, "seed", json_integer((json_int_t)found->seed));
		finding_print(stderr, finding);
		json_array_append(orders->findings, finding);
		*(events[i].lint ? &found->tally->lints : &found->tally->bugs) += 1;
		TRY(findings_store(orders->trace, orders->run, &events[i], finding));
	}
	return STATUS_OK;
}

static enum status try_seed(const struct orders *orders, uint64_t seed, struct tally *tally,
			    json_t *out)
{
	const struct device_options target = {
		.seed = seed, .jobs = orders->jobs, .check = orders->check,
		.steps = orders->steps,
	};
	struct replay_report report = { 0 };
	struct found found = { .orders = orders, .tally = tally, .seed = seed };
	enum status status = replay_under(orders->trace, orders->run, &target, &report, &found);

	if (status == STATUS_OK && report.diff.differences > 0 && tally->differing++ == 0) {
		tally->first = seed;
		status = orders_explain(orders->trace, orders->run, seed, &report.diff, found.all,
					stderr, out);
	}
	diff_report_free(&report.diff);
	json_decref(found.all);
	return status;
}

static enum status summarize(const struct orders *orders, const struct tally *tally)
{
	if (tally->differing == 0)
		fprintf(stderr, "%" PRId64 " orders: the same bits\n", orders->count);
	TRY(findings_status(tally->bugs, tally->lints, orders->lint_fail));
	if (tally->differing == 0)
		return STATUS_OK;
	return fail(STATUS_DIFFERS, "outputs of %" PRId64 " of %" PRId64 " orders differ from "
		    "those recorded, first under seed %" PRIu64, tally->differing, orders->count,
		    tally->first);
}

enum status orders_try(const struct orders *orders, json_t *report)
{
	struct tally tally = { 0 };
	json_t *out = json_object();

	json_object_set_new(report, "all_orders", out);
	for (int64_t seed = 1; seed <= orders->count; seed++) {
		if (command_interrupted())
			return fail(STATUS_INTERRUPTED, "interrupted");
		TRY(try_seed(orders, (uint64_t)seed, &tally, out));
	}
	json_object_set_new(out, "orders", json_integer(orders->count));
	json_object_set_new(out, "differing", json_integer(tally.differing));
	return summarize(orders, &tally);
}
