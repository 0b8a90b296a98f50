/* column.h - reads columns of a row of an untrusted file.
 *
 * A value of the wrong type or out of range clears *good, so that a caller checks once per row.
 * Used wherever the store's rows are read.
 */
#ifndef COLUMN_H
#define COLUMN_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* An integer in [min, max]; NULL gives `otherwise`. */
int64_t column_int(sqlite3_stmt *, int column, int64_t min, int64_t max, int64_t otherwise,
		   bool *good);
int column_small(sqlite3_stmt *, int column, int otherwise, bool *good);        /* 32 bits */
/* These are not negative; NULL is 0. */
uint32_t column_u32(sqlite3_stmt *, int column, bool *good);
uint64_t column_size(sqlite3_stmt *, int column, bool *good);

double column_real(sqlite3_stmt *, int column);         /* NULL is NAN */
const char *column_text(sqlite3_stmt *, int column);    /* NULL is "" */

#endif
