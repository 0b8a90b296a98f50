/* row_hash.h - the hash of rows that a sum is: XXH3, 64 bits.
 *
 * Each value is a byte for its type, as SQLite numbers them (1 integer, 2 real, 3 text, 4 blob, 5
 * NULL), followed by: 8 bytes of an integer or double, little-endian; or the length of a text or
 * blob in 8 bytes, little-endian, and its bytes. Used by store_sums.c and bulk_sum.c.
 */
#ifndef ROW_HASH_H
#define ROW_HASH_H

#include <stddef.h>
#include <stdint.h>

#include <xxhash.h>

struct row_hash {
	XXH3_state_t *hash;
	size_t used;                    /* of what is still to be hashed, since many small parts */
	unsigned char bytes[8192];      /* would take longer */
};

void row_hash_begin(struct row_hash *);
void row_hash_null(struct row_hash *);
void row_hash_integer(struct row_hash *, int64_t);
void row_hash_real(struct row_hash *, double);
/* type: SQLITE_TEXT or SQLITE_BLOB; bytes may be NULL if there are none. */
void row_hash_bytes(struct row_hash *, int type, const void *bytes, size_t count);
/* Returns the hash and frees what row_hash_begin() made. */
uint64_t row_hash_end(struct row_hash *);

#endif
