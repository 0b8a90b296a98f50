/* split_lanes.cuh - the tiles of a warp in a ring of shared memory that its lanes fill, for tensor
 * cores (split_tensor.cuh).
 *
 * Keys and values alternate: the keys of a tile and then its values. All lanes copy units of 16
 * bytes (cp.async), zeros past the tile's last key, as soon as the warp has read what was in its
 * place. The copies of a tile are one group, and there is one more group, which may be empty,
 * whenever a tile was read. So the warp's next tile is there when all groups but the last
 * places - 1 are complete.
 *
 * Bulk copies, as in split_ring.cuh, leave rows as they are, and they all begin in the same bank of
 * shared memory. Here the units of a row change places, so that those that lanes load at once are
 * in different banks.
 */
#ifndef SPLIT_LANES_CUH
#define SPLIT_LANES_CUH

#include "kernels/split_walk.cuh"
#include "kernels/tensor_element.cuh"
#include "sim/cuda/async.h"

/* The ring of a block: places of a warp, and floats of the block. */
#define LANES_SIZE ((int)sizeof(split_element))
#ifdef SPLIT_PAIR
#define LANES_BYTES(heads, D) PAIR_BYTES
#elif defined(SPLIT_CLUSTERED)
#define LANES_BYTES(heads, D) (BLOCK_BYTES - 4 * CLUSTER_FLOATS(heads, D))
#else
#define LANES_BYTES(heads, D) BLOCK_BYTES
#endif
#define SOURCE_PLACES(heads, D) TENSOR_PLACES(heads, D, LANES_SIZE, LANES_BYTES(heads, D))
#define SOURCE_FLOATS(heads, D) (SOURCE_PLACES(heads, D) * TENSOR_PLACE(D, LANES_SIZE) / 4)

#define LANES_ROW(D) ((D) * LANES_SIZE)                 /* bytes */
#define LANES_TILE(D) (SPLIT_TILE(D) * LANES_ROW(D))    /* bytes */
#define LANES_UNITS(D) (LANES_ROW(D) / 16)              /* of a row */
#define LANES_SWAP(D) (LANES_UNITS(D) % 8 == 0)         /* else units stay where they are */
#define LANES_SLICES_MAX (256 / 32)
#define UNIT_VECTORS (2 / LANES_SIZE)                   /* 8 elements each */

struct split_source {
	struct split_walk walk;         /* to the tile that is copied next */
	char *tiles;                    /* [places] of the warp */
	int place;                      /* of the keys asked for last; values are in the next one */
	int next;                       /* of the keys to copy next, or whose values are next */
	bool late;                      /* source_begin() left out the last tile, which waits */
	tensor_four query[LANES_SLICES_MAX][2]; /* of the lane: see split_tensor.cuh */
};

typedef const char *split_tile;

/* What the number of a unit of a row is combined with, by exclusive or. So no two units that lanes
 * load at once are in the same banks: of two rows of keys, one after the other, four units each; of
 * the values of keys 0, 2, 4 and 6, two units each; and with e4m3 of four rows of keys, one after
 * the other, two units each. */
INLINE_PIECE int lanes_swap(int row, int D)
{
	return LANES_SWAP(D) ? (row & 6) ^ (row & 1) << 2 : 0;
}

/* The offset of a unit that is `units` further on in a row than that at `at`. */
INLINE_PIECE int lanes_further(int at, int units, int D)
{
	int low = units * 16 & 127;

	return (LANES_SWAP(D) ? at ^ low : at + low) + (units * 16 - low);
}

/* Where a tile has vector c + 4 * j of key g + 8 * i, in lane 4 * g + c. */
INLINE_PIECE const tensor_row *lanes_key(split_tile tile, int i, int j, int D)
{
	int g = threadIdx.x / 4, c = threadIdx.x % 4;
	int unit = c / UNIT_VECTORS ^ lanes_swap(g, D);
	int at = g * LANES_ROW(D) + unit * 16 + c % UNIT_VECTORS * 8;

	return (const tensor_row *)(tile + lanes_further(at, 4 * j / UNIT_VECTORS, D)
				    + 8 * i * LANES_ROW(D));
}

/* Where a tile has vector g + 8 * part of the values of key 2 * c + i % 2 + i / 2 * 8. */
INLINE_PIECE const tensor_row *lanes_value(split_tile tile, int i, int part, int D)
{
	int g = threadIdx.x / 4, row = threadIdx.x % 4 * 2;
	int unit = g / UNIT_VECTORS ^ lanes_swap(row, D);
	int at = row * LANES_ROW(D) + unit * 16 + g % UNIT_VECTORS * 8;

	at = lanes_further(at, 8 * part / UNIT_VECTORS, D) ^ lanes_swap(i % 2, D) * 16;
	return (const tensor_row *)(tile + at + (i % 2 + i / 2 * 8) * LANES_ROW(D));
}

/* Where copies of the lane's units begin: units threadIdx.x + WARP * i of the tile. */
#ifdef SPLIT_OPTIONS
/* With a window or pages, rows may be in several places: lane i knows that of row i. */
INLINE_PIECE int lanes_place(const struct split_walk *walk, int count)
{
	int row = walk->key + min((int)threadIdx.x, count - 1);

	if (row >= walk->sinks)
		row += walk->gap;
	return split_place_of_row(walk->in, walk->sequence, row);
}

