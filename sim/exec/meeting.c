/* meeting.c - where lanes meet: tracks who is missing, computes shuffles, votes and reductions.
 *
 * The last lane to arrive computes all results at once and makes the others runnable. Lanes that
 * have exited are not waited for (as from sm_70 on). A value read from a lane that does not take
 * part is undefined on a GPU and the DEVICE_POISON pattern here. The waiting itself is in
 * collective.c.
 */
#include "config.h"

#include "sim/exec/meeting.h"

#include <string.h>

#include "sim/exec/matrix.h"
#include "sim/exec/named.h"
#include "sim/exec/path.h"
#include "sim/exec/worker.h"

#define NO_VALUE 0x7fa0dead7fa0deadu

/* Source lane of a shuffle, as shfl.sync defines it (PTX ISA): within a segment of `width` lanes;
 * if the source is outside the segment, the lane gets its own value. */
static unsigned shuffle_source(enum ft_collective kind, unsigned lane, uint32_t argument)
{
	unsigned width = argument >> 16, by = argument & 0xffffu;
	unsigned first = lane & ~(width - 1), last = first + width - 1;

	switch (kind) {
	case FT_SHUFFLE_IDX:
		return first + (by & (width - 1));
	case FT_SHUFFLE_UP:
		by &= 31;
		return lane >= first + by ? lane - by : lane;
	case FT_SHUFFLE_DOWN:
		by &= 31;
		return lane + by <= last ? lane + by : lane;
	default:
		by &= 31;
		return (lane ^ by) <= last ? lane ^ by : lane;
	}
}

static uint32_t lanes_with_value(const struct warp *warp, uint32_t lanes, uint64_t value)
{
	uint32_t found = 0;

	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);

		if (warp->values[lane] == value)
			found |= 1u << lane;
	}
	return found;
}

static uint32_t reduce_two(enum ft_collective kind, uint32_t a, uint32_t b)
{
	switch (kind) {
	case FT_REDUCE_ADD: return a + b;
	case FT_REDUCE_MIN: return a < b ? a : b;
	case FT_REDUCE_MAX: return a > b ? a : b;
	case FT_REDUCE_MIN_SIGNED: return (int32_t)a < (int32_t)b ? a : b;
	case FT_REDUCE_MAX_SIGNED: return (int32_t)a > (int32_t)b ? a : b;
	case FT_REDUCE_AND: return a & b;
	case FT_REDUCE_OR:  return a | b;
	default:            return a ^ b;
	}
}

/* The bits of a float as an integer in the order of floats, -0 less than +0; and back. */
static uint32_t reorder(uint32_t bits)
{
	return bits ^ (-(bits >> 31) & INT32_MAX);
}

/* In the order of fmaxf(): a NaN is the least. */
static int32_t ordered(uint32_t bits)
{
	return (bits & INT32_MAX) > 0x7f800000 ? INT32_MIN : (int32_t)reorder(bits);
}

/* ft_butterfly(): what lane 0 has after shuffles with lanes 16, 8, 4, 2 and 1 away. So have the
 * others: at each step both lanes of a pair combine the same two values. */
static uint32_t butterfly_max(const uint64_t *values)
{
	int32_t max = INT32_MIN;

	for (int i = 0; i < WARP_LANES; i++) {
		int32_t x = ordered((uint32_t)values[i]);

		max = x > max ? x : max;
	}
	return max == INT32_MIN ? 0x7fffffff : reorder((uint32_t)max);
}

static uint32_t butterfly_sum(const uint64_t *values)
{
	float x[WARP_LANES];
	uint32_t bits;

	for (int i = 0; i < WARP_LANES; i++) {
		bits = (uint32_t)values[i];
		memcpy(&x[i], &bits, sizeof bits);
	}
	for (int step = WARP_LANES / 2; step > 0; step /= 2)
		for (int i = 0; i < step; i++)
			x[i] += x[i + step];
	memcpy(&bits, x, sizeof bits);
	return bits;
}

/* The one result all lanes get. */
static uint64_t common_result(const struct warp *warp, enum ft_collective kind, uint32_t lanes)
{
	uint64_t first = warp->values[__builtin_ctz(lanes)];
	uint32_t yes, total = (uint32_t)first;

	switch (kind) {
	case FT_SYNC:
	case FT_MATRIX:
	case FT_GATHER:
		return 0;
	case FT_ALL:
	case FT_ANY:
	case FT_UNIFORM:
	case FT_BALLOT:
		yes = lanes_with_value(warp, lanes, 1);
		if (kind == FT_BALLOT)
			return yes;
		if (kind == FT_ANY)
			return yes != 0;
		return yes == lanes || (kind == FT_UNIFORM && yes == 0);
	case FT_BUTTERFLY_MAX:
		return butterfly_max(warp->values);
	case FT_BUTTERFLY_SUM:
		return butterfly_sum(warp->values);
	case FT_MATCH_ALL:
		return lanes_with_value(warp, lanes, first) == lanes ? lanes : 0;
	default:
		for (lanes &= lanes - 1; lanes; lanes &= lanes - 1)
			total = reduce_two(kind, total,
					   (uint32_t)warp->values[__builtin_ctz(lanes)]);
		return total;
	}
}

