/* path_table.c - the list of attention paths; see path_table.h. */
#include "engine/attention/path_table.h"

#include <stdio.h>
#include <string.h>

const struct path *const path_table[] = {
	&path_prefill, &path_cached, &path_incremental, &path_incremental_multiwarp, &path_batched,
	&path_flash_decoding, &path_flash_decoding_graph, &path_auto, &path_ladder,
	&path_prefill_tiled,
	NULL
};
#define PATHS ((int)(sizeof path_table / sizeof path_table[0]) - 1)

const struct path *path_find(const char *name)
{
	for (int i = 0; path_table[i] != NULL; i++)
		if (strcmp(path_table[i]->name, name) == 0)
			return path_table[i];
	return NULL;
}

/* Writes "A, B and C": the paths that can run from a graph but do not by default. Begins with
 * flash-decoding and continues in the order of the table, wrapping around at its end. */
static void list_replayable(char *out, size_t size)
{
	const char *names[PATHS];
	int count = 0, first = 0;
	size_t length = 0;

	while (path_table[first] != &path_flash_decoding)
		first++;
	for (int i = 0; i < PATHS; i++) {
		const struct path *path = path_table[(first + i) % PATHS];

		if (path->replayable && path->graph == GRAPH_NONE)
			names[count++] = path->name;
	}
	for (int i = 0; i < count && length < size; i++)
		length += (size_t)snprintf(out + length, size - length, "%s%s", names[i],
					   i + 2 < count ? ", " : i + 2 == count ? " and " : "");
}

enum status path_check_graph(const struct path *path, enum graph_mode mode)
{
	char replayable[256];

	if ((unsigned)mode >= GRAPH_MODES)
		return fail(STATUS_USAGE, "%s: unknown graph mode %d", path->name, (int)mode);
	if (mode == GRAPH_NONE || path->replayable)
		return STATUS_OK;
	list_replayable(replayable, sizeof replayable);
	return fail(STATUS_USAGE,
		    "%s: cannot run from a graph (%s), because its launches differ from step to "
		    "step; expected %s",
		    path->name, graph_mode_name(mode), replayable);
}
