/* path_ladder.h - the rungs of the path `ladder`: which path each of them is. */
#ifndef PATH_LADDER_H
#define PATH_LADDER_H

#include "engine/attention/path_table.h"

#define LADDER_BEST (-1)
/* The first rungs with bulk copies, which need sm_90, and with a plan. */
#define LADDER_BULK_RUNG 6
#define LADDER_PLAN_RUNG 9

/* Rungs 0 to 3 are the paths cached, incremental, incremental-multiwarp and flash-decoding, with
 * their bits; all others, and LADDER_BEST, are path_ladder. */
const struct path *ladder_path(int rung);
/* The rung, 4 or more, that path_ladder runs for a shape: its own, or what the table names. */
int ladder_rung(const struct attention_shape *);

#endif