/* The listener; NULL unless the launch is checked. */
static struct listener *listener(void)
{
	return worker_self->grid->listener;
}

static bool is_shuffle(enum ft_collective kind)
{
	return kind >= FT_SHUFFLE_IDX && kind <= FT_SHUFFLE_XOR;
}

static void shuffle(struct warp *warp, const struct meeting *meeting, unsigned number)
{
	unsigned source = shuffle_source(meeting->kind, number, warp->arguments[number]);
	bool there = meeting->arrived >> source & 1;

	warp->results[number] = there ? warp->values[source] : NO_VALUE;
	if (!there)
		LISTENER_CALL(listener(), shuffle_inactive, &warp->lanes[number], source);
}

/* All lanes of the warp shuffle across its whole width, as far or to the same lanes each. */
static bool is_plain_shuffle(const struct warp *warp, const struct meeting *meeting)
{
	uint32_t differ = (warp->arguments[0] ^ WARP_LANES << 16) >> 16;

	if (meeting->arrived != UINT32_MAX || !is_shuffle(meeting->kind))
		return false;
	for (int i = 1; i < WARP_LANES; i++)
		differ |= warp->arguments[i] ^ warp->arguments[0];
	return differ == 0;
}

static void shuffle_plainly(struct warp *warp, enum ft_collective kind)
{
	const uint64_t *values = warp->values;
	unsigned by = warp->arguments[0] & (WARP_LANES - 1);
	uint64_t *results = warp->results;

	switch (kind) {
	case FT_SHUFFLE_IDX:
		for (unsigned i = 0; i < WARP_LANES; i++)
			results[i] = values[by];
		break;
	case FT_SHUFFLE_UP:
		memcpy(results, values, by * sizeof *values);
		memcpy(results + by, values, (WARP_LANES - by) * sizeof *values);
		break;
	case FT_SHUFFLE_DOWN:
		memcpy(results, values + by, (WARP_LANES - by) * sizeof *values);
		memcpy(results + WARP_LANES - by, values + WARP_LANES - by, by * sizeof *values);
		break;
	default:
		for (unsigned i = 0; i < WARP_LANES; i++)
			results[i] = values[i ^ by];
	}
}

static void give_all(struct warp *warp, uint32_t lanes, uint64_t result)
{
	if (lanes == UINT32_MAX)
		for (int i = 0; i < WARP_LANES; i++)
			warp->results[i] = result;
	else
		for (; lanes; lanes &= lanes - 1)
			warp->results[__builtin_ctz(lanes)] = result;
}

static void compute_results(struct warp *warp, const struct meeting *meeting)
{
	if (is_plain_shuffle(warp, meeting)) {
		shuffle_plainly(warp, meeting->kind);
		return;
	}
	if (meeting->kind == FT_MATRIX)
		matrix_multiply(warp);
	else if (meeting->kind == FT_GATHER)
		matrix_gather(warp);
	if (!is_shuffle(meeting->kind) && meeting->kind != FT_MATCH_ANY) {
		give_all(warp, meeting->arrived,
			 common_result(warp, meeting->kind, meeting->arrived));
		return;
	}
	for (uint32_t lanes = meeting->arrived; lanes; lanes &= lanes - 1) {
		unsigned number = (unsigned)__builtin_ctz(lanes);

		if (is_shuffle(meeting->kind))
			shuffle(warp, meeting, number);
		else
			warp->results[number] = lanes_with_value(warp, meeting->arrived,
								 warp->values[number]);
	}
}

static bool complete(const struct warp *warp, const struct meeting *meeting)
{
	return ((meeting->arrived | warp->exited) & meeting->mask) == meeting->mask;
}

static void finish(struct warp *warp, struct meeting *meeting)
{
	compute_results(warp, meeting);
	LISTENER_CALL(listener(), collective_finish, warp, meeting);
	warp->runnable |= meeting->arrived;
	*meeting = warp->meetings[--warp->meeting_count];
	worker_progress(worker_self);
}

static struct meeting *join(struct warp *warp, enum ft_collective kind, uint32_t mask)
{
	struct meeting *meeting = warp->meetings;

