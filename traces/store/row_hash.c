/* row_hash.c - hashes the values of rows; see row_hash.h. */
#include "traces/store/row_hash.h"

#include <endian.h>
#include <string.h>

#include <sqlite3.h>

#include "base/xalloc.h"

static void flush(struct row_hash *h)
{
	XXH3_64bits_update(h->hash, h->bytes, h->used);
	h->used = 0;
}

void row_hash_begin(struct row_hash *h)
{
	h->hash = xcheck(XXH3_createState());
	h->used = 0;
	XXH3_64bits_reset(h->hash);
}

/* Adds the byte of the type, and makes room for `more` bytes after it. */
static unsigned char *add_type(struct row_hash *h, int type, size_t more)
{
	unsigned char *to;

	if (sizeof h->bytes - h->used < 1 + more)
		flush(h);
	to = h->bytes + h->used;
	*to = (unsigned char)type;
	h->used += 1 + more;
	return to + 1;
}

static void add_word(struct row_hash *h, int type, uint64_t word)
{
	word = htole64(word);
	memcpy(add_type(h, type, sizeof word), &word, sizeof word);
}

void row_hash_null(struct row_hash *h)
{
	add_type(h, SQLITE_NULL, 0);
}

void row_hash_integer(struct row_hash *h, int64_t value)
{
	add_word(h, SQLITE_INTEGER, (uint64_t)value);
}

void row_hash_real(struct row_hash *h, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	add_word(h, SQLITE_FLOAT, bits);
}

void row_hash_bytes(struct row_hash *h, int type, const void *bytes, size_t count)
{
	add_word(h, type, count);
	if (count <= sizeof h->bytes - h->used) {
		if (count)
			memcpy(h->bytes + h->used, bytes, count);
		h->used += count;
		return;
	}
	flush(h);
	XXH3_64bits_update(h->hash, bytes, count);
}

uint64_t row_hash_end(struct row_hash *h)
{
	uint64_t hash;

	flush(h);
	hash = XXH3_64bits_digest(h->hash);
	XXH3_freeState(h->hash);
	return hash;
}
