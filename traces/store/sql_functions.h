/* sql_functions.h - SQL functions that read the stored bytes and f32 bit patterns of a trace.
 *
 * data(id) BLOB: stored bytes. f32(blob, index) REAL: element of an f32 array, NULL for a NaN or
 * when out of range. f32_bits(blob, index) INTEGER: its bits, signed, as in the *_bits columns.
 * f32_text(bits) TEXT: shortest decimal that reads back as the same value, "nan", "inf" or "-inf".
 */
#ifndef SQL_FUNCTIONS_H
#define SQL_FUNCTIONS_H

#include "base/status.h"

struct store;

/* Registers them on the store's connection, until it is closed. */
enum status sql_functions_register(struct store *);

#endif
