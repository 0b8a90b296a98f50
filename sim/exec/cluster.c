/* cluster.c - clusters of blocks: their barrier, and the shared memory of their blocks.
 *
 * A thread arrives at the barrier and waits there later; it completes when every thread of the
 * cluster that has not exited has arrived. A block's shared memory stays as long as the cluster,
 * but once all its threads have exited, an access by another block is a fault, because on a GPU it
 * may be gone. Used by schedule.c and by the built-ins in sim/cuda/cluster.h.
 */
#include "config.h"

#include "sim/exec/cluster.h"

#include <stdio.h>
#include <sys/mman.h>

#include "sim/exec/async.h"
#include "sim/exec/schedule.h"

#define MAX_SHARED (228 << 10)          /* of a block, and what the GPU keeps for itself */

/* --- blocks --- */

void cluster_begin(struct block *first, unsigned size)
{
	first->own_cluster = (struct cluster){ .size = size };
}

void cluster_join(struct block *first, struct block *block, unsigned rank)
{
	block->cluster = &first->own_cluster;
	first->own_cluster.blocks[rank] = block;
}

void cluster_ready(struct block *first)
{
	struct cluster *cluster = &first->own_cluster;

	cluster->alive = cluster->missing = cluster->size * first->threads;
}

static bool contains(const struct block *block, const void *address)
{
	const unsigned char *at = address;

	return at >= block->view.shared && at <= block->arena + block->arena_bytes;
}

struct block *cluster_owner(const struct cluster *cluster, const void *address)
{
	for (unsigned i = 0; i < cluster->size; i++)
		if (contains(cluster->blocks[i], address))
			return cluster->blocks[i];
	return NULL;
}

/* On an H100 an access 80,000 bytes past another block's shared memory, or of a block that has
 * exited, ends the launch with error 719, one 400,000 bytes past it with 700. */
const char *cluster_fault(const struct block *running, const void *address)
{
	const struct cluster *cluster = running->cluster;
	const unsigned char *at = address;

	for (unsigned i = 0; i < cluster->size; i++) {
		const struct block *block = cluster->blocks[i];

		if (block == running || at < block->view.shared
		    || at >= block->view.shared + MAX_SHARED)
			continue;
		return at < block->arena + block->arena_bytes
			? "access to the shared memory of a block that has exited"
			: "access past the end of another block's shared memory";
	}
	return NULL;
}

/* A listener sees every access: it needs no fault. */
static void exit_block(struct block *block)
{
	struct listener *listener = worker_self->grid->listener;

	LISTENER_CALL(listener, cluster_exit, block);
	if (async_reads_from(block))
		worker_abort(worker_self, 719, "a block of a cluster exited while a bulk copy had "
			     "yet to read its shared memory");
	if (!listener && block->cluster->alive > 0
	    && mprotect(block->arena, block->arena_bytes, PROT_NONE) == 0)
		block->arena_closed = true;
}

/* --- the barrier --- */

static void complete(struct cluster *cluster)
{
	LISTENER_CALL(worker_self->grid->listener, cluster_release, cluster);
	cluster->phase++;
	cluster->missing = cluster->alive;
	for (unsigned b = 0; b < cluster->size; b++)
		for (unsigned i = 0; i < cluster->blocks[b]->warp_count; i++) {
			struct warp *warp = &cluster->blocks[b]->warps[i];

			warp->runnable |= warp->at_cluster;
			warp->at_cluster = 0;
		}
	worker_progress(worker_self);
}

void cluster_exit(struct lane *lane)
{
	struct block *block = lane->warp->block;
	struct cluster *cluster = block->cluster;

	cluster->alive--;
	if (lane->arrivals == cluster->phase && --cluster->missing == 0 && cluster->alive > 0)
		complete(cluster);
	if (block->alive == 0 && (cluster->size > 1 || cluster->check))
		exit_block(block);
}

void ft_cluster_arrive(const struct ft_site *site, int releases)
{
	struct lane *lane = lane_current();
	struct cluster *cluster = lane->warp->block->cluster;

	lane->site = site;
	if (lane->arrivals != lane->waits)
		ft_trap(719, "a second arrival at the barrier of a cluster without a wait",
			site->file, site->line);
	LISTENER_CALL(worker_self->grid->listener, cluster_arrive, lane, releases || lane->fenced);
	lane->fenced = false;
	lane->arrivals++;
	if (--cluster->missing == 0)
		complete(cluster);
}

void ft_cluster_wait(const struct ft_site *site)
{
	struct lane *lane = lane_current();
	struct cluster *cluster = lane->warp->block->cluster;

	lane->site = site;
	if (lane->arrivals == lane->waits)
		ft_trap(719, "a wait at the barrier of a cluster without an arrival", site->file,
			site->line);
	LISTENER_CALL(worker_self->grid->listener, pause);
	if (lane->arrivals > cluster->phase) {
		lane->warp->at_cluster |= lane->bit;
		schedule_wait_here(worker_self, lane);
	}
	lane->waits++;
	LISTENER_CALL(worker_self->grid->listener, cluster_leave, lane);
}

void ft_cluster_sync(const struct ft_site *site)
{
	ft_cluster_arrive(site, 1);
	ft_cluster_wait(site);
}

void ft_cluster_fence(void)
{
	lane_current()->fenced = true;
}

/* --- shared memory --- */

void *ft_cluster_map(const void *shared, unsigned rank)
{
	const struct cluster *cluster = lane_current()->warp->block->cluster;
	const struct block *owner = cluster_owner(cluster, shared);
	uintptr_t pc = (uintptr_t)__builtin_return_address(0);
	char text[160];

	if (rank >= cluster->size) {
		snprintf(text, sizeof text, "rank %u in a cluster of %u blocks", rank,
			 cluster->size);
		worker_abort_at(worker_self, 719, pc, text);
	}
	if (!owner) {
		snprintf(text, sizeof text, "%p is not in the shared memory of the cluster",
			 shared);
		worker_abort_at(worker_self, 700, pc, text);
	}
	return cluster->blocks[rank]->view.shared
		+ ((const unsigned char *)shared - owner->view.shared);
}

void *ft_cluster_at(unsigned rank, size_t offset)
{
	const struct cluster *cluster = lane_current()->warp->block->cluster;

	return rank < cluster->size ? cluster->blocks[rank]->view.shared + offset : NULL;
}

int ft_cluster_rank_of(const void *address)
{
	const struct block *owner = cluster_owner(lane_current()->warp->block->cluster, address);

	return owner ? (int)owner->view.cluster_rank : -1;
}
