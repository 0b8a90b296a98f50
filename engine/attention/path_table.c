/* path_table.c - the list of attention paths; see path_table.h. */
#include "engine/attention/path_table.h"

#include <stdio.h>
#include <string.h>

const struct path *const path_table[] = {
	&path_prefill, &path_cached, &path_incremental, &path_incremental_multiwarp, &path_batched,
	&path_flash_decoding, &path_flash_decoding_graph, &path_auto, NULL
};
#define PATHS ((int)(sizeof(path_table) / sizeof(path_table[0])) - 1)

const struct path *path_find(const char *name)
{
	for (int i = 0; path_table[i] != NULL; i++)
		if (strcmp(path_table[i]->name, name) == 0)
			return path_table[i];
	return NULL;
}

/* "A, B and C" of the paths whose launches fit a graph and go one by one where none is asked for:
 * the usual path first, then in the order of the table, as in a circle. */
static void list_replayable(char *out, size_t size)
{
	const char *names[PATHS];
	int count = 0, usual = 0;
	size_t length = 0;

	while (path_table[usual] != &path_flash_decoding)
		usual++;
	for (int i = 0; i < PATHS; i++) {
		const struct path *path = path_table[(usual + i) % PATHS];

		if (path->replayable && path->graph == GRAPH_NONE)
			names[count++] = path->name;
	}
	for (int i = 0; i < count && length < size; i++)
		length += (size_t)snprintf(out + length, size - length, "%s%s", names[i],
					   i + 2 < count ? ", " : i + 2 == count ? " and " : "");
}

enum status path_check_graph(const struct path *path, enum graph_mode mode)
{
	char fit[256];

	if ((unsigned)mode >= GRAPH_MODES)
		return fail(STATUS_USAGE, "%s: there is no graph mode %d", path->name, (int)mode);
	if (mode == GRAPH_NONE || path->replayable)
		return STATUS_OK;
	list_replayable(fit, sizeof fit);
	return fail(STATUS_USAGE,
		    "%s: its launches differ from step to step, a graph (%s) cannot hold them; "
		    "those of %s fit",
		    path->name, graph_mode_name(mode), fit);
}
