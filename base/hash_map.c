/* hash_map.c - a hash map with open addressing and linear probing; its keys are already hashes.
 *
 * It is never written to a file: reading a trace needs no index on its hashes. Used by the trace
 * store, which stores equal contents once.
 */
#include "base/hash_map.h"

#include <stdlib.h>

#include "base/xalloc.h"

/* The slot that holds the key, or the free slot where it belongs. */
static struct hash_slot *slot_of(const struct hash_map *map, XXH128_hash_t key)
{
	size_t mask = map->capacity - 1;
	size_t at = (size_t)key.low64 & mask;

	while (map->slots[at].value && (map->slots[at].key.low64 != key.low64
					|| map->slots[at].key.high64 != key.high64))
		at = (at + 1) & mask;
	return &map->slots[at];
}

static void grow(struct hash_map *map)
{
	struct hash_map old = *map;

	map->capacity = old.capacity ? 2 * old.capacity : 256;
	map->slots = xcalloc(map->capacity, sizeof *map->slots);
	for (size_t i = 0; i < old.capacity; i++)
		if (old.slots[i].value)
			*slot_of(map, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

int64_t hash_map_find(const struct hash_map *map, XXH128_hash_t key)
{
	return map->capacity ? slot_of(map, key)->value : 0;
}

void hash_map_add(struct hash_map *map, XXH128_hash_t key, int64_t value)
{
	if (3 * (map->count + 1) > 2 * map->capacity)
		grow(map);
	*slot_of(map, key) = (struct hash_slot){ key, value };
	map->count++;
}

void hash_map_free(struct hash_map *map)
{
	free(map->slots);
	*map = (struct hash_map){ 0 };
}
