/* bulk_sum.h - the sum of a table's rows, as store_sums.c defines it, from its tree's cells. */
#ifndef BULK_SUM_H
#define BULK_SUM_H

#include "traces/store/btree.h"

/* Over the rows of a run, which is their first column, or of all with SUM_SHARED; *rows is how many
 * there are. The cells are in the order of the key. */
uint64_t bulk_sum(const struct cell *cells, size_t count, bool rowids, int64_t run, int64_t *rows);

#endif
