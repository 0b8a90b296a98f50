/* path_ladder.h - the rungs of the path `ladder`: which path each of them is. */
#ifndef PATH_LADDER_H
#define PATH_LADDER_H

#include "engine/attention/path_table.h"

#define LADDER_BEST (-1)

/* Rungs 0 to 3 are the paths cached, incremental, incremental-multiwarp and flash-decoding, with
 * their bits; all others, and LADDER_BEST, are path_ladder. */
const struct path *ladder_path(int rung);

#endif
