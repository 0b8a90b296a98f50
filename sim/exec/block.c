/* block.c - sets up one resident block: its thread indices and its shared-memory arena.
 *
 * The arena ends at a guard page, so a kernel that runs past its shared memory faults. It is filled
 * with poison before every block.
 */
#include "config.h"

#include "sim/exec/block.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "engine/device.h"
#include "sim/exec/async.h"
#include "sim/exec/mix.h"
#include "sim/exec/named.h"
#include "sim/exec/whole.h"
#include "sim/exec/worker.h"

#define ARENA_ALIGNMENT 128             /* the maximum alignment of a shared variable */
#define CLUSTER_GUARD (1 << 20)         /* after the arena of a block that others reach */

struct block *block_create(void)
{
	struct block *block = xcalloc(1, sizeof *block);

	block->warps = xcheck(aligned_alloc(64, MAX_WARPS * sizeof *block->warps));
	memset(block->warps, 0, MAX_WARPS * sizeof *block->warps);
	return block;
}

static void arena_unmap(struct block *block)
{
	if (block->arena && !block->arena_lent)
		munmap(block->arena, block->arena_bytes + block->guard_bytes);
	block->arena = NULL;
	block->arena_bytes = block->guard_bytes = 0;
	block->arena_closed = false;
}

void block_destroy(struct block *block)
{
	if (!block)
		return;
	arena_unmap(block);
	for (unsigned t = 0; t < MAX_WARPS * WARP_LANES; t++)
		async_free(&block->warps[t / WARP_LANES].lanes[t % WARP_LANES]);
	async_free_block(block);
	free(block->named);
	block->named = NULL;
	whole_free(block);
	free(block->warps);
	free(block);
}

/* A checked block gets its memory from the listener: once, at the largest possible size. */
static bool arena_borrow(struct block *block, struct listener *listener)
{
	if (block->arena_lent)
		return true;
	arena_unmap(block);
	block->arena = listener->calls->arena(listener, LISTENER_ARENA);
	block->arena_bytes = LISTENER_ARENA;
	block->arena_lent = block->arena != NULL;
	return block->arena_lent;
}

/* Maps an arena of whole pages followed by a guard page, or more if other blocks reach it. */
static bool arena_map(struct block *block, size_t bytes, bool shown)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), guard = shown ? CLUSTER_GUARD : page;
	unsigned char *base;

	bytes = (bytes + page - 1) / page * page;
	if (block->arena_closed
	    && mprotect(block->arena, block->arena_bytes, PROT_READ | PROT_WRITE) != 0)
		return false;
	block->arena_closed = false;
	if (block->arena && block->arena_bytes >= bytes && block->guard_bytes >= guard)
		return true;
	arena_unmap(block);
	base = mmap(NULL, bytes + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	if (base == MAP_FAILED)
		return false;
	if (mprotect(base + bytes, guard, PROT_NONE) != 0) {
		munmap(base, bytes + guard);
		return false;
	}
	block->arena = base;
	block->arena_bytes = bytes;
	block->guard_bytes = guard;
	return true;
}

