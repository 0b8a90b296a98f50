/* attention_graph.c - captures a path's launches, or lists them and builds the graph by hand; see
 * attention_graph.h.
 *
 * In both cases the path itself issues the launches, through step_launch(); only the target
 * differs. The host's cache lengths are neither read nor changed.
 */
#include "engine/attention/attention_graph.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/attention/path_table.h"
#include "engine/attention/step_io.h"

struct attention_graph {
	struct attention *attention;
	struct graph_exec *exec;        /* NULL: no work */
};

/* --- issuing the launches --- */

static enum status check(const struct attention *a, int first, int layers)
{
	const struct attention_shape *s = &a->shape;

	if (first < 0 || layers < 1 || layers > s->layers || first > s->layers - layers)
		return fail(STATUS_USAGE, "%s: expected layers within 0 to %d for a graph, got %d "
			    "from layer %d on", a->path->name, s->layers - 1, layers, first);
	return STATUS_OK;
}

static enum status issue(struct attention *a, int first, int layers, struct stream *stream,
			 struct launch_list *list)
{
	enum status status = STATUS_OK;

	a->io->target = (struct launch_target){ .graph = true, .stream = stream, .list = list };
	for (int i = 0; i < layers && status == STATUS_OK; i++)
		status = a->path->launch(a, first + i);
	a->io->target = (struct launch_target){ 0 };
	return status;
}

enum status attention_record(struct attention *a, int first, int layers, struct launch_list *list)
{
	TRY(path_check_graph(a->path, GRAPH_MANUAL));
	TRY(check(a, first, layers));
	if (!a->io)
		return STATUS_OK;
	TRY(step_io_alloc_graph(a));
	return issue(a, first, layers, NULL, list);
}

/* --- graphs --- */

/* Issues the launches between capture begin and end. Ends the capture also after an error, so that
 * the stream does not stay in capture. */
static enum status capture_on(struct attention *a, struct stream *stream, int first, int layers,
			      struct graph **out)
{
	struct error_record error;
	struct graph *graph = NULL;
	enum status status, ended;

	TRY(device_capture_begin(a->device, stream, CAPTURE_GLOBAL));
	status = issue(a, first, layers, stream, NULL);
	error_save(&error);
	ended = device_capture_end(a->device, stream, &graph);
	if (status != STATUS_OK && ended == STATUS_OK)
		device_graph_destroy(a->device, graph);
	TRY(error_first(status, &error, ended));
	*out = graph;
	return STATUS_OK;
}

static enum status capture(struct attention *a, int first, int layers, struct graph **out)
{
	struct error_record error;
	struct stream *stream;
	enum status status;

	TRY(device_stream_create(a->device, &stream));
	status = capture_on(a, stream, first, layers, out);
	error_save(&error);
	return error_first(status, &error, device_stream_destroy(a->device, stream));
}

static enum status build(struct attention *a, int first, int layers, struct graph **out)
{
	struct launch_list list = { 0 };
	enum status status = attention_record(a, first, layers, &list);

	if (status == STATUS_OK)
		status = launch_list_graph(&list, a->device, out);
	launch_list_free(&list);
	return status;
}

static enum status instantiate(struct attention *a, enum graph_mode mode, int first, int layers,
			       struct graph_exec **out)
{
	struct error_record error;
	struct graph *graph;
	enum status status;

	TRY(step_io_alloc_graph(a));
	TRY(mode == GRAPH_CAPTURE ? capture(a, first, layers, &graph)
				  : build(a, first, layers, &graph));
	status = device_graph_instantiate(a->device, graph, out);
	error_save(&error);
	return error_first(status, &error, device_graph_destroy(a->device, graph));
}

enum status attention_graph_create(struct attention *a, enum graph_mode mode, int first, int layers,
				   struct attention_graph **out)
{
	struct attention_graph *graph;
	enum status status = STATUS_OK;

	TRY(path_check_graph(a->path, mode));
	if (mode == GRAPH_NONE)
		return fail(STATUS_USAGE, "%s: expected graph mode capture or manual, got none",
			    a->path->name);
	TRY(check(a, first, layers));
	graph = xcalloc(1, sizeof *graph);
	graph->attention = a;
	if (a->io)
		status = instantiate(a, mode, first, layers, &graph->exec);
	if (status != STATUS_OK) {
		attention_graph_destroy(graph);
		return status;
	}
	*out = graph;
	return STATUS_OK;
}

enum status attention_graph_launch(struct attention_graph *graph)
{
	if (!graph->exec)
		return STATUS_OK;
	TRY(step_io_check_uploaded(graph->attention));
	return device_graph_launch(graph->attention->device, graph->exec, NULL);
}

void attention_graph_destroy(struct attention_graph *graph)
{
	struct error_record error;

	if (!graph)
		return;
	error_save(&error);
	if (graph->exec)
		device_graph_exec_destroy(graph->attention->device, graph->exec);
	error_restore(&error);
	free(graph);
}
