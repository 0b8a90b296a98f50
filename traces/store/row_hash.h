/* row_hash.h - the hash of rows that a sum is: XXH3, 64 bits.
 *
 * Each value is a byte for its type, as SQLite numbers them (1 integer, 2 real, 3 text, 4 blob, 5
 * NULL), followed by: 8 bytes of an integer or double, little-endian; or the length of a text or
 * blob in 8 bytes, little-endian, and its bytes. Used by store_sums.c and bulk_sum.c.
 */
#ifndef ROW_HASH_H
#define ROW_HASH_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <sqlite3.h>
#include <xxhash.h>

struct row_hash {
	XXH3_state_t *hash;
	size_t used;                    /* of what is still to be hashed, since many small parts */
	unsigned char bytes[8192];      /* would take longer */
};

void row_hash_begin(struct row_hash *);
/* Hashes what is in `bytes`. */
void row_hash_flush(struct row_hash *);

/* Adds the byte of a type, and makes room for `more` bytes after it. Inline like those below:
 * sums walk all values. */
static inline unsigned char *row_hash_type(struct row_hash *h, int type, size_t more)
{
	unsigned char *to;

	if (sizeof h->bytes - h->used < 1 + more)
		row_hash_flush(h);
	to = h->bytes + h->used;
	*to = (unsigned char)type;
	h->used += 1 + more;
	return to + 1;
}

static inline void row_hash_word(struct row_hash *h, int type, uint64_t word)
{
	word = htole64(word);
	memcpy(row_hash_type(h, type, sizeof word), &word, sizeof word);
}

static inline void row_hash_null(struct row_hash *h)
{
	row_hash_type(h, SQLITE_NULL, 0);
}

static inline void row_hash_integer(struct row_hash *h, int64_t value)
{
	row_hash_word(h, SQLITE_INTEGER, (uint64_t)value);
}

static inline void row_hash_real(struct row_hash *h, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	row_hash_word(h, SQLITE_FLOAT, bits);
}

/* type: SQLITE_TEXT or SQLITE_BLOB; bytes may be NULL if there are none. */
void row_hash_bytes(struct row_hash *, int type, const void *bytes, size_t count);
/* Returns the hash and frees what row_hash_begin() made. */
uint64_t row_hash_end(struct row_hash *);

#endif
