/* launch_list.c - launches kept for later, their dependencies, and a graph of them; see
 * launch_list.h.
 */
#include "engine/attention/launch_list.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/launch_copy.h"

/* --- dependencies --- */

static bool is_scatter(const struct launch *launch)
{
	return launch->kernel->role == ROLE_SCATTER;
}

/* Whether both have an argument that points to the same offset in the same buffer. */
static bool share_memory(const struct launch *a, const struct launch *b)
{
	for (int i = 0; i < a->arg_count; i++)
		for (int j = 0; j < b->arg_count; j++)
			if (a->args[i].kind == PARAM_POINTER && b->args[j].kind == PARAM_POINTER
			    && a->args[i].buffer && a->args[i].buffer == b->args[j].buffer
			    && a->args[i].offset == b->args[j].offset)
				return true;
	return false;
}

static void add_dependency(struct launch_record *record, int earlier)
{
	record->after = xreallocarray(record->after, (size_t)record->after_count + 1,
				      sizeof *record->after);
	record->after[record->after_count++] = earlier;
}

/* Sets the dependencies of a record that is about to be appended. A scatter has none: it writes
 * cache rows of its own layer and slot, which no earlier launch of the graph reads. */
static void find_after(const struct launch_list *list, struct launch_record *record)
{
	int earlier = list->count - 1;

	if (is_scatter(&record->launch))
		return;
	for (; earlier >= 0 && is_scatter(&list->records[earlier].launch); earlier--)
		add_dependency(record, earlier);
	for (; earlier >= 0; earlier--) {
		const struct launch *launch = &list->records[earlier].launch;

		if (!is_scatter(launch) && share_memory(launch, &record->launch)) {
			add_dependency(record, earlier);
			return;
		}
	}
}

/* --- the list --- */

void launch_list_add(struct launch_list *list, const struct launch *launch)
{
	struct launch_record record = { .launch = launch_copy(launch) };

	record.launch.stream = NULL;
	find_after(list, &record);
	list->records = xreallocarray(list->records, (size_t)list->count + 1, sizeof record);
	list->records[list->count++] = record;
}

static enum status add_nodes(const struct launch_list *list, struct device *device,
			     struct graph *graph, int *nodes)
{
	int *after = xcalloc((size_t)list->count + 1, sizeof *after);
	enum status status = STATUS_OK;

	for (int i = 0; i < list->count && status == STATUS_OK; i++) {
		const struct launch_record *record = &list->records[i];

		for (int j = 0; j < record->after_count; j++)
			after[j] = nodes[record->after[j]];
		status = device_graph_add_launch(device, graph, &record->launch, after,
						 record->after_count, &nodes[i]);
	}
	free(after);
	return status;
}

enum status launch_list_graph(const struct launch_list *list, struct device *device,
			      struct graph **out)
{
	struct error_record error;
	struct graph *graph;
	enum status status;
	int *nodes;

	TRY(device_graph_create(device, &graph));
	nodes = xcalloc((size_t)list->count + 1, sizeof *nodes);
	status = add_nodes(list, device, graph, nodes);
	free(nodes);
	if (status != STATUS_OK) {
		error_save(&error);
		device_graph_destroy(device, graph);
		error_restore(&error);
		return status;
	}
	*out = graph;
	return STATUS_OK;
}

void launch_list_free(struct launch_list *list)
{
	for (int i = 0; i < list->count; i++) {
		struct launch_record *record = &list->records[i];

		launch_copy_free(&record->launch);
		free(record->after);
	}
	free(list->records);
	*list = (struct launch_list){ 0 };
}
