/* check_order.c - what orders threads without a barrier: atomics between fences.
 *
 * As the memory model of PTX has it: a fence before an atomic releases what its thread did, and
 * what it knew, through the address of the atomic; a thread whose atomic, or volatile read, comes
 * later there and that fences then, has it all before. What a thread learned passes on through
 * barriers. Each address keeps a list of releases, and who read it knows the list up to there.
 */
#include "config.h"

#include "sim/check_int.h"

#include <stdlib.h>
#include <string.h>

#include "traces/xalloc.h"

/* The first `count` releases at an address are known. */
struct learned {
	struct check_sync_variable *variable;
	size_t count;
};

struct learned_list {
	struct learned *at;             /* of the launch's memory */
	size_t count, room;
};

struct check_memory_order {
	uint32_t fenced;                /* its segments below: before its last fence; 0: no fence */
	uint32_t fenced_bound;          /* segments of its block below: before that too */
	struct learned_list seen;       /* by atomics, not fenced yet */
	struct learned_list known;
};

struct release {
	uint32_t block;                 /* whose */
	unsigned thread;
	uint32_t own, bound;            /* segments: of the thread, of all its block */
	const uint32_t *fences;         /* of each thread at the last barrier, NULL: none */
	struct learned_list known;
};

struct check_sync_variable {
	uintptr_t address;
	struct release *releases;
	size_t count, room;
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
	for (size_t i = 0; i < check->variable_count; i++) {
		free(check->variables[i]->releases);
		free(check->variables[i]);
	}
	free(check->variables);
	check->variables = NULL;
	check->variable_count = 0;
}

/* --- lists --- */

static void learn(struct check *check, struct learned_list *list,
		  struct check_sync_variable *variable, size_t count)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->at[i].variable == variable) {
			if (list->at[i].count < count)
				list->at[i].count = count;
			return;
		}
	if (list->count == list->room) {
		struct learned *wider = check_alloc(check, (2 * list->room + 4) * sizeof *wider);

		if (list->count)
			memcpy(wider, list->at, list->count * sizeof *wider);
		list->at = wider;
		list->room = 2 * list->room + 4;
	}
	list->at[list->count++] = (struct learned){ variable, count };
}

static void learn_all(struct check *check, struct learned_list *list,
		      const struct learned_list *more)
{
	for (size_t i = 0; i < more->count; i++)
		learn(check, list, more->at[i].variable, more->at[i].count);
}

static struct learned_list copied(struct check *check, const struct learned_list *list)
{
	struct learned_list copy = { 0 };

	learn_all(check, &copy, list);
	return copy;
}

static struct check_memory_order *order_of(struct check *check, struct lane *lane)
{
	if (!lane->check.order)
		lane->check.order = check_alloc(check, sizeof *lane->check.order);
	return lane->check.order;
}

/* NULL when nothing was released there. */
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
	check->variables[check->variable_count++] = variable;
	/* Blocks may be ordered from now on: two readers do not stand for all any more. */
	check->hot.paired = check_hot.paired = UINT32_MAX;
	return variable;
}

/* --- events --- */

void check_fence(struct check *check, struct lane *lane, bool device)
{
	struct check_memory_order *order = order_of(check, lane);

	(void)device;
	check_settle(check);
	/* What comes behind the fence is another segment. */
	check_new_slice(check, lane->warp, lane->bit);
	order->fenced = lane->check.segment;
	order->fenced_bound = lane->check.bound;
	learn_all(check, &order->known, &order->seen);
	order->seen.count = 0;
}

static void release(struct check *check, struct lane *lane, struct check_sync_variable *variable)
{
	const struct check_memory_order *order = order_of(check, lane);

	if (variable->count == variable->room) {
		variable->room = variable->room ? 2 * variable->room : 8;
		variable->releases = xreallocarray(variable->releases, variable->room,
						   sizeof *variable->releases);
	}
	variable->releases[variable->count++] = (struct release){
		.block = check->slices[lane->check.segment >> LANES_SHIFT].block,
		.thread = check_thread_number(lane), .own = order->fenced,
		.bound = order->fenced_bound, .fences = lane->warp->block->check_fences,
		.known = copied(check, &order->known),
	};
}

