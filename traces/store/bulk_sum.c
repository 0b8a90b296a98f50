/* bulk_sum.c - hashes the rows of a table; see bulk_sum.h. */
#include "traces/store/bulk_sum.h"

#include <endian.h>
#include <string.h>

#include <xxhash.h>

#include "base/xalloc.h"
#include "traces/store/record.h"
#include "traces/store/store_internal.h"
#include "traces/store/store_sums.h"

/* What is to be hashed, collected because the hash takes longer for many small parts. */
struct gathered {
	XXH3_state_t *hash;
	size_t used;
	unsigned char bytes[8192];
};

static void flush(struct gathered *g)
{
	XXH3_64bits_update(g->hash, g->bytes, g->used);
	g->used = 0;
}

static void gather(struct gathered *g, int type, uint64_t word, const void *bytes, size_t count)
{
	unsigned char *to;

	if (sizeof g->bytes - g->used < 1 + sizeof word + count)
		flush(g);
	to = g->bytes + g->used;
	*to = (unsigned char)type;
	g->used++;
	if (type == SQLITE_NULL)
		return;
	word = htole64(word);
	memcpy(to + 1, &word, sizeof word);
	g->used += sizeof word;
	if (count <= sizeof g->bytes - g->used) {
		if (count)
			memcpy(g->bytes + g->used, bytes, count);
		g->used += count;
		return;
	}
	flush(g);
	XXH3_64bits_update(g->hash, bytes, count);
}

static void gather_value(struct gathered *g, const struct value *value, bool text)
{
	const void *bytes = NULL;
	int type = SQLITE_NULL;
	uint64_t word = 0;
	size_t count = 0;

	if (value->type == VALUE_INT) {
		type = SQLITE_INTEGER;
		word = (uint64_t)value->integer;
	} else if (value->type == VALUE_REAL) {
		type = SQLITE_FLOAT;
		memcpy(&word, &value->real, sizeof word);
	} else if (value->type == VALUE_BYTES) {
		type = text ? SQLITE_TEXT : SQLITE_BLOB;
		bytes = value->bytes.start;
		word = count = value->bytes.count;
	}
	gather(g, type, word, bytes, count);
}

/* Adds a row, if it is of this run or run is SUM_SHARED. */
static bool gather_row(struct gathered *g, const struct cell *cell, bool rowids, int64_t run)
{
	struct record_reader reader;
	struct value value;
	int64_t rowid;
	bool text;

	record_open(&reader, cell_record(cell, rowids, &rowid));
	if (!record_next(&reader, &value, &text))
		return false;
	if (rowids)
		value = V_INT(rowid);
	if (run != SUM_SHARED && value.integer != run)
		return false;
	do
		gather_value(g, &value, text);
	while (record_next(&reader, &value, &text));
	return true;
}

uint64_t bulk_sum(const struct cell *cells, size_t count, bool rowids, int64_t run, int64_t *rows)
{
	struct gathered g;
	uint64_t sum;

	g.hash = xcheck(XXH3_createState());
	g.used = 0;
	XXH3_64bits_reset(g.hash);
	*rows = 0;
	for (size_t i = 0; i < count; i++)
		*rows += gather_row(&g, &cells[i], rowids, run);
	flush(&g);
	sum = XXH3_64bits_digest(g.hash);
	XXH3_freeState(g.hash);
	return sum;
}
