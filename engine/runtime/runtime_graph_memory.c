/* runtime_graph_memory.c - the memory that nodes of graphs allocate: which addresses nodes reuse,
 * and what cudaDeviceGetGraphMemAttribute() counts.
 *
 * Every address has memory of its own from the beginning (memory_new_lasting()). At a launch a GPU
 * maps physical memory to it, and reuses that of graphs that have ended: this is only counted here,
 * in blocks. The calls that free such memory are in runtime_memory.c and runtime_pool.c.
 */
#include "config.h"

#include "engine/runtime/runtime_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

struct graph_block {
	struct graph_block *next;
	size_t bytes;
	const void *held;               /* the allocation in it, until it is freed; NULL: none */
	unsigned long long stream;      /* that used it last */
	bool pending;                   /* that stream was not waited for since */
};

/* --- addresses --- */

/* Marks the node and those before it. */
static void mark_before(struct CUgraphNode_st *node)
{
	if (node->mark)
		return;
	node->mark = 1;
	for (size_t i = 0; i < node->after_count; i++)
		mark_before(node->after[i]);
}

/* Whether each allocation of the address is freed, by nodes that are marked. */
static bool is_over(const struct CUgraph_st *graph, const void *address)
{
	size_t left = 0;

	for (size_t i = 0; i < graph->count; i++) {
		const struct work *work = &graph->nodes[i]->work;

		if (work->kind == WORK_ALLOC && work->memory.address == address)
			left++;
		if (work->kind != WORK_FREE || work->memory.address != address)
			continue;
		if (!graph->nodes[i]->mark)
			return false;
		left--;
	}
	return left == 0;
}

static bool allocates(const struct CUgraph_st *graph, const void *address)
{
	for (size_t i = 0; i < graph->count; i++)
		if (graph->nodes[i]->work.kind == WORK_ALLOC
		    && graph->nodes[i]->work.memory.address == address)
			return true;
	return false;
}

void *graph_memory_reuse(struct CUgraph_st *graph, const cudaGraphNode_t *after, size_t count,
			 size_t bytes)
{
	for (size_t i = 0; i < graph->count; i++)
		graph->nodes[i]->mark = 0;
	for (size_t i = 0; i < count; i++)
		mark_before(after[i]);
	for (size_t i = 0; i < graph->count; i++) {
		const struct work *work = &graph->nodes[i]->work;

		if (work->kind == WORK_FREE && graph->nodes[i]->mark
		    && work->memory.bytes >= bytes && allocates(graph, work->memory.address)
		    && is_over(graph, work->memory.address))
			return work->memory.address;
	}
	return NULL;
}

/* --- counting --- */

static void count_bytes(struct runtime_device *d, size_t bytes)
{
	d->graph_bytes += bytes;
	if (d->graph_bytes > d->graph_high)
		d->graph_high = d->graph_bytes;
}

static struct graph_block *block_holding(struct runtime_device *d, const void *address)
{
	struct graph_block *b = d->graph_blocks;

	while (b && b->held != address)
		b = b->next;
	return b;
}

/* A free block that no work may still use, or that the stream itself used last: the smallest that
 * is large enough. */
static struct graph_block *block_free(struct runtime_device *d, size_t bytes,
				      const struct CUstream_st *s)
{
	struct graph_block *best = NULL;

	for (struct graph_block *b = d->graph_blocks; b; b = b->next)
		if (!b->held && b->bytes >= bytes && (!b->pending || b->stream == s->id)
		    && (!best || b->bytes < best->bytes))
			best = b;
	return best;
}

static void take_block(struct runtime_device *d, const struct memory_work *memory,
		       const struct CUstream_st *s)
{
	struct graph_block *b = block_holding(d, memory->address);

	if (!b)
		b = block_free(d, memory->bytes, s);
	if (!b) {
		b = xcalloc(1, sizeof *b);
		b->bytes = memory->bytes;
		b->next = d->graph_blocks;
		d->graph_blocks = b;
		count_bytes(d, b->bytes);
	}
	b->held = memory->address;
	b->stream = s->id;
	b->pending = true;
}

