/* row_hash.c - hashes the values of rows; see row_hash.h. */
#include "traces/store/row_hash.h"

#include "base/xalloc.h"

void row_hash_flush(struct row_hash *h)
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

void row_hash_bytes(struct row_hash *h, int type, const void *bytes, size_t count)
{
	row_hash_word(h, type, count);
	if (count <= sizeof h->bytes - h->used) {
		if (count)
			memcpy(h->bytes + h->used, bytes, count);
		h->used += count;
		return;
	}
	row_hash_flush(h);
	XXH3_64bits_update(h->hash, bytes, count);
}

uint64_t row_hash_end(struct row_hash *h)
{
	uint64_t hash;

	row_hash_flush(h);
	hash = XXH3_64bits_digest(h->hash);
	XXH3_freeState(h->hash);
	return hash;
}
