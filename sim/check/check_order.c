/* check_order.c - order between threads without a barrier: atomics between fences.
 *
 * This follows the memory model of PTX. A fence before an atomic releases the thread's accesses,
 * and those it has acquired, through the address of the atomic. A thread that later makes an atomic
 * or volatile read there, and then a fence, acquires them all. Barriers pass on what threads
 * acquired, and their fences. Each address keeps a list of releases; a reader has seen the list up
 * to the time of its read. What a fence for the block released counts for other blocks once a
 * thread of that block has acquired it and executed a fence for the device.
 */
#include "config.h"

#include "sim/check/check_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/check/check_cluster.h"
#include "sim/check/check_home.h"
#include "sim/check/check_learn.h"
#include "sim/check/check_look.h"
#include "sim/check/check_segment.h"
#include "sim/check/check_settle.h"
#include "sim/check/check_state.h"

/* The last fences of threads that met in barriers, so that each counts for all. Immutable. */
struct fences {
	size_t count;
	const struct fence *at[];
};

struct check_memory_order {
	const struct fence *device, *in_block;  /* its last fences; NULL: none */
	const struct fences *met;       /* fences of threads it met; NULL: none */
	/* By counters and flags, and by atomics that take a lock; no fence since. */
	struct learned_list seen, taken;
	/* The part of these that also a fence for its block acquires: what threads of the block
	 * knew that released there, and what they knew only within the block. */
	struct learned_list seen_at_home, seen_in_block;
	struct learned_list known;
	struct learned_list known_in_block;     /* acquired by a fence for its block only */
};

struct release {
	uint32_t block;                 /* of the releasing thread */
	const struct fence *device, *in_block;
	const struct fences *met;
};

struct check_sync_variable {
	uintptr_t address;
	struct release *releases;
	size_t count, capacity, number;
	struct learned_list known;      /* by all its releases */
	struct home *homes;             /* blocks whose threads released here */
	uint32_t until;                 /* segments from here on began after the last release */
	bool mixed;                     /* a release has a fence of another block */
	bool phased;                    /* or one after a barrier of the cluster */
};

/* --- memory of the launch --- */

struct check_arena {
	struct check_arena *next;
};

void *check_alloc(struct check *check, size_t bytes)
{
	struct check_arena *piece = xcalloc(1, sizeof *piece + bytes);

	piece->next = check->arena;
	check->arena = piece;
	return piece + 1;
}

void check_alloc_end(struct check *check)
{
	while (check->arena) {
		struct check_arena *next = check->arena->next;

		free(check->arena);
		check->arena = next;
	}
	check->copies = NULL;
	check->clusters = NULL;
	check->phases = NULL;
	for (size_t i = 0; i < check->variable_count; i++) {
		free(check->variables[i]->releases);
		free(check->variables[i]);
	}
	free(check->variables);
	check->variables = NULL;
	check->variable_count = 0;
	check->fenced_in_block = false;
	check->released_until = 0;
}

/* --- variables --- */

static struct check_memory_order *order_of(struct check *check, struct lane *lane)
{
	if (!lane->check.order)
		lane->check.order = check_alloc(check, sizeof *lane->check.order);
	return lane->check.order;
}

/* NULL if nothing was released there. */
static struct check_sync_variable *find_variable(const struct check *check, uintptr_t address)
{
	for (size_t i = 0; i < check->variable_count; i++)
		if (check->variables[i]->address == address)
			return check->variables[i];
	return NULL;
}

static struct check_sync_variable *add_variable(struct check *check, uintptr_t address)
{
	struct check_sync_variable *variable;

	check->variables = xreallocarray(check->variables, check->variable_count + 1,
					 sizeof *check->variables);
	variable = xcalloc(1, sizeof *variable);
	variable->address = address;
	variable->number = check->variable_count;
	check->variables[check->variable_count++] = variable;
	return variable;
}

/* --- events --- */

static const struct fence *make_fence(struct check *check, const struct lane *lane, bool device)
{
	struct fence *fence = check_alloc(check, sizeof *fence);
	uint32_t *known = NULL;

	if (lane->check.known) {
		known = check_alloc(check, WARP_LANES * sizeof *known);
		memcpy(known, lane->check.known, WARP_LANES * sizeof *known);
	}
	*fence = (struct fence){
		.block = check->slices[lane->check.segment >> LANES_SHIFT].block,
		.device = device, .thread = check_thread_number(lane),
		.own = lane->check.segment, .bound = lane->check.bound,
		.warp_bound = lane->check.warp_bound, .known = known,
		.rank = lane->view.block->cluster_rank,
	};
	if (device && lane->check.phase) {
		fence->phase = lane->check.phase;
		check_phase_keep(fence->phase);
	}
	if (device && check->fenced_in_block) {
		fence->learned = learned_copy(check, &lane->check.order->known);
		fence->learned_in_block = learned_copy(check, &lane->check.order->known_in_block);
	}
	return fence;
}