/* All blocks that the graph needs are taken before any is free again: it may use them at a time. */
static void take_all(const struct CUgraph_st *graph, const struct CUstream_st *s)
{
	for (size_t i = 0; i < graph->count; i++) {
		const struct work *work = &graph->nodes[i]->work;

		if (work->kind == WORK_ALLOC)
			take_block(graph->device, &work->memory, s);
		else if (work->kind == WORK_GRAPH)
			take_all(work->graph, s);
	}
}

static void free_all(const struct CUgraph_st *graph, const struct CUstream_st *s)
{
	for (size_t i = 0; i < graph->count; i++) {
		const struct work *work = &graph->nodes[i]->work;

		if (work->kind == WORK_FREE)
			graph_memory_freed(graph->device, work->memory.address, s);
		else if (work->kind == WORK_GRAPH)
			free_all(work->graph, s);
	}
}

void graph_memory_launched(const struct CUgraph_st *graph, const struct CUstream_st *s)
{
	take_all(graph, s);
	free_all(graph, s);
}

void graph_memory_freed(struct runtime_device *d, const void *address, const struct CUstream_st *s)
{
	struct graph_block *b = block_holding(d, address);

	if (!b)
		return;
	b->held = NULL;
	if (s) {
		b->stream = s->id;
		b->pending = true;
	}
}

void graph_memory_waited(struct runtime_device *d, const struct CUstream_st *s)
{
	for (struct graph_block *b = d->graph_blocks; b; b = b->next)
		if (!s || b->stream == s->id)
			b->pending = false;
}

/* Returns what nothing uses: unless `all`, allocations and work keep their blocks. */
static void drop_blocks(struct runtime_device *d, bool all)
{
	struct graph_block **link = &d->graph_blocks;

	while (*link) {
		struct graph_block *b = *link;

		if (!all && (b->held || b->pending)) {
			link = &b->next;
			continue;
		}
		*link = b->next;
		d->graph_bytes -= b->bytes;
		free(b);
	}
}

void graph_memory_end(struct runtime_device *d)
{
	drop_blocks(d, true);
}

/* --- the calls --- */

static cudaError_t device_of(int ordinal, struct runtime_device **out)
{
	struct runtime_device *current;

	TRY_CUDA(runtime_live(&current));
	if (ordinal < 0 || ordinal >= runtime.device_count)
		return cudaErrorInvalidDevice;
	*out = &runtime.devices[ordinal];
	return cudaSuccess;
}

static cudaError_t trim(int ordinal)
{
	struct runtime_device *d;

	TRY_CUDA(device_of(ordinal, &d));
	drop_blocks(d, false);
	return cudaSuccess;
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
	return API(trim(device));
}

/* What is reserved is what is in use or was: nothing is reserved ahead. */
static cudaError_t get_attribute(int ordinal, enum cudaGraphMemAttributeType attribute, void *out)
{
	struct runtime_device *d;
	uint64_t value;

	TRY_CUDA(device_of(ordinal, &d));
	if (!out)
		return cudaErrorInvalidValue;
	switch (attribute) {
	case cudaGraphMemAttrUsedMemCurrent: case cudaGraphMemAttrReservedMemCurrent:
		value = d->graph_bytes;
		break;
	case cudaGraphMemAttrUsedMemHigh: case cudaGraphMemAttrReservedMemHigh:
		value = d->graph_high;
		break;
	default:
		return cudaErrorInvalidValue;
	}
	memcpy(out, &value, sizeof value);
	return cudaSuccess;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
					   void *value)
{
	return API(get_attribute(device, attr, value));
}

/* The high marks can only be set back. */
static cudaError_t set_attribute(int ordinal, enum cudaGraphMemAttributeType attribute,
				 const void *value)
{
	struct runtime_device *d;
	uint64_t mark;

	TRY_CUDA(device_of(ordinal, &d));
	if (!value || (attribute != cudaGraphMemAttrUsedMemHigh
		       && attribute != cudaGraphMemAttrReservedMemHigh))
		return cudaErrorInvalidValue;
	memcpy(&mark, value, sizeof mark);
	if (mark != 0)
		return cudaErrorInvalidValue;
	d->graph_high = d->graph_bytes;
	return cudaSuccess;
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
					   void *value)
{
	return API(set_attribute(device, attr, value));
}
