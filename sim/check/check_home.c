/* check_home.c - what releases order for threads of the same block; see check_home.h.
 *
 * A fence orders segments below a bound for each thread of its block. More releases only raise the
 * bounds, so each thread's is a list of steps: from which release on it is how high.
 */
#include "config.h"

#include "sim/check/check_home.h"

#include <string.h>

#include "sim/check/check_order.h"
#include "sim/exec/lane.h"

struct home_step {
	size_t number;                  /* of the release, from 1 on */
	uint32_t below;                 /* segments that it and those before it order */
};

struct home_steps {
	struct home_step *at;
	size_t count, capacity;
};

struct home *home_find(struct home *first, uint32_t block)
{
	while (first && first->block != block)
		first = first->next;
	return first;
}

static void raise_bound(struct check *check, struct home_steps *steps, size_t number,
			uint32_t below)
{
	if (below <= (steps->count ? steps->at[steps->count - 1].below : 0))
		return;
	if (steps->count && steps->at[steps->count - 1].number == number) {
		steps->at[steps->count - 1].below = below;
		return;
	}
	if (steps->count == steps->capacity) {
		size_t capacity = 2 * steps->capacity + 4;
		struct home_step *more = check_alloc(check, capacity * sizeof *more);

		if (steps->count)
			memcpy(more, steps->at, steps->count * sizeof *more);
		steps->at = more;
		steps->capacity = capacity;
	}
	steps->at[steps->count++] = (struct home_step){ number, below };
}

void home_add_fence(struct check *check, struct home *home, size_t number,
		    const struct fence *fence)
{
	struct home_steps **warp = &home->warps[fence->thread / WARP_LANES];

	if (!home->all)
		home->all = check_alloc(check, sizeof *home->all);
	if (!*warp)
		*warp = check_alloc(check, WARP_LANES * sizeof **warp);
	raise_bound(check, home->all, number, fence->bound);
	raise_bound(check, &(*warp)[fence->thread % WARP_LANES], number, fence->own);
	for (unsigned lane = 0; lane < WARP_LANES; lane++) {
		raise_bound(check, &(*warp)[lane], number, fence->warp_bound);
		if (fence->known)
			raise_bound(check, &(*warp)[lane], number, fence->known[lane]);
	}
}

/* What the first `count` releases order. */
static uint32_t bound_of(const struct home_steps *steps, size_t count)
{
	size_t low = 0, high = steps ? steps->count : 0;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (steps->at[middle].number <= count)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? steps->at[low - 1].below : 0;
}

bool home_orders(const struct home *home, size_t count, unsigned thread, uint32_t segment)
{
	const struct home_steps *warp = home->warps[thread / WARP_LANES];

	return segment < bound_of(home->all, count)
		|| (warp && segment < bound_of(&warp[thread % WARP_LANES], count));
}
