/* counters.c - counters of launches as JSON and as rows of a trace; see counters.h.
 *
 * sim/check/counters.c does the counting; tui/views/kernel/view_counters.c draws the screen.
 */
#include "tui/counters.h"

#include "traces/row.h"

static void put(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

static json_t *lines_json(const struct row_counters *e)
{
	json_t *lines = json_array();

	for (size_t i = 0; i < e->line_count; i++) {
		json_t *line = json_object();

		json_object_set_new(line, "file", json_string(e->lines[i].file));
		put(line, "line", (uint64_t)e->lines[i].line);
		put(line, "hits", e->lines[i].hits);
		json_array_append_new(lines, line);
	}
	return lines;
}

static json_t *counters_json(const struct row_counters *e)
{
	json_t *object = json_object();

	put(object, "launch", (uint64_t)e->launch);
	json_object_set_new(object, "kernel", json_string(e->kernel));
	put(object, "load_bytes", e->load_bytes);
	put(object, "store_bytes", e->store_bytes);
	put(object, "load_distinct_bytes", e->load_distinct_bytes);
	put(object, "load_requests", e->load_requests);
	put(object, "load_sectors", e->load_sectors);
	put(object, "store_requests", e->store_requests);
	put(object, "store_sectors", e->store_sectors);
	put(object, "atomics", e->atomics);
	put(object, "shared_atomics", e->shared_atomics);
	put(object, "shared_load_requests", e->shared_load_requests);
	put(object, "shared_load_conflicts", e->shared_load_conflicts);
	put(object, "shared_store_requests", e->shared_store_requests);
	put(object, "shared_store_conflicts", e->shared_store_conflicts);
	put(object, "barriers", e->barriers);
	put(object, "shuffles", e->shuffles);
	put(object, "divergent_branches", e->divergent_branches);
	put(object, "basic_blocks", e->basic_blocks);
	put(object, "left_out", e->left_out);
	json_object_set_new(object, "lines", lines_json(e));
	return object;
}

enum status counters_report(struct device *device, struct store *store, int64_t run, json_t *list)
{
	const struct row_counters *counters;
	size_t count = store || list ? device_counters(device, &counters) : 0;

	for (size_t i = 0; i < count; i++) {
		if (store)
			TRY(store_counters(store, run, &counters[i]));
		if (list && counters[i].counted)
			json_array_append_new(list, counters_json(&counters[i]));
	}
	return STATUS_OK;
}
