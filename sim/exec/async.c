/* async.c - asynchronous copies to shared memory, like cp.async, that complete only at their wait.
 *
 * Until the thread waits for a copy's group, the destination holds poison and the checker treats it
 * as never written, so a kernel that forgets the wait does not work by accident. The copy takes the
 * contents that the source has at the wait. Bulk copies are made of pieces of 16 bytes; those to
 * shared memory belong to a barrier, and land when a thread of the barrier's block waits for it, as
 * asynchronous stores to the shared memory of a cluster do. Used by the built-ins in
 * sim/cuda/cuda_c.h, sim/cuda/async.h, sim/cuda/cluster.h and inline PTX.
 */
#include "config.h"

#include "sim/exec/async.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/device.h"
#include "sim/exec/worker.h"

#define PIECE 16                        /* the largest copy that is one access */

struct copy {
	void *to;
	const void *from;
	size_t bytes, zeros;            /* total size; of it, bytes at the end filled with zeros */
	uintptr_t pc;                   /* of the call */
	unsigned group;
};

/* Pending copies, in the order of the calls. */
struct copies {
	struct copy *at;
	size_t count, capacity;
	unsigned group;                 /* the open group; lower numbers are committed */
};

/* Of one thread. */
struct async_queue {
	struct copies copies, stores;   /* stores: bulk copies from shared memory */
};

/* Bulk copies and stores to shared memory for the barriers of a block, each until it lands. */
struct bulk_load {
	struct copy copy;               /* of a store: from NULL */
	unsigned char value[PIECE];     /* of a store */
	const void *barrier;
	struct lane *lane;              /* that called */
	uint64_t begun;                 /* its number; 0: not yet */
};
struct bulk_loads {
	struct bulk_load *at;
	size_t count, capacity;
	uint64_t begun;                 /* the last number */
};

void async_reset(struct lane *lane)
{
	lane->async->copies.count = lane->async->stores.count = 0;
	lane->async->copies.group = lane->async->stores.group = 0;
}

void async_free(struct lane *lane)
{
	if (lane->async) {
		free(lane->async->copies.at);
		free(lane->async->stores.at);
	}
	free(lane->async);
	lane->async = NULL;
}

void async_reset_block(struct block *block)
{
	block->bulk->count = 0;
}

void async_free_block(struct block *block)
{
	if (block->bulk)
		free(block->bulk->at);
	free(block->bulk);
	block->bulk = NULL;
}

bool async_reads_from(const struct block *block)
{
	const struct cluster *cluster = block->cluster;

	for (unsigned b = 0; b < cluster->size; b++) {
		const struct bulk_loads *loads = cluster->blocks[b]->bulk;

		for (size_t i = 0; loads && i < loads->count; i++)
			if (loads->at[i].copy.from
			    && cluster_owner(cluster, loads->at[i].copy.from) == block)
				return true;
	}
	return false;
}

static struct async_queue *queue_of(struct lane *lane)
{
	if (!lane->async)
		lane->async = xcalloc(1, sizeof *lane->async);
	return lane->async;
}

/* --- one copy --- */

static void begin(const struct copy *copy, bool piece)
{
	const uint32_t poison = DEVICE_POISON;
	uintptr_t places = (uintptr_t)copy->to | (uintptr_t)copy->from;

	LISTENER_CALL(worker_self->grid->listener, async_begin, copy->to, copy->from, copy->bytes,
		      copy->bytes - copy->zeros, piece, copy->pc);
	if (places & (copy->bytes - 1))
		worker_abort(worker_self, 716, "misaligned address in an asynchronous copy");
	for (size_t i = 0; i < copy->bytes; i += sizeof poison)
		memcpy((unsigned char *)copy->to + i, &poison, sizeof poison);
}

static void note_end(const struct copy *copy, struct lane *began)
{
	LISTENER_CALL(worker_self->grid->listener, async_end, began, copy->to, copy->from,
		      copy->bytes, copy->bytes - copy->zeros, copy->pc);
}

static void complete(const struct copy *copy, struct lane *began)
{
	size_t copied = copy->bytes - copy->zeros;

	note_end(copy, began);
	memcpy(copy->to, copy->from, copied);
	memset((unsigned char *)copy->to + copied, 0, copy->zeros);
}

/* --- groups of one thread --- */

static void add(struct copies *copies, struct copy copy)
{
	if (copies->count == copies->capacity) {
		copies->capacity = copies->capacity ? 2 * copies->capacity : 16;
		copies->at = xreallocarray(copies->at, copies->capacity, sizeof *copies->at);
	}
	copy.group = copies->group;
	copies->at[copies->count++] = copy;
}

static void wait_for(struct copies *copies, unsigned open)
{
	size_t kept = 0;

	for (size_t i = 0; i < copies->count; i++) {
		const struct copy *copy = &copies->at[i];

		if (copy->group < copies->group && copies->group - copy->group > open)
			complete(copy, lane_current());
		else
			copies->at[kept++] = *copy;
	}
	copies->count = kept;
}

