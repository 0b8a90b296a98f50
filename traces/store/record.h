/* record.h - rows as a SQLite file stores them: a header of types, and the values. "Record Format"
 * in SQLite's documentation of its file format defines it. Used by bulk.c.
 */
#ifndef RECORD_H
#define RECORD_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "traces/store/store_internal.h"

/* Memory that grows at its end. Zeroed: empty. */
struct heap {
	unsigned char *bytes;
	size_t used, capacity;
};

/* Room for `count` more bytes, which the caller adds to `used`. */
unsigned char *heap_reserve(struct heap *, size_t count);
void heap_free(struct heap *);

#define VARINT_BYTES 9
/* All return the number of bytes. */
size_t varint_bytes(uint64_t value);
size_t varint_put(unsigned char *to, uint64_t value);
size_t varint_get(const unsigned char *from, uint64_t *value);

/* Of a row: the most columns, and the room behind it, since numbers are written and read by eight
 * bytes. */
#define RECORD_COLUMNS 32
#define RECORD_ROOM 8
/* What a row takes as a record. */
struct record_plan {
	size_t header, body;            /* bytes */
	uint64_t types[RECORD_COLUMNS];
};
void record_plan(struct record_plan *, const struct value *values, size_t count);
/* Writes a row as planned. A NaN becomes NULL, as in SQLite. */
void record_put(unsigned char *to, const struct record_plan *, const struct value *values,
		size_t count);

/* Walks the values of a record. Texts end without a zero. */
struct record_reader {
	const unsigned char *header, *end, *body;
};
void record_open(struct record_reader *, const unsigned char *record);
/* Compares the first `columns` values: NULL, then numbers, then texts. No reals, no blobs. */
int record_compare(const unsigned char *a, const unsigned char *b, size_t columns);

/* Types of values in a header. A blob of n bytes is 12 + 2n, a text 13 + 2n. */
enum { SERIAL_NULL = 0, SERIAL_INT64 = 6, SERIAL_REAL = 7, SERIAL_ZERO = 8, SERIAL_ONE = 9,
       SERIAL_BLOB = 12 };

static inline size_t record_body(uint64_t type)
{
	/* The bytes of numbers, of types 0 to 9. */
	static const unsigned char numbers[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };

	return type >= SERIAL_BLOB ? (size_t)(type - SERIAL_BLOB) / 2 : numbers[type];
}

/* Integers of 1, 2, 3, 4, 6 and 8 bytes, big-endian. Reads eight: a record has room behind it. */
static inline int64_t record_integer(const unsigned char *from, size_t count)
{
	uint64_t bits;

	if (!count)
		return 0;
	memcpy(&bits, from, sizeof bits);
	return (int64_t)be64toh(bits) >> (64 - 8 * count);
}

/* False after the last value. A text is returned as bytes: *text tells them apart. Inline because
 * sums walk all values. */
static inline bool record_next(struct record_reader *reader, struct value *out, bool *text)
{
	uint64_t type, bits;
	size_t count;

	if (reader->header == reader->end)
		return false;
	type = *reader->header;
	reader->header += type < 0x80 ? 1 : varint_get(reader->header, &type);
	count = record_body(type);
	*text = type >= SERIAL_BLOB && type % 2;
	if (type >= SERIAL_BLOB) {
		*out = V_BYTES(reader->body, count);
	} else if (type == SERIAL_REAL) {
		memcpy(&bits, reader->body, sizeof bits);
		bits = be64toh(bits);
		out->type = VALUE_REAL;
		memcpy(&out->real, &bits, sizeof bits);
	} else if (type == SERIAL_NULL) {
		*out = V_NULL;
	} else {
		*out = V_INT(type == SERIAL_ONE ? 1 : record_integer(reader->body, count));
	}
	reader->body += count;
	return true;
}

#endif