static bool place_shared(struct block *block, const struct grid *grid)
{
	size_t fixed = (grid->static_bytes + 15) / 16 * 16;
	size_t total = fixed + grid->dynamic_bytes;
	uint32_t *words;

	total = (total + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
	if (!(grid->listener ? arena_borrow(block, grid->listener)
	      : arena_map(block, total, grid->cluster_size > 1)))
		return false;
	block->view.shared = block->arena + block->arena_bytes - total;
	block->view.dynamic = block->view.shared + fixed;
	block->view.shared_end = block->view.shared + total;
	words = (uint32_t *)(void *)block->view.shared;
	for (size_t i = 0; i < total / 4; i++)
		words[i] = DEVICE_POISON;
	return true;
}

/* Sets everything about the threads that is the same for all blocks of a launch. */
static void shape_threads(struct block *block, struct dim3 dim)
{
	struct dim3 at = { 0, 0, 0 };

	block->view.dim = dim;
	block->threads = dim.x * dim.y * dim.z;
	block->warp_count = (block->threads + WARP_LANES - 1) / WARP_LANES;
	for (unsigned t = 0; t < block->warp_count * WARP_LANES; t++) {
		struct warp *warp = &block->warps[t / WARP_LANES];
		struct lane *lane = &warp->lanes[t % WARP_LANES];

		warp->block = block;
		warp->number = t / WARP_LANES;
		lane->view = (struct ft_thread_view){ .index = at, .block = &block->view };
		lane->warp = warp;
		lane->bit = 1u << t % WARP_LANES;
		if (++at.x == dim.x) {
			at.x = 0;
			if (++at.y == dim.y) {
				at.y = 0;
				at.z++;
			}
		}
	}
}

/* A pseudo-random permutation of [0, n) chosen by seed: four Feistel rounds on the smallest even
 * number of bits that holds n, repeated until the image is in range (cycle walking, Black and
 * Rogaway 2002). */
static uint64_t permuted(uint64_t i, uint64_t n, uint64_t seed)
{
	unsigned half = 1;

	while (half < 32 && (n - 1) >> (2 * half))
		half++;
	do {
		uint64_t mask = (1ull << half) - 1, left = i >> half, right = i & mask;

		for (unsigned round = 0; round < 4; round++) {
			uint64_t next = left ^ (mix(seed + round, right) & mask);

			left = right;
			right = next;
		}
		i = left << half | right;
	} while (i >= n);
	return i;
}

/* Its index: the clusters of a grid are taken in order or by the seed, their blocks by rank. */
static void place_in_grid(struct block *block, const struct grid *grid, uint64_t order)
{
	struct dim3 of = grid->cluster, clusters = {
		grid->dim.x / of.x, grid->dim.y / of.y, grid->dim.z / of.z,
	};
	uint64_t cluster = order / grid->cluster_size;
	unsigned rank = (unsigned)(order % grid->cluster_size);

	if (grid->seed)
		cluster = permuted(cluster, grid->blocks / grid->cluster_size, grid->seed);
	block->view.grid = grid->dim;
	block->view.cluster = of;
	block->view.cluster_rank = rank;
	block->view.index.x = (unsigned)(cluster % clusters.x) * of.x + rank % of.x;
	block->view.index.y = (unsigned)(cluster / clusters.x % clusters.y) * of.y
		+ rank / of.x % of.y;
	block->view.index.z = (unsigned)(cluster / clusters.x / clusters.y) * of.z
		+ rank / of.x / of.y;
}

bool block_begin(struct block *block, struct grid *grid, uint64_t order)
{
	if (memcmp(&block->view.dim, &grid->block, sizeof grid->block) != 0)
		shape_threads(block, grid->block);
	if (!place_shared(block, grid))
		return false;
	block->order = order;
	block->alive = block->threads;
	block->arrived = block->votes = 0;
	block->view.points = grid->points;
	place_in_grid(block, grid, order);
	if (block->named)
		named_begin(block);
	if (block->bulk)
		async_reset_block(block);
	for (unsigned i = 0; i < block->warp_count; i++) {
		struct warp *warp = &block->warps[i];
		unsigned lanes = block->threads - i * WARP_LANES;

		warp->runnable = lanes >= WARP_LANES ? 0xffffffffu : (1u << lanes) - 1;
		warp->exited = ~warp->runnable;
		warp->at_barrier = warp->at_active = warp->at_grid = 0;
		warp->at_arrivals = warp->at_cluster = 0;
		warp->meeting_count = 0;
		warp->direct = grid->seed == 0 && !grid->listener;
		for (unsigned l = 0; l < WARP_LANES; l++) {
			warp->lanes[l].fiber = NULL;
			warp->lanes[l].poll = (struct lane_poll){ 0 };
			warp->lanes[l].loops = NULL;
			warp->lanes[l].arrivals = warp->lanes[l].waits = 0;
			warp->lanes[l].fenced = false;
			if (warp->lanes[l].async)
				async_reset(&warp->lanes[l]);
		}
	}
	whole_begin(block, grid);
	LISTENER_CALL(grid->listener, block_begin, block, grid->static_bytes,
		      grid->dynamic_bytes);
	return true;
}
