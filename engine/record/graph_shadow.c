/* graph_shadow.c - the recorder's data on graphs; see graph_shadow.h. */
#include "engine/record/graph_shadow.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/launch_copy.h"
#include "engine/record/probe.h"
#include "engine/record/recorder_state.h"

/* --- graphs by number --- */

struct graph_shadow *graph_shadow_add(struct recorder *r, struct graph *graph)
{
	struct graph_shadow *g = xcalloc(1, sizeof *g);

	g->graph = graph;
	g->references = 1;
	r->graphs = xreallocarray(r->graphs, (size_t)r->graph_count + 1, sizeof *r->graphs);
	r->graphs[r->graph_count++] = g;
	g->number = r->graph_count;
	return g;
}

struct graph_shadow *graph_shadow_find(const struct recorder *r, const struct graph *graph)
{
	for (int i = 0; i < r->graph_count; i++)
		if (r->graphs[i] && r->graphs[i]->graph == graph)
			return r->graphs[i];
	return NULL;
}

void graph_run_free(struct graph_run *run)
{
	free(run->ran);
	free(run);
}

static void graph_shadow_free(struct recorder *r, struct graph_shadow *g)
{
	r->graphs[g->number - 1] = NULL;
	while (g->runs) {
		struct graph_run *next = g->runs->next;

		graph_run_free(g->runs);
		g->runs = next;
	}
	for (int i = 0; i < g->count; i++)
		node_free(g->nodes[i]);
	/* Errors do not matter: device_close() frees what is left. */
	for (int i = 0; i < g->saved_count; i++)
		device_free(r->device.inner, g->saved[i].copy);
	free(g->nodes);
	free(g->saved);
	free(g->fresh);
	free(g);
}

void graph_shadow_drop(struct recorder *r, struct graph_shadow *g)
{
	struct error_record error;

	if (--g->references > 0)
		return;
	error_save(&error);
	/* A launch may still run after its graph was destroyed. */
	if (g->runs) {
		device_step_aside(r->device.inner, true);
		device_step_aside(r->device.inner, false);
	}
	graph_shadow_free(r, g);
	error_restore(&error);
}

void graphs_free(struct recorder *r)
{
	for (int i = 0; i < r->graph_count; i++)
		if (r->graphs[i])
			graph_shadow_free(r, r->graphs[i]);
	free(r->graphs);
	r->graphs = NULL;
	r->graph_count = 0;
}

/* --- nodes --- */

struct node *node_new(struct graph_shadow *g, enum op_kind work)
{
	struct node *node = xcalloc(1, sizeof *node);

	node->graph = g;
	node->number = g->count;
	node->device_node = -1;
	node->work = work;
	node->ticket.node = node;
	return node;
}

void node_free(struct node *node)
{
	probe_free(node->probe);
	if (node->work == OP_LAUNCH)
		launch_copy_free(&node->ticket.launch);
	free(node->after);
	free(node);
}

/* --- bytes --- */

/* Reads from the first copy made after the node, because the copied bytes did not change in
 * between; else from the buffer itself. */
enum status graph_read(struct recorder *r, const struct node *node, const struct buffer *buffer,
		       uint64_t offset, void *out, uint64_t bytes)
{
	const struct graph_shadow *g = node->graph;
	const struct saved *first = NULL;

	for (int i = 0; i < g->saved_count; i++) {
		const struct saved *s = &g->saved[i];

		if (s->buffer == buffer && s->position > node->number && s->position < g->launched
		    && offset >= s->offset && offset + bytes <= s->offset + s->bytes
		    && (!first || s->position < first->position))
			first = s;
	}
	if (first)
		return device_download(r->device.inner, NULL, first->copy, offset - first->offset,
				       out, bytes);
	return device_download(r->device.inner, NULL, buffer, offset, out, bytes);
}

static void node_forget_buffer(struct node *node, const struct buffer *buffer)
{
	struct arg *args = (struct arg *)node->ticket.launch.args;

	if (node->buffer == buffer)
		node->buffer = NULL;
	for (int i = 0; i < node->ticket.launch.arg_count; i++)
		if (args[i].kind == PARAM_POINTER && args[i].buffer == buffer)
			args[i].buffer = NULL;
}

void graphs_forget_buffer(struct recorder *r, const struct buffer *buffer)
{
	for (int i = 0; i < r->graph_count; i++) {
		struct graph_shadow *g = r->graphs[i];

		for (int n = 0; g && n < g->count; n++)
			node_forget_buffer(g->nodes[n], buffer);
		for (int n = 0; g && n < g->saved_count; n++)
			if (g->saved[n].buffer == buffer)
				g->saved[n].buffer = NULL;
		for (int n = 0; g && n < g->fresh_count; n++)
			if (g->fresh[n].buffer == buffer)
				g->fresh[n].buffer = NULL;
	}
}
