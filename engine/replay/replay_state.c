/* replay_state.c - tables of the target's objects, and memory that it may still use; see
 * replay_state.h.
 */
#include "engine/replay/replay_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/replay/replay_host.h"

void table_set(struct table *table, size_t number, void *item)
{
	if (number >= table->count) {
		table->items = xreallocarray(table->items, number + 1, sizeof *table->items);
		memset(table->items + table->count, 0,
		       (number + 1 - table->count) * sizeof *table->items);
		table->count = number + 1;
	}
	table->items[number] = item;
}

void *table_get(const struct table *table, uint64_t number)
{
	return number < table->count ? table->items[number] : NULL;
}

void *replay_keep(struct replay *r, const void *bytes, size_t count)
{
	void *copy = xcalloc(count ? count : 1, 1);

	if (bytes)
		memcpy(copy, bytes, count);
	r->memory = xreallocarray(r->memory, r->memory_count + 1, sizeof *r->memory);
	r->memory[r->memory_count++] = copy;
	return copy;
}

void replay_release(struct replay *r)
{
	struct table *tables[] = { &r->buffers, &r->streams, &r->events, &r->graphs, &r->execs };

	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
		free(tables[i]->items);
	while (r->memory_count)
		free(r->memory[--r->memory_count]);
	free(r->memory);
	replay_host_forget(r);
	free(r->uploads);
	free(r->steps);
}
