/* path_table.h - the list of attention paths.
 *
 * Serves those who look for a path by its name, and checks that name other paths.
 */
#ifndef PATH_TABLE_H
#define PATH_TABLE_H

#include "engine/attention/attention.h"

extern const struct path path_prefill, path_cached, path_incremental, path_incremental_multiwarp,
	path_batched, path_flash_decoding, path_flash_decoding_graph, path_auto;

/* Every path, NULL-terminated. */
extern const struct path *const path_table[];
const struct path *path_find(const char *name);         /* NULL when there is none */
/* USAGE, naming those that can, when the path cannot run from a graph as asked. */
enum status path_check_graph(const struct path *, enum graph_mode);

#endif
