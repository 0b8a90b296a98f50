/* check_look.c - which strong writes of a word a thread has seen; see check_look.h.
 *
 * In PTX's terms this is observation order, followed by program order and barriers. A thread keeps
 * the words that it looked at last. For those it has forgotten, it counts as having seen all up to
 * its last look at any of them: a race may be missed, but none is false.
 */
#include "config.h"

#include "sim/check/check_look.h"

#include <string.h>

#include "sim/check/check_order.h"
#include "sim/check/check_state.h"

#define MAX_LOOKS 8

struct look {
	size_t word;
	uint64_t time[LOOK_STRENGTHS];
};

struct check_looks {
	unsigned count;
	struct look at[MAX_LOOKS];
	struct look forgotten;          /* the latest times */
};

static void advance(struct look *look, const struct look *more)
{
	for (int i = 0; i < LOOK_STRENGTHS; i++)
		if (look->time[i] < more->time[i])
			look->time[i] = more->time[i];
}

static void forget_oldest(struct check_looks *looks)
{
	unsigned oldest = 0;

	for (unsigned i = 1; i < looks->count; i++)
		if (looks->at[i].time[LOOK_ANY] < looks->at[oldest].time[LOOK_ANY])
			oldest = i;
	advance(&looks->forgotten, &looks->at[oldest]);
	looks->at[oldest] = looks->at[--looks->count];
}

static const struct look *find(const struct check_looks *looks, size_t word)
{
	for (unsigned i = 0; i < looks->count; i++)
		if (looks->at[i].word == word)
			return &looks->at[i];
	return NULL;
}

static void add(struct check_looks *looks, const struct look *look)
{
	struct look *known = (struct look *)(uintptr_t)find(looks, look->word);

	if (known) {
		advance(known, look);
		return;
	}
	if (looks->count == MAX_LOOKS)
		forget_oldest(looks);
	looks->at[looks->count++] = *look;
}

/* --- events --- */

void check_look_begin(struct check *check, struct lane *lane)
{
	/* Memory of an earlier launch has been freed. */
	if (lane->check.looks_launch != check->begun)
		lane->check.looks = NULL;
	lane->check.looks_launch = check->begun;
	if (lane->check.looks)
		memset(lane->check.looks, 0, sizeof *lane->check.looks);
}

static struct check_looks *looks_of(struct check *check, struct lane *lane)
{
	if (!lane->check.looks)
		lane->check.looks = check_alloc(check, sizeof *lane->check.looks);
	return lane->check.looks;
}

void check_look(struct check *check, struct lane *lane, size_t word)
{
	const struct look look = { word, { [LOOK_ANY] = check->strong_time } };

	add(looks_of(check, lane), &look);
}

static void confirm(struct look *look, bool device)
{
	look->time[LOOK_FENCED_IN_BLOCK] = look->time[LOOK_ANY];
	if (device)
		look->time[LOOK_FENCED] = look->time[LOOK_ANY];
}

void check_look_fence(struct lane *lane, bool device)
{
	struct check_looks *looks = lane->check.looks;

	if (!looks)
		return;
	for (unsigned i = 0; i < looks->count; i++)
		confirm(&looks->at[i], device);
	confirm(&looks->forgotten, device);
}

static bool has_looked(const struct lane *lane)
{
	return lane->check.looks && (lane->check.looks->count > 0
				     || lane->check.looks->forgotten.time[LOOK_ANY] > 0);
}

static void share(const struct lane *lane, struct check_looks *all)
{
	const struct check_looks *looks = lane->check.looks;

	if (!has_looked(lane))
		return;
	advance(&all->forgotten, &looks->forgotten);
	for (unsigned i = 0; i < looks->count; i++)
		add(all, &looks->at[i]);
}

static void take(struct check *check, struct lane *lane, const struct check_looks *all)
{
	struct check_looks *looks = looks_of(check, lane);

	looks->count = all->count;
	looks->forgotten = all->forgotten;
	memcpy(looks->at, all->at, all->count * sizeof all->at[0]);
}

void check_look_warp(struct check *check, struct warp *warp, uint32_t lanes)
{
	struct check_looks all;
	bool any = false;

	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		any |= has_looked(&warp->lanes[__builtin_ctz(rest)]);
	if (!any)
		return;
	memset(&all, 0, sizeof all);
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		share(&warp->lanes[__builtin_ctz(rest)], &all);
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		take(check, &warp->lanes[__builtin_ctz(rest)], &all);
}

void check_look_barrier(struct check *check, struct block *block)
{
	struct check_looks all;
	bool any = false;

	for (unsigned t = 0; t < block->threads && !any; t++)
		any = has_looked(&block->warps[t / WARP_LANES].lanes[t % WARP_LANES]);
	if (!any)
		return;
	memset(&all, 0, sizeof all);
	for (unsigned t = 0; t < block->threads; t++)
		share(&block->warps[t / WARP_LANES].lanes[t % WARP_LANES], &all);
	for (unsigned t = 0; t < block->threads; t++)
		take(check, &block->warps[t / WARP_LANES].lanes[t % WARP_LANES], &all);
}

/* --- queries --- */

bool check_has_seen(const struct lane *lane, size_t word, uint64_t time,
		    enum look_strength strength)
{
	const struct check_looks *looks = lane->check.looks;
	const struct look *look;

	if (!looks)
		return false;
	look = find(looks, word);
	return time <= looks->forgotten.time[strength] || (look && time <= look->time[strength]);
}