void ft_async_copy(void *to, const void *from, size_t bytes, size_t zeros)
{
	struct async_queue *queue = queue_of(lane_current());
	struct copy copy = {
		.to = to, .from = from, .bytes = bytes, .zeros = zeros,
		.pc = (uintptr_t)__builtin_return_address(0),
	};

	if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes)
		worker_abort(worker_self, 710, "an asynchronous copy takes 4, 8 or 16 bytes, "
			       "and no more zeros than bytes");
	begin(&copy, false);
	add(&queue->copies, copy);
}

void ft_async_commit(void)
{
	queue_of(lane_current())->copies.group++;
}

void ft_async_wait(unsigned open)
{
	wait_for(&queue_of(lane_current())->copies, open);
}

/* --- bulk copies --- */

/* The block that waits for the barrier: that of the running lane, or another one of its cluster. */
static struct block *waiting_block(const void *barrier)
{
	struct block *own = lane_current()->warp->block;
	struct block *other = own->cluster->size > 1 ? cluster_owner(own->cluster, barrier) : NULL;

	return other ? other : own;
}

static void add_load(struct bulk_load load)
{
	struct block *block = waiting_block(load.barrier);
	struct bulk_loads *loads = block->bulk;

	if (!loads)
		loads = block->bulk = xcalloc(1, sizeof *loads);
	if (loads->count == loads->capacity) {
		loads->capacity = loads->capacity ? 2 * loads->capacity : 64;
		loads->at = xreallocarray(loads->at, loads->capacity, sizeof *loads->at);
	}
	loads->at[loads->count++] = load;
}

void ft_bulk_copy(void *to, const void *from, size_t bytes, const void *barrier)
{
	struct lane *lane = lane_current();
	struct copy copy = { .bytes = PIECE, .pc = (uintptr_t)__builtin_return_address(0) };

	if (bytes % PIECE != 0)
		worker_abort(worker_self, 710,
			     "the size of a bulk copy is not a multiple of 16 bytes");
	LISTENER_CALL(worker_self->grid->listener, bulk_begin, to, from, bytes, copy.pc);
	for (size_t i = 0; i < bytes; i += PIECE) {
		copy.to = (unsigned char *)to + i;
		copy.from = (const unsigned char *)from + i;
		begin(&copy, true);
		if (barrier)
			add_load((struct bulk_load){
				 .copy = copy, .barrier = barrier, .lane = lane });
		else
			add(&queue_of(lane)->stores, copy);
	}
}

/* The checker takes the value, which has no place in memory, for zeros. */
void ft_bulk_store(void *to, const void *value, size_t bytes, const void *barrier)
{
	struct bulk_load load = {
		.copy = {
			.to = to, .bytes = bytes, .zeros = bytes,
			.pc = (uintptr_t)__builtin_return_address(0),
		},
		.barrier = barrier, .lane = lane_current(),
	};

	memcpy(load.value, value, bytes);
	begin(&load.copy, false);
	add_load(load);
}

void ft_bulk_begun(const void *barrier)
{
	struct lane *lane = lane_current();
	struct bulk_loads *loads = waiting_block(barrier)->bulk;

	for (size_t i = 0; loads && i < loads->count; i++)
		if (loads->at[i].lane == lane && loads->at[i].barrier == barrier
		    && !loads->at[i].begun)
			loads->at[i].begun = ++loads->begun;
}

uint64_t ft_bulk_pending(const void *barrier)
{
	const struct bulk_loads *loads = lane_current()->warp->block->bulk;
	uint64_t last = 0;

	for (size_t i = 0; loads && i < loads->count; i++)
		if (loads->at[i].barrier == barrier && loads->at[i].begun > last)
			last = loads->at[i].begun;
	return last;
}

/* Returns how many bytes landed. */
static size_t land(const struct bulk_load *load)
{
	const struct copy *copy = &load->copy;

	if (copy->from) {
		complete(copy, load->lane);
	} else {
		note_end(copy, load->lane);
		memcpy(copy->to, load->value, copy->bytes);
	}
	return copy->bytes;
}

unsigned ft_bulk_land(const void *barrier, uint64_t last)
{
	struct bulk_loads *loads = lane_current()->warp->block->bulk;
	unsigned landed = 0;
	size_t kept = 0;

	for (size_t i = 0; loads && i < loads->count; i++) {
		const struct bulk_load *load = &loads->at[i];

		if (load->barrier == barrier && load->begun && load->begun <= last)
			landed += (unsigned)land(load);
		else
			loads->at[kept++] = *load;
	}
	if (loads)
		loads->count = kept;
	return landed;
}

void ft_bulk_commit(void)
{
	queue_of(lane_current())->stores.group++;
}

void ft_bulk_wait(unsigned open)
{
	wait_for(&queue_of(lane_current())->stores, open);
}