INLINE_PIECE const char *lanes_from(const char *rows, int place, int i, int D)
{
	int unit = WARP * i + threadIdx.x;

	return rows + (long long)__shfl_sync(FULL_WARP, place, unit / LANES_UNITS(D)) * LANES_ROW(D)
		+ unit % LANES_UNITS(D) * 16;
}
#else
#define lanes_place(walk, count) (walk)->key
#define lanes_from(rows, place, i, D) \
	((rows) + (long long)(place) * LANES_ROW(D) + threadIdx.x * 16 + WARP * 16 * (i))
#endif

/* Copies the keys or the values of the walk's tile to the next place. */
INLINE_PIECE void lanes_copy(const struct split_source *source, bool values, int D)
{
	const struct split_walk *walk = &source->walk;
	const split_element *all = values ? walk->in->v : walk->in->k;
	const char *rows = (const char *)(all + walk->cache);
	int tile = (source->next + values) * LANES_TILE(D);
	int count = min(walk->end - walk->key, SPLIT_TILE(D)), place = lanes_place(walk, count);
	int units = SPLIT_TILE(D) * LANES_UNITS(D);
	int left = count * LANES_UNITS(D) - (int)threadIdx.x;
	int row = LANES_SWAP(D) ? (int)threadIdx.x / LANES_UNITS(D) : 0;
	int at = threadIdx.x * 16 ^ lanes_swap(row, D) * 16;

#pragma unroll
	for (int i = 0; i < (units + WARP - 1) / WARP; i++) {
		const char *from = lanes_from(rows, place, i, D);
		int swap = lanes_swap(LANES_SWAP(D) ? WARP * i / LANES_UNITS(D) : 0, D);

		if (units % WARP == 0 || WARP * i + (int)threadIdx.x < units)
			async_copy16_once(source->tiles, tile + (at ^ swap * 16) + WARP * 16 * i,
					  from, left > WARP * i);
	}
}

/* Issues the copies of the walk's keys, or of its values; there must be some. */
INLINE_PIECE void lanes_issue(struct split_source *source, bool values, int D, int places)
{
	lanes_copy(source, values, D);
	async_commit();
	if (values) {
		source->next = source->next + 2 == places ? 0 : source->next + 2;
		source->walk.key += SPLIT_STEP(D);
		walk_go_on(&source->walk);
	}
}

/* Whether there are more keys to be copied. If they have to wait, waits. */
INLINE_PIECE bool lanes_more(struct split_walk *walk, int D)
{
	if (walk->key >= walk->end)
		return false;
	if (walk_must_wait(walk, D))
		walk_wait(walk);
	return true;
}

/* Whether the walk is at its last tile. */
INLINE_PIECE bool lanes_last(const struct split_walk *walk, int D)
{
	return walk->key < walk->end && walk->key + SPLIT_STEP(D) >= walk->end
		&& walk->run.count == 0;
}

/* Prepares the ring, of `places` tiles for each warp, for the warp's tiles of `s` and then of
 * `run`, and issues the first copies; the rest is as for walk_begin(). If of them only the walk's
 * last tile has to wait, it is copied when the warp has read the first keys. */
INLINE_PIECE void source_begin(struct split_source *source, const struct split *s,
			       const struct split_launch *in, const struct plan_run *run,
			       int places, bool overlaps, bool last)
{
	struct split_walk *walk = &source->walk;

	walk_begin(walk, s, in, run, overlaps, last);
	walk_go_on(walk);
	source->tiles = (char *)s->tiles + (int)threadIdx.y * places * LANES_TILE(s->D);
	source->place = -2;
	source->next = 0;
	source->late = false;
#pragma unroll 1
	for (int i = 0; i < places; i += 2) {
		source->late = i > 0 && lanes_last(walk, s->D) && walk_must_wait(walk, s->D);
		if (!source->late && lanes_more(walk, s->D)) {
			lanes_issue(source, false, s->D, places);
			lanes_issue(source, true, s->D, places);
		} else {
			async_commit();
			async_commit();
		}
	}
}

/* Waits for the next tile's keys, or for its values. `places`, a constant, is that of
 * source_begin(). */
#define source_wait(source, values, places) do { \
	if (!(values)) \
		(source)->place = (source)->place + 2 == (places) ? 0 : (source)->place + 2; \
	async_wait((places) - 1); \
	__syncwarp(); \
} while (0)

INLINE_PIECE split_tile source_tile(const struct split_source *source, bool values, int D)
{
	return source->tiles + (source->place + values) * LANES_TILE(D);
}

/* The warp has read the keys. */
INLINE_PIECE void source_release_keys(struct split_source *source, int D, int places)
{
	__syncwarp();
	if (lanes_more(&source->walk, D))
		lanes_issue(source, false, D, places);
	else
		async_commit();
}

/* The warp has read the values. */
INLINE_PIECE void source_release_values(struct split_source *source, int D, int places)
{
	__syncwarp();
	if (source->walk.key < source->walk.end)
		lanes_issue(source, true, D, places);
	else
		async_commit();
	if (source->late) {             /* so many groups come after the last tile's keys */
#pragma unroll 1
		for (int i = 2; i < places; i++)
			async_commit();
	}
}

#endif
