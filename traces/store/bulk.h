/* bulk.h - the rows of an expendable trace, kept as SQLite stores them and made into a database at
 * once. An INSERT of each row would take more time than the rest of the recorder.
 */
#ifndef BULK_H
#define BULK_H

#include <stddef.h>

#include "base/status.h"
#include "traces/store/store_internal.h"

/* For a new store: its rows are kept in bulk. */
enum status bulk_create(struct store *);
void bulk_free(struct bulk *);          /* NULL is allowed */
/* Copies a row; a first value of NULL gets the next rowid. Rows come in any order. IO past the
 * limit of the store's size. */
enum status bulk_put(struct store *, enum table, const struct value *values, size_t count);
/* The database as bytes of sqlite3_malloc(). sums: also the sums of runs that have ended. */
enum status bulk_image(struct store *, bool sums, void **bytes, size_t *count);

#endif