	for (int i = 0; i < warp->meeting_count; i++, meeting++)
		if (meeting->mask == mask && meeting->kind == kind)
			return meeting;
	warp->meeting_count++;
	*meeting = (struct meeting){ .kind = kind, .mask = mask };
	return meeting;
}

bool meeting_arrive(struct lane *lane, enum ft_collective kind, uint32_t mask)
{
	struct warp *warp = lane->warp;
	struct meeting *meeting = join(warp, kind, mask | lane->bit);

	meeting->arrived |= lane->bit;
	if (!complete(warp, meeting))
		return false;
	finish(warp, meeting);
	return true;
}

/* --- the block barrier --- */

static void barrier_release(struct block *block)
{
	LISTENER_CALL(listener(), barrier_release, block);
	block->passed_arrived = block->arrived;
	block->passed_votes = block->votes;
	block->arrived = 0;
	block->votes = 0;
	for (unsigned i = 0; i < block->warp_count; i++) {
		block->warps[i].runnable |= block->warps[i].at_barrier;
		block->warps[i].at_barrier = 0;
	}
	worker_progress(worker_self);
}

bool meeting_arrive_at_barrier(struct lane *lane, bool vote)
{
	struct block *block = lane->warp->block;

	lane->warp->at_barrier |= lane->bit;
	block->votes += vote;
	if (++block->arrived != block->alive)
		return false;
	barrier_release(block);
	return true;
}

/* --- __activemask() --- */

/* Built-in kernels have no linked frames unless they are checked, and do not call it. */
static bool same_path(const struct lane *a, const struct lane *b)
{
	const struct grid *grid = worker_self->grid;

	return !(grid->listener || grid->code->shared)
		|| path_same(a->path, b->path, NULL, NULL);
}

/* Whether b is at the same call as a: 0; in an earlier turn of a loop: -1; in a later one: 1. *same
 * false: another call. */
static int compare_turns(const struct lane *a, const struct lane *b, bool *same)
{
	const struct ft_loop *loop;
	unsigned turns;

	*same = a->site == b->site;
	if (!*same)
		return 0;
	loop = meeting_turns_differ(a, b, FT_LOOP_ACTIVE, &turns);
	*same = same_path(a, b);
	return !loop ? 0 : turns < loop->turns ? -1 : 1;
}

/* Of the lanes at an __activemask(), those that are some turns of a loop ahead of others there. A
 * GPU's lanes meet at the end of a turn, so that these wait for the others. */
static uint32_t lanes_ahead(const struct warp *warp)
{
	uint32_t ahead = 0;
	bool same;

	for (uint32_t left = warp->at_active; left; left &= left - 1) {
		const struct lane *lane = &warp->lanes[__builtin_ctz(left)], *other;

		for (uint32_t rest = warp->at_active; rest; rest &= rest - 1) {
			other = &warp->lanes[__builtin_ctz(rest)];
			if (compare_turns(lane, other, &same) < 0 && same)
				ahead |= lane->bit;
		}
	}
	return ahead;
}

/* The lanes of `among` at the same call as lane `first`. */
static uint32_t group_of(const struct warp *warp, const struct lane *first, uint32_t among)
{
	uint32_t group = 0;
	bool same;

	for (uint32_t rest = among; rest; rest &= rest - 1)
		if (compare_turns(first, &warp->lanes[__builtin_ctz(rest)], &same) == 0 && same)
			group |= rest & -rest;
	return group;
}

/* Lanes become runnable only after all groups are known: comparing paths may switch stacks. */
void meeting_pass_active(struct warp *warp)
{
	uint32_t ahead = lanes_ahead(warp), passing = warp->at_active & ~ahead;

	for (uint32_t left = passing; left; ) {
		uint32_t group = group_of(warp, &warp->lanes[__builtin_ctz(left)], left);

		for (uint32_t rest = group; rest; rest &= rest - 1)
			warp->results[__builtin_ctz(rest)] = group;
		left &= ~group;
	}
	warp->at_active = ahead;
	warp->runnable |= passing;
	worker_progress(worker_self);
}

void meeting_exit(struct lane *lane)
{
	struct warp *warp = lane->warp;
	struct block *block = warp->block;

	for (int i = warp->meeting_count - 1; i >= 0; i--)
		if (complete(warp, &warp->meetings[i]))
			finish(warp, &warp->meetings[i]);
	if (block->arrived > 0 && block->arrived == block->alive)
		barrier_release(block);
	if (block->named)
		named_exit(block);
	if (!warp->runnable && warp->at_active)
		meeting_pass_active(warp);
}
