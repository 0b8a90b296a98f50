/* heap.c - memory that kernels allocate; see heap.h.
 *
 * Pieces are given out in order of address, and what was freed only after the end was reached, so
 * that a stale pointer seldom hits something else. Users' kernels run on one OS thread in seeded
 * order, so the same launches get the same addresses. Between pieces are a few bytes that belong to
 * none. A checked launch has its heap from the listener, which learns which bytes are in use.
 */
#include "config.h"

#include "sim/exec/heap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/xalloc.h"
#include "engine/device.h"
#include "sim/exec/worker.h"

#define GAP 16

/* Pieces follow each other without holes. */
struct piece {
	size_t at, bytes, used;         /* used: bytes requested; 0: free */
};

struct heap {
	unsigned char *memory;
	size_t bytes, filled;           /* its size, and what has its first contents */
	struct piece *pieces;
	size_t count, capacity, next;   /* next: where the search begins */
};

struct heap *heap_new(void *memory, size_t bytes)
{
	struct heap *heap = xcalloc(1, sizeof *heap);

	heap->memory = memory;
	heap->bytes = heap->filled = bytes;
	heap->capacity = 64;
	heap->pieces = xcalloc(heap->capacity, sizeof *heap->pieces);
	heap->pieces[heap->count++] = (struct piece){ 0, heap->bytes, 0 };
	return heap;
}

void heap_delete(struct heap *heap)
{
	if (heap)
		free(heap->pieces);
	free(heap);
}

/* The heap of launches that are not checked; its memory is mapped here. */
static struct heap *plain_heap(struct device_heap *h)
{
	unsigned char *memory;

	if (h->plain)
		return h->plain;
	memory = mmap(NULL, h->bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	h->plain = heap_new(memory, h->bytes);
	h->plain->filled = 0;
	return h->plain;
}

void device_heap_close(struct device_heap *h)
{
	if (h->plain)
		munmap(h->plain->memory, h->bytes);
	heap_delete(h->plain);
	h->plain = NULL;
}

static struct heap *current_heap(void)
{
	struct listener *listener = worker_self->grid->listener;
	struct device_heap *h = worker_self->grid->heap;

	h->used = true;
	if (h->bytes == 0)
		return NULL;
	return listener ? listener->calls->heap(listener, h->bytes) : plain_heap(h);
}

/* Fills memory with poison when it is given out first: a large heap need not be all in use. */
static void fill(struct heap *heap, const struct piece *p)
{
	const uint32_t poison = DEVICE_POISON;

	for (; heap->filled < p->at + p->bytes && heap->filled < heap->bytes;
	     heap->filled += sizeof poison)
		memcpy(heap->memory + heap->filled, &poison, sizeof poison);
}

/* --- pieces --- */

/* Joins free pieces that follow each other. */
static void join(struct heap *heap)
{
	size_t kept = 0;

	for (size_t i = 0; i < heap->count; i++) {
		struct piece *last = kept ? &heap->pieces[kept - 1] : NULL;

		if (last && !last->used && !heap->pieces[i].used)
			last->bytes += heap->pieces[i].bytes;
		else
			heap->pieces[kept++] = heap->pieces[i];
	}
	heap->count = kept;
	heap->next = 0;
}

static struct piece *find_free(struct heap *heap, size_t bytes)
{
	for (size_t i = heap->next; i < heap->count; i++)
		if (!heap->pieces[i].used && heap->pieces[i].bytes >= bytes) {
			heap->next = i;
			return &heap->pieces[i];
		}
	return NULL;
}

/* Leaves `bytes` of the free piece at heap->next, and makes the rest a piece of its own. */
static void split(struct heap *heap, size_t bytes)
{
	struct piece *p = &heap->pieces[heap->next];
	struct piece rest = { p->at + bytes, p->bytes - bytes, 0 };

	if (rest.bytes == 0)
		return;
	p->bytes = bytes;
	if (heap->count == heap->capacity) {
		heap->capacity *= 2;
		heap->pieces = xreallocarray(heap->pieces, heap->capacity, sizeof *heap->pieces);
	}
	p = &heap->pieces[heap->next + 1];
	memmove(p + 1, p, (heap->count - heap->next - 1) * sizeof *p);
	*p = rest;
	heap->count++;
}

static int compare_places(const void *at, const void *piece)
{
	size_t a = *(const size_t *)at, b = ((const struct piece *)piece)->at;

	return (a > b) - (a < b);
}

static struct piece *piece_at(struct heap *heap, size_t at)
{
	return bsearch(&at, heap->pieces, heap->count, sizeof *heap->pieces, compare_places);
}

/* --- malloc() and free() of kernels --- */

/* Outside kernels, code that is loaded with them gets memory of the host. */
void *ft_malloc(size_t bytes)
{
	struct heap *heap = lane_current() ? current_heap() : NULL;
	struct piece *p;
	size_t whole;

	if (!lane_current())
		return malloc(bytes);
	if (!heap || bytes == 0 || bytes > heap->bytes)
		return NULL;
	whole = (bytes + HEAP_ALIGNMENT - 1) / HEAP_ALIGNMENT * HEAP_ALIGNMENT + GAP;
	p = find_free(heap, whole);
	if (!p) {
		join(heap);
		p = find_free(heap, whole);
	}
	if (!p)
		return NULL;
	split(heap, whole);
	p = &heap->pieces[heap->next++];
	p->used = bytes;
	fill(heap, p);
	LISTENER_CALL(worker_self->grid->listener, heap_use, heap->memory + p->at, bytes, true);
	return heap->memory + p->at;
}

void ft_free(void *memory)
{
	struct heap *heap;
	struct piece *p;

	if (!memory)
		return;
	if (!lane_current()) {
		free(memory);
		return;
	}
	heap = current_heap();
	p = heap ? piece_at(heap, (size_t)((unsigned char *)memory - heap->memory)) : NULL;
	if (!p || !p->used)
		worker_abort(worker_self, 719, "free() in a kernel: the pointer is not what "
			     "malloc() returned, or was freed before");
	LISTENER_CALL(worker_self->grid->listener, heap_use, memory, p->used, false);
	p->used = 0;
}

/* The linker makes kernels call these (tui/launch/kernel_flags.h). */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
void *__wrap_malloc(size_t bytes) { return ft_malloc(bytes); }
void *__wrap__Znwm(size_t bytes) { return ft_malloc(bytes); }
void *__wrap__Znam(size_t bytes) { return ft_malloc(bytes); }
void __wrap_free(void *memory) { ft_free(memory); }
void __wrap__ZdlPv(void *memory) { ft_free(memory); }
void __wrap__ZdaPv(void *memory) { ft_free(memory); }
void __wrap__ZdlPvm(void *memory, size_t bytes) { (void)bytes; ft_free(memory); }
void __wrap__ZdaPvm(void *memory, size_t bytes) { (void)bytes; ft_free(memory); }
