/* store_running.c - sums of the rows of an expendable trace, added up while they are inserted.
 *
 * A sum is over the rows in the order of the key, as store_sums.h defines it. Where rows arrive in
 * this order and stay as they are, nothing needs to be read again at the end of the run. Any other
 * table is summed by reading it. Used by store_sql.c and store_sums.c.
 */
#include "traces/store/store_internal.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/xalloc.h"

#define MAX_KEY 8               /* columns that are compared, at least those of every key */

struct running {
	XXH3_state_t *hash;     /* NULL: no row */
	int64_t rows, key[MAX_KEY];
	bool useless;
};

void store_running_free(struct store *store)
{
	for (int i = 0; store->running && i < TABLE_COUNT; i++)
		XXH3_freeState(store->running[i].hash);
	free(store->running);
	store->running = NULL;
}

void store_running_spoil(struct store *store, enum table table)
{
	if (store->running)
		store->running[table].useless = true;
}

/* Whether the row comes after the last one; takes its key. */
static bool ascends(struct running *sum, const struct value *values, size_t count, int64_t id)
{
	bool after = sum->rows == 0;

	for (size_t i = 0; i < count && i < MAX_KEY; i++) {
		bool is_id = i == 0 && values[i].type == VALUE_NULL;
		int64_t key = is_id ? id : values[i].integer;

		if (!is_id && values[i].type != VALUE_INT)
			return after;
		if (!after && key < sum->key[i])
			return false;
		after = after || key > sum->key[i];
		sum->key[i] = key;
	}
	return after;
}

/* What is to be hashed, collected because the hash takes longer for many small parts. */
struct gathered {
	XXH3_state_t *hash;
	size_t used;
	unsigned char bytes[512];
};

static void flush(struct gathered *g)
{
	XXH3_64bits_update(g->hash, g->bytes, g->used);
	g->used = 0;
}

static void add_bytes(struct gathered *g, const void *bytes, size_t count)
{
	if (sizeof g->bytes - g->used < count)
		flush(g);
	if (count > sizeof g->bytes) {
		XXH3_64bits_update(g->hash, bytes, count);
		return;
	}
	memcpy(g->bytes + g->used, bytes, count);
	g->used += count;
}

static void add(struct gathered *g, unsigned char type, uint64_t word, const void *bytes,
		size_t count)
{
	unsigned char head[1 + sizeof word] = { type };

	word = htole64(word);
	memcpy(head + 1, &word, sizeof word);
	add_bytes(g, head, type == SQLITE_NULL ? 1 : sizeof head);
	if (count)
		add_bytes(g, bytes, count);
}

/* False if it cannot be known what the row will hold: a column of reals makes 0 of -0. */
static bool add_value(struct gathered *g, const struct value *value)
{
	uint64_t bits;

	switch (value->type) {
	case VALUE_INT:
		add(g, SQLITE_INTEGER, (uint64_t)value->integer, NULL, 0);
		return true;
	case VALUE_REAL:
		if (value->real == 0)
			return false;
		memcpy(&bits, &value->real, sizeof bits);
		if (value->real != value->real)
			add(g, SQLITE_NULL, 0, NULL, 0);
		else
			add(g, SQLITE_FLOAT, bits, NULL, 0);
		return true;
	case VALUE_STRING:
		if (!value->text)
			add(g, SQLITE_NULL, 0, NULL, 0);
		else
			add(g, SQLITE_TEXT, strlen(value->text), value->text,
			    strlen(value->text));
		return true;
	case VALUE_BYTES:
		add(g, SQLITE_BLOB, value->bytes.count, value->bytes.start, value->bytes.count);
		return true;
	case VALUE_NULL: break;
	}
	add(g, SQLITE_NULL, 0, NULL, 0);
	return true;
}

void store_running_add(struct store *store, enum table table, const struct value *values,
		       size_t count)
{
	struct gathered row;
	int64_t id = sqlite3_last_insert_rowid(store->db);
	const struct value key = V_INT(id);
	struct running *sum;

	if (!store->running)
		store->running = xcalloc(TABLE_COUNT, sizeof *store->running);
	sum = &store->running[table];
	if (!sum->hash) {
		sum->hash = xcheck(XXH3_createState());
		XXH3_64bits_reset(sum->hash);
	}
	sum->useless = sum->useless || !ascends(sum, values, count, id);
	row.hash = sum->hash;
	row.used = 0;
	for (size_t i = 0; i < count && !sum->useless; i++)
		sum->useless = !add_value(&row, i == 0 && values[i].type == VALUE_NULL
					  ? &key : &values[i]);
	flush(&row);
	sum->rows++;
}

bool store_running_sum(const struct store *store, enum table table, int64_t *rows, uint64_t *hash)
{
	const struct running *sum = store->running ? &store->running[table] : NULL;

	/* Sums are for each run. */
	if (!sum || sum->useless || store->run_count != 1)
		return false;
	*rows = sum->rows;
	*hash = sum->hash ? XXH3_64bits_digest(sum->hash) : XXH3_64bits("", 0);
	return true;
}
