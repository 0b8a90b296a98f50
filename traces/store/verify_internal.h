/* verify_internal.h - the parts of verify_trace().
 *
 * Each gives DAMAGED with the first thing that is wrong.
 */
#ifndef VERIFY_INTERNAL_H
#define VERIFY_INTERNAL_H

#include "traces/store/store_internal.h"

/* --- verify_content.c --- */

/* Pages, pieces and blobs; adds up the stored bytes. */
enum status verify_content(struct store *, int64_t *bytes);
/* The tables that are the same in every trace. */
enum status verify_constants(struct store *);

/* --- verify_columns.c, verify_derived.c, verify_accesses.c --- */

/* Columns that SQL can compute from others, of all runs. */
int verify_columns_count(void);
enum status verify_columns(struct store *, int check);
/* Values of scalar arguments from their bits. */
enum status verify_args(struct store *);
/* Floats of partials and reductions. */
enum status verify_partials(struct store *, int64_t run);
enum status verify_reduces(struct store *, int64_t run);
/* What requests of warps cost. */
enum status verify_accesses(struct store *, int64_t run);
/* Digests of what launches wrote, where other rows have the bytes. */
enum status verify_written(struct store *, int64_t run);

#endif
