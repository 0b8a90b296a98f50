/* hash_map.h - from 128-bit content hashes to row ids. Grows; never shrinks, forgets nothing. */
#ifndef HASH_MAP_H
#define HASH_MAP_H

#include <stddef.h>
#include <stdint.h>

#include <xxhash.h>

/* All zero is an empty map. */
struct hash_map {
	struct hash_slot {
		XXH128_hash_t key;
		int64_t value;          /* 0: a free slot */
	} *slots;
	size_t count, capacity;
};

int64_t hash_map_find(const struct hash_map *, XXH128_hash_t key);      /* 0: not there */
/* The key must not be there yet; value is not 0. */
void hash_map_add(struct hash_map *, XXH128_hash_t key, int64_t value);
void hash_map_free(struct hash_map *);

#endif