void check_fence(struct listener *listener, struct lane *lane, bool device)
{
	struct check *check = check_of(listener);
	struct check_memory_order *order = order_of(check, lane);

	check_settle(check);
	/* Accesses after the fence are in a new segment. */
	check_new_slice(check, lane->warp, lane->bit);
	check_look_fence(lane, device);
	order->in_block = make_fence(check, lane, false);
	learn_all(check, &order->known, &order->seen_at_home);
	learn_all(check, &order->known_in_block, &order->seen_in_block);
	if (!device) {
		check->fenced_in_block = true;
		learn_all(check, &order->known_in_block, &order->seen);
		learn_all(check, &order->known_in_block, &order->taken);
		return;
	}
	learn_all(check, &order->known, &order->seen);
	learn_all(check, &order->known, &order->taken);
	order->device = make_fence(check, lane, true);
	learned_clear(&order->seen);
	learned_clear(&order->taken);
	learned_clear(&order->seen_at_home);
	learned_clear(&order->seen_in_block);
}

static bool has_fence(const struct lane *lane)
{
	const struct check_memory_order *order = lane->check.order;

	return order && (order->in_block || order->met);
}

static void add_fence(struct check *check, struct check_sync_variable *variable,
		      struct home *home, const struct fence *fence)
{
	if (!fence)
		return;
	variable->phased |= fence->phase != NULL;
	if (fence->block == home->block)
		home_add_fence(check, home, variable->count, fence);
	else
		variable->mixed = true;
}

/* Adds the last release to what is known of those by its block. */
static void add_home(struct check *check, struct check_sync_variable *variable,
		     const struct check_memory_order *order)
{
	const struct release *r = &variable->releases[variable->count - 1];
	struct home *home = home_find(variable->homes, r->block);

	if (!home) {
		home = check_alloc(check, sizeof *home);
		home->block = r->block;
		home->next = variable->homes;
		variable->homes = home;
	}
	learn_all(check, &home->known, &order->known);
	learn_all(check, &home->known_in_block, &order->known_in_block);
	add_fence(check, variable, home, r->device);
	add_fence(check, variable, home, r->in_block);
	if (!r->met || r->met == home->met)
		return;
	home->met = r->met;
	for (size_t i = 0; i < r->met->count; i++)
		add_fence(check, variable, home, r->met->at[i]);
}

static void release(struct check *check, struct lane *lane, struct check_sync_variable *variable)
{
	const struct check_memory_order *order = order_of(check, lane);

	if (variable->count == variable->capacity) {
		variable->capacity = variable->capacity ? 2 * variable->capacity : 8;
		variable->releases = xreallocarray(variable->releases, variable->capacity,
						   sizeof *variable->releases);
	}
	variable->releases[variable->count++] = (struct release){
		.block = check->slices[lane->check.segment >> LANES_SHIFT].block,
		.device = order->device, .in_block = order->in_block, .met = order->met,
	};
	variable->until = check->released_until = check->next_slice << LANES_SHIFT;
	add_home(check, variable, order);
	learn_all(check, &variable->known, &order->known);
}

/* The thread has read the variable, and so seen all releases there. */
static void see(struct check *check, struct lane *lane, const struct check_sync_variable *variable,
		struct learned_list *list)
{
	struct check_memory_order *order = order_of(check, lane);
	const struct home *home = home_find(variable->homes,
		check->slices[lane->check.segment >> LANES_SHIFT].block);

	learn_all(check, list, &variable->known);
	learn(check, list, variable->number, variable->count);
	if (home) {
		learn_all(check, &order->seen_at_home, &home->known);
		learn_all(check, &order->seen_in_block, &home->known_in_block);
	}
}

void check_atomic(struct check *check, struct lane *lane, uintptr_t address, bool changed,
		  bool takes)
{
	struct check_sync_variable *variable = find_variable(check, address);
	bool fenced = has_fence(lane);

	if (changed && fenced && !variable)
		variable = add_variable(check, address);
	if (!variable)
		return;
	if (changed && fenced)
		release(check, lane, variable);
	see(check, lane, variable, takes ? &order_of(check, lane)->taken
	    : &order_of(check, lane)->seen);
}

/* Everything that the threads of one meeting have learned. */
struct meeting_knowledge {
	struct learned_list seen, taken, at_home, seen_in_block, known, in_block;
	/* The last ones: [2 * thread of the cluster + device]; NULL: none. */
	const struct fence **fences;
	size_t threads, capacity;       /* of each block */
	const struct fences *met;       /* a list that one of the threads already had */
};

