/* store_sums.h - sums of the rows of a trace, which tell rows that were changed after a run ended.
 *
 * The commit that completes a run stores one sum for each table: under the run's number for tables
 * with a column `run`, over the rows of that run; under run 0 for the others, over their first rows
 * up to that commit, which never change. Detects damage and carelessness, not an author who
 * computes the sums again. Used by verify.h, diffs and views.
 */
#ifndef STORE_SUMS_H
#define STORE_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct store;

/* The run of tables that all runs share. */
#define SUM_SHARED 0

/* Computes the sum of the table's rows of `run` again. DAMAGED, with the table and run, if it is
 * not the stored one; *covered is false if none is stored. Remembered for later calls. */
enum status store_sum_check(struct store *, int64_t run, const char *table, bool *covered);

/* Calls fn for each table that has sums, with the run, or SUM_SHARED, it has them under. */
enum status store_sum_tables(struct store *, enum status (*fn)(void *context, const char *table,
							       bool shared), void *context);

/* The number of rows of a shared table that were added after its sum. */
enum status store_sum_later(struct store *, const char *table, int64_t *rows);

#endif