void check_atomic(struct check *check, struct lane *lane, uintptr_t address, bool changed)
{
	struct check_sync_variable *variable = find_variable(check, address);
	bool fenced = (lane->check.order && lane->check.order->fenced)
		|| lane->warp->block->check_fences;

	if (changed && fenced && !variable)
		variable = add_variable(check, address);
	if (!variable)
		return;
	if (changed && fenced)
		release(check, lane, variable);
	learn(check, &order_of(check, lane)->seen, variable, variable->count);
}

static void share(struct check *check, struct lane *lane, struct learned_list *seen,
		  struct learned_list *known)
{
	if (!lane->check.order)
		return;
	learn_all(check, seen, &lane->check.order->seen);
	learn_all(check, known, &lane->check.order->known);
}

static void take(struct check *check, struct lane *lane, const struct learned_list *seen,
		 const struct learned_list *known)
{
	struct check_memory_order *order;

	if (seen->count + known->count == 0)
		return;
	order = order_of(check, lane);
	learn_all(check, &order->seen, seen);
	learn_all(check, &order->known, known);
}

void check_order_warp(struct check *check, struct warp *warp, uint32_t lanes)
{
	struct learned_list seen = { 0 }, known = { 0 };

	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		share(check, &warp->lanes[__builtin_ctz(rest)], &seen, &known);
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		take(check, &warp->lanes[__builtin_ctz(rest)], &seen, &known);
}

void check_order_barrier(struct check *check, struct block *block)
{
	struct learned_list seen = { 0 }, known = { 0 };
	uint32_t *fences = NULL;

	for (unsigned t = 0; t < block->threads; t++) {
		struct lane *lane = &block->warps[t / WARP_LANES].lanes[t % WARP_LANES];

		share(check, lane, &seen, &known);
		if (!lane->check.order || !lane->check.order->fenced)
			continue;
		if (!fences)
			fences = check_alloc(check, block->threads * sizeof *fences);
		fences[t] = lane->check.order->fenced;
	}
	if (fences)
		block->check_fences = fences;
	for (unsigned t = 0; t < block->threads; t++)
		take(check, &block->warps[t / WARP_LANES].lanes[t % WARP_LANES], &seen, &known);
}

/* --- the question --- */

static bool list_orders(const struct check *check, const struct learned_list *list,
			uint32_t segment, const struct check_sync_variable *within, unsigned depth);

static bool release_orders(const struct check *check, const struct release *r, uint32_t segment,
			   const struct check_sync_variable *within, unsigned depth)
{
	const struct check_slice *slice = &check->slices[segment >> LANES_SHIFT];
	unsigned thread = (unsigned)slice->warp * WARP_LANES + (segment & (WARP_LANES - 1));

	if (slice->block == r->block) {
		if (segment < r->bound || (thread == r->thread && segment < r->own))
			return true;
		if (r->fences && segment < r->fences[thread])
			return true;
	}
	return depth > 0 && list_orders(check, &r->known, segment, within, depth - 1);
}

/* What a release at `within` knows of that address was released there before it. */
static bool list_orders(const struct check *check, const struct learned_list *list,
			uint32_t segment, const struct check_sync_variable *within, unsigned depth)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct check_sync_variable *variable = list->at[i].variable;

		if (variable == within)
			continue;
		for (size_t k = list->at[i].count; k-- > 0; )
			if (release_orders(check, &variable->releases[k], segment, variable, depth))
				return true;
	}
	return false;
}

/* How far knowledge of knowledge is followed: a ring of blocks that pass on a flag. */
#define DEPTH 4

bool check_acquired(const struct check *check, const struct lane *lane, uint32_t segment,
		    bool strong)
{
	const struct check_memory_order *order = lane->check.order;

	if (!order)
		return false;
	return list_orders(check, &order->known, segment, NULL, DEPTH)
		|| (strong && list_orders(check, &order->seen, segment, NULL, DEPTH));
}
