/* path_table.h - the list of attention paths.
 *
 * Used to find a path by its name, and in error messages that list paths.
 */
#ifndef PATH_TABLE_H
#define PATH_TABLE_H

#include "engine/attention/attention.h"

extern const struct path path_prefill, path_cached, path_incremental, path_incremental_multiwarp,
	path_batched, path_flash_decoding, path_flash_decoding_graph, path_auto, path_ladder,
	path_prefill_tiled;

/* Every path, NULL-terminated. */
extern const struct path *const path_table[];
const struct path *path_find(const char *name);         /* NULL if there is none */
/* USAGE, with the paths that can, if the path cannot run from a graph of this mode. */
enum status path_check_graph(const struct path *, enum graph_mode);

#endif