static struct meeting_knowledge knowledge_of(const struct block *block)
{
	return (struct meeting_knowledge){
		.threads = block->threads,
		.capacity = (size_t)2 * block->threads * block->cluster->size,
	};
}

static void share_fence(struct meeting_knowledge *all, const struct fence *fence)
{
	const struct fence **kept;

	if (!fence)
		return;
	if (!all->fences)
		all->fences = xcalloc(all->capacity, sizeof *all->fences);
	kept = &all->fences[2 * (fence->rank * all->threads + fence->thread) + fence->device];
	if (!*kept || (*kept)->own < fence->own)
		*kept = fence;
}

static void share(struct check *check, struct lane *lane, struct meeting_knowledge *all)
{
	const struct check_memory_order *order = lane->check.order;

	if (!order)
		return;
	learn_all(check, &all->seen, &order->seen);
	learn_all(check, &all->taken, &order->taken);
	learn_all(check, &all->at_home, &order->seen_at_home);
	learn_all(check, &all->seen_in_block, &order->seen_in_block);
	learn_all(check, &all->known, &order->known);
	learn_all(check, &all->in_block, &order->known_in_block);
	share_fence(all, order->device);
	share_fence(all, order->in_block);
	if (!order->met || order->met == all->met)
		return;
	all->met = order->met;
	for (size_t i = 0; i < order->met->count; i++)
		share_fence(all, order->met->at[i]);
}

/* All shared fences as a list for the threads that met. */
static const struct fences *fences_of(struct check *check, struct meeting_knowledge *all)
{
	struct fences *met;
	size_t count = 0;

	for (size_t i = 0; all->fences && i < all->capacity; i++)
		if (all->fences[i])
			all->fences[count++] = all->fences[i];
	if (count == 0)
		return NULL;
	if (all->met && all->met->count == count
	    && memcmp(all->met->at, all->fences, count * sizeof *all->fences) == 0)
		return all->met;
	met = check_alloc(check, sizeof *met + count * sizeof *all->fences);
	met->count = count;
	memcpy(met->at, all->fences, count * sizeof *all->fences);
	return met;
}

static void take(struct check *check, struct lane *lane, const struct meeting_knowledge *all,
		 const struct fences *met)
{
	struct check_memory_order *order;

	if (all->seen.count + all->taken.count + all->known.count + all->in_block.count == 0
	    && !met)
		return;
	order = order_of(check, lane);
	learn_all(check, &order->seen, &all->seen);
	learn_all(check, &order->taken, &all->taken);
	learn_all(check, &order->seen_at_home, &all->at_home);
	learn_all(check, &order->seen_in_block, &all->seen_in_block);
	learn_all(check, &order->known, &all->known);
	learn_all(check, &order->known_in_block, &all->in_block);
	order->met = met;
}

void check_order_warp(struct check *check, struct warp *warp, uint32_t lanes)
{
	struct meeting_knowledge all = knowledge_of(warp->block);
	const struct fences *met;

	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		share(check, &warp->lanes[__builtin_ctz(rest)], &all);
	met = fences_of(check, &all);
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		take(check, &warp->lanes[__builtin_ctz(rest)], &all, met);
	free(all.fences);
}

static void share_in_block(struct check *check, struct block *block, struct meeting_knowledge *all)
{
	for (unsigned t = 0; t < block->threads; t++)
		share(check, &block->warps[t / WARP_LANES].lanes[t % WARP_LANES], all);
}

static void take_in_block(struct check *check, struct block *block,
			  const struct meeting_knowledge *all, const struct fences *met)
{
	for (unsigned t = 0; t < block->threads; t++)
		take(check, &block->warps[t / WARP_LANES].lanes[t % WARP_LANES], all, met);
}

void check_order_barrier(struct check *check, struct block *block)
{
	struct meeting_knowledge all = knowledge_of(block);

	share_in_block(check, block, &all);
	take_in_block(check, block, &all, fences_of(check, &all));
	free(all.fences);
}

void check_order_cluster(struct check *check, struct cluster *cluster)
{
	struct meeting_knowledge all = knowledge_of(cluster->blocks[0]);
	const struct fences *met;

	for (unsigned b = 0; b < cluster->size; b++)
		share_in_block(check, cluster->blocks[b], &all);
	met = fences_of(check, &all);
	for (unsigned b = 0; b < cluster->size; b++)
		take_in_block(check, cluster->blocks[b], &all, met);
	free(all.fences);
}

/* --- queries --- */

/* Asks whether `segment` ended before the current access of a thread of `block`. */
struct query {
	const struct check *check;
	uint32_t segment, block;
	bool any_scope;                 /* takes every fence for one for the device */
};

