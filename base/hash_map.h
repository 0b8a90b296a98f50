/* hash_map.h - maps 128-bit content hashes to row ids. Entries cannot be removed. */
#ifndef HASH_MAP_H
#define HASH_MAP_H

#include <stddef.h>
#include <stdint.h>

#include <xxhash.h>

/* A map initialised to zero is empty. */
struct hash_map {
	struct hash_slot {
		XXH128_hash_t key;
		int64_t value;          /* 0 if the slot is free */
	} *slots;
	size_t count, capacity;
};

int64_t hash_map_find(const struct hash_map *, XXH128_hash_t key);      /* 0 if not found */
/* The key must not be in the map yet, and the value must not be 0. */
void hash_map_add(struct hash_map *, XXH128_hash_t key, int64_t value);
void hash_map_free(struct hash_map *);

#endif
