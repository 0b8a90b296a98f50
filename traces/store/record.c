/* record.c - writes, reads and compares rows in SQLite's record format; see record.h. */
#include "traces/store/record.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

unsigned char *heap_reserve(struct heap *heap, size_t count)
{
	if (heap->capacity - heap->used < count) {
		heap->capacity = 2 * heap->capacity + count + 1024;
		heap->bytes = xrealloc(heap->bytes, heap->capacity);
	}
	return heap->bytes + heap->used;
}

void heap_free(struct heap *heap)
{
	free(heap->bytes);
	*heap = (struct heap){ 0 };
}

/* --- varints --- */

size_t varint_bytes(uint64_t value)
{
	size_t count = 1;

	while ((value >>= 7) && count < VARINT_BYTES)
		count++;
	return count;
}

size_t varint_put(unsigned char *to, uint64_t value)
{
	unsigned char reversed[VARINT_BYTES];
	size_t count = 0;

	if (value < 0x80) {
		to[0] = (unsigned char)value;
		return 1;
	}
	/* Nine bytes hold 64 bits: the last one has eight of them. */
	if (value >> 56) {
		to[8] = (unsigned char)value;
		value >>= 8;
		for (int i = 7; i >= 0; i--, value >>= 7)
			to[i] = (unsigned char)(value | 0x80);
		return VARINT_BYTES;
	}
	for (; value; value >>= 7)
		reversed[count++] = (unsigned char)(value & 0x7f);
	for (size_t i = 0; i < count; i++)
		to[i] = (unsigned char)(reversed[count - 1 - i] | (i + 1 < count ? 0x80 : 0));
	return count;
}

size_t varint_get(const unsigned char *from, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < VARINT_BYTES - 1; i++) {
		*value = *value << 7 | (from[i] & 0x7f);
		if (!(from[i] & 0x80))
			return i + 1;
	}
	*value = *value << 8 | from[VARINT_BYTES - 1];
	return VARINT_BYTES;
}

/* --- writing --- */

static unsigned integer_type(int64_t value)
{
	/* By the bytes that a number takes without its sign; 5 and 7 are not among the sizes. */
	static const unsigned char types[] = { 1, 2, 3, 4, 5, 5, SERIAL_INT64, SERIAL_INT64 };
	/* Equal for a number and its complement, which have the same size. */
	uint64_t size = (uint64_t)(value < 0 ? ~value : value);

	if (value == 0 || value == 1)
		return value ? SERIAL_ONE : SERIAL_ZERO;
	return types[(64 - __builtin_clzll(size | 1)) / 8];
}

static uint64_t serial_type(const struct value *value)
{
	switch (value->type) {
	case VALUE_INT: return integer_type(value->integer);
	case VALUE_REAL: return value->real != value->real ? SERIAL_NULL : SERIAL_REAL;
	case VALUE_STRING:
		return value->text ? SERIAL_BLOB + 1 + 2 * strlen(value->text) : SERIAL_NULL;
	case VALUE_BYTES: return SERIAL_BLOB + 2 * value->bytes.count;
	case VALUE_NULL: break;
	}
	return SERIAL_NULL;
}

void record_plan(struct record_plan *plan, const struct value *values, size_t count)
{
	plan->header = plan->body = 0;
	for (size_t i = 0; i < count; i++) {
		plan->types[i] = serial_type(&values[i]);
		plan->header += varint_bytes(plan->types[i]);
		plan->body += record_body(plan->types[i]);
	}
	plan->header += plan->header + 1 < 0x80 ? 1 : 2;
}

/* Writes a value of that type, for a number more bytes than it has; returns how many it has. */
static size_t put_body(unsigned char *to, const struct value *value, uint64_t type)
{
	size_t count = record_body(type);
	uint64_t bits;

	if (type >= SERIAL_BLOB) {
		if (count)
			memcpy(to, value->type == VALUE_BYTES ? value->bytes.start : value->text,
			       count);
		return count;
	}
	if (!count)
		return 0;
	if (type == SERIAL_REAL)
		memcpy(&bits, &value->real, sizeof bits);
	else
		bits = (uint64_t)value->integer << (64 - 8 * count);
	bits = htobe64(bits);
	memcpy(to, &bits, sizeof bits);
	return count;
}

void record_put(unsigned char *to, const struct record_plan *plan, const struct value *values,
		size_t count)
{
	unsigned char *body = to + plan->header;

	to += varint_put(to, plan->header);
	for (size_t i = 0; i < count; i++) {
		if (plan->types[i] < 0x80)
			*to++ = (unsigned char)plan->types[i];
		else
			to += varint_put(to, plan->types[i]);
		body += put_body(body, &values[i], plan->types[i]);
	}
}

/* --- reading --- */

void record_open(struct record_reader *reader, const unsigned char *record)
{
	uint64_t header;

	reader->header = record + varint_get(record, &header);
	reader->end = reader->body = record + header;
}

static int compare_values(const struct value *a, const struct value *b)
{
	size_t both;
	int order;

	if (a->type != b->type || a->type == VALUE_NULL)
		return (int)a->type - (int)b->type;
	if (a->type == VALUE_INT)
		return (a->integer > b->integer) - (a->integer < b->integer);
	both = a->bytes.count < b->bytes.count ? a->bytes.count : b->bytes.count;
	order = both ? memcmp(a->bytes.start, b->bytes.start, both) : 0;
	return order ? order
		: (a->bytes.count > b->bytes.count) - (a->bytes.count < b->bytes.count);
}

int record_compare(const unsigned char *a, const unsigned char *b, size_t columns)
{
	struct record_reader one, other;
	struct value x = V_BYTES(NULL, 0), y = x;
	int order = 0;
	bool text;

	record_open(&one, a);
	record_open(&other, b);
	for (size_t i = 0; i < columns && !order; i++) {
		if (!record_next(&one, &x, &text) || !record_next(&other, &y, &text))
			break;
		order = compare_values(&x, &y);
	}
	return order;
}