static bool list_orders(const struct query *q, const struct learned_list *list, bool in_block);

/* Whether the thread of a fence for the device had acquired the segment from its own block: readers
 * of other blocks do not see that in what was passed on to them. */
static bool passed_on(const struct query *q, const struct fence *fence)
{
	const struct query inside = {
		.check = q->check, .segment = q->segment, .block = fence->block,
	};

	return q->block != fence->block
		&& (list_orders(&inside, &fence->learned, false)
		    || list_orders(&inside, &fence->learned_in_block, true));
}

static bool fence_orders(const struct query *q, const struct fence *fence, bool home)
{
	const struct check_slice *slice = &q->check->slices[q->segment >> LANES_SHIFT];
	unsigned lane = q->segment & (WARP_LANES - 1);

	if (fence && fence->phase && check_phase_orders(q->check, fence->phase, q->segment))
		return true;
	if (!fence || slice->block != fence->block || !(fence->device || home))
		return false;
	if (q->segment < fence->bound)
		return true;
	if (slice->warp == fence->thread / WARP_LANES
	    && ((lane == fence->thread % WARP_LANES && q->segment < fence->own)
		|| q->segment < fence->warp_bound
		|| (fence->known && q->segment < fence->known[lane])))
		return true;
	return passed_on(q, fence);
}

/* in_block: the reader's fence was for its block, so only releases of that block count. */
static bool release_orders(const struct query *q, const struct release *r, bool in_block)
{
	bool home = r->block == q->block || q->any_scope;

	if (in_block && !home)
		return false;
	if (fence_orders(q, r->device, home) || fence_orders(q, r->in_block, home))
		return true;
	for (size_t i = 0; r->met && i < r->met->count; i++)
		if (fence_orders(q, r->met->at[i], home))
			return true;
	return false;
}

/* The same for the first `count` releases of a variable, if the segment is of the reader's block:
 * then only releases of that block order it, and what their threads passed on does not count. */
static bool orders_at_home(const struct query *q, const struct check_sync_variable *variable,
			   size_t count)
{
	const struct check_slice *slice = &q->check->slices[q->segment >> LANES_SHIFT];
	const struct home *home = home_find(variable->homes, slice->block);

	return home && home_orders(home, count, slice->warp * WARP_LANES
				   + (q->segment & (WARP_LANES - 1)), q->segment);
}

/* Whether no release of the variable can order the segment: it began later, or no fence says
 * anything of its block. */
static bool never_orders(const struct query *q, const struct check_sync_variable *variable)
{
	const uint32_t block = q->check->slices[q->segment >> LANES_SHIFT].block;

	return q->segment >= variable->until
		|| (!variable->mixed && !variable->phased && !home_find(variable->homes, block));
}

static bool list_orders(const struct query *q, const struct learned_list *list, bool in_block)
{
	bool at_home = q->check->slices[q->segment >> LANES_SHIFT].block == q->block;
	size_t count = q->segment < q->check->released_until ? list->count : 0;

	for (size_t i = 0; i < count; i++) {
		const struct check_sync_variable *variable
			= q->check->variables[list->at[i].variable];

		if (never_orders(q, variable))
			continue;
		if (at_home && !variable->mixed) {
			if (orders_at_home(q, variable, list->at[i].count))
				return true;
			continue;
		}
		for (size_t k = list->at[i].count; k-- > 0; )
			if (release_orders(q, &variable->releases[k], in_block))
				return true;
	}
	return list->all;
}

bool check_acquired(const struct check *check, const struct lane *lane, uint32_t segment,
		    bool strong)
{
	const struct check_memory_order *order = lane->check.order;

	const struct query q = {
		.check = check, .segment = segment,
		.block = check->slices[lane->check.segment >> LANES_SHIFT].block,
	};

	if (!order)
		return false;
	return list_orders(&q, &order->known, false)
		|| list_orders(&q, &order->known_in_block, true)
		|| (strong && (list_orders(&q, &order->seen, false)
			       || list_orders(&q, &order->seen_in_block, true)));
}

static bool saw(const struct query *q, const struct check_memory_order *order)
{
	return list_orders(q, &order->known, false) || list_orders(q, &order->seen, false)
		|| list_orders(q, &order->taken, false);
}

bool check_scope_is_narrow(const struct check *check, const struct lane *lane, uint32_t segment)
{
	struct query q = {
		.check = check, .segment = segment,
		.block = check->slices[lane->check.segment >> LANES_SHIFT].block,
	};

	if (!check->fenced_in_block || !lane->check.order || saw(&q, lane->check.order))
		return false;
	q.any_scope = true;
	return saw(&q, lane->check.order);
}
