/* collective.c - the built-ins that wait for other lanes: warp collectives and block barriers.
 *
 * A lane that arrives stores its value and waits, unless it is the last one needed. The results are
 * computed in meeting.c. Also keeps the sites of calls that no static variable of the kernel
 * describes.
 */
#include "config.h"

#include "sim/exec/meeting.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/exec/schedule.h"

/* --- lanes that run in order --- */

/* Most lanes wait for others of a warp that are runnable and will wait for the same. These only
 * store what they bring and switch to the next lane, as the last thing that they do. */

static struct lane *lowest_started(struct warp *warp, uint32_t lanes)
{
	struct lane *lane = &warp->lanes[__builtin_ctz(lanes)];

	return lane->fiber ? lane : NULL;
}

/* The meeting that the lane arrives at if that is the only one of the warp. */
static struct meeting *only_meeting(struct warp *warp, enum ft_collective kind, uint32_t mask)
{
	struct meeting *meeting = warp->meetings;

	if (__builtin_expect(warp->meeting_count == 0, 0)) {
		*meeting = (struct meeting){ .kind = kind, .mask = mask };
		warp->meeting_count = 1;
	}
	return warp->meeting_count == 1 && meeting->kind == kind && meeting->mask == mask
		? meeting : NULL;
}

/* --- warp collectives --- */

static __attribute__((noinline)) uint64_t arrive(struct lane *lane, enum ft_collective kind,
						 uint32_t mask)
{
	struct worker *w = worker_self;

	LISTENER_CALL(w->grid->listener, collective_arrive, lane, kind, mask);
	if (!meeting_arrive(lane, kind, mask))
		schedule_wait_here(w, lane);
	return lane->warp->results[lane_index(lane)];
}

uint64_t ft_collective(const struct ft_site *site, enum ft_collective kind, uint32_t mask,
		       uint64_t value, uint32_t argument)
{
	struct lane *lane = lane_current(), *next;
	struct warp *warp = lane->warp;
	unsigned number = lane_index(lane);
	uint32_t all = mask | lane->bit, rest = warp->runnable & ~lane->bit;
	struct meeting *meeting;

	lane->site = site;
	warp->values[number] = value;
	warp->arguments[number] = argument;
	if (!warp->direct || !rest || !(meeting = only_meeting(warp, kind, all))
	    || !(all & ~(meeting->arrived | lane->bit | warp->exited))
	    || !(next = lowest_started(warp, rest)))
		return arrive(lane, kind, mask);
	meeting->arrived |= lane->bit;
	warp->runnable = rest;
	ft_self = &next->view;
	return FIBER_SWITCH_FOR(fiber_swap, lane->fiber, next->fiber, &warp->results[number]);
}

uint32_t ft_active_mask(const struct ft_site *site)
{
	struct worker *w = worker_self;
	struct lane *lane = lane_current();
	struct warp *warp = lane->warp;
	struct call_path path;

	LISTENER_CALL(w->grid->listener, pause);
	path_take(lane->fiber, __builtin_frame_address(0), &path);
	lane->site = site;
	lane->path = &path;
	warp->at_active |= lane->bit;
	warp->runnable &= ~lane->bit;
	if (!warp->runnable)
		meeting_pass_active(warp);
	if (!(warp->runnable & lane->bit))
		schedule_wait(w);
	return (uint32_t)warp->results[lane_index(lane)];
}

/* --- block barriers --- */

static __attribute__((noinline)) int arrive_at_barrier(struct lane *lane, enum ft_block_vote vote,
						       int predicate, const void *frame)
{
	const struct block *block = lane->warp->block;

	LISTENER_CALL(worker_self->grid->listener, barrier_arrive, lane, frame);
	if (!meeting_arrive_at_barrier(lane, predicate != 0))
		schedule_wait_here(worker_self, lane);
	switch (vote) {
	case FT_BLOCK_COUNT: return (int)block->passed_votes;
	case FT_BLOCK_AND:   return block->passed_votes == block->passed_arrived;
	case FT_BLOCK_OR:    return block->passed_votes != 0;
	default:             return 0;
	}
}

/* The lane that runs when all of this warp wait; NULL if that takes more than a look. */
static __attribute__((noinline)) struct lane *first_of_block(const struct warp *waiting)
{
	struct block *block = waiting->block;

	if (worker_self->resident != 1 || waiting->at_active)
		return NULL;
	for (unsigned i = 0; i < block->warp_count; i++)
		if (&block->warps[i] != waiting && block->warps[i].runnable)
			return lowest_started(&block->warps[i], block->warps[i].runnable);
	return NULL;
}

int ft_block_barrier(const struct ft_site *site, enum ft_block_vote vote, int predicate)
{
	static const uint64_t nothing;
	struct lane *lane = lane_current(), *next;
	struct warp *warp = lane->warp;
	uint32_t rest = warp->runnable & ~lane->bit;

	lane->site = site;
	if (!warp->direct || vote != FT_BLOCK_SYNC || warp->block->arrived + 1 == warp->block->alive
	    || !(next = rest ? lowest_started(warp, rest) : first_of_block(warp))) {
		int result = arrive_at_barrier(lane, vote, predicate, __builtin_frame_address(0));

		__asm__ volatile("");   /* keeps the frame until here */
		return result;
	}
	warp->at_barrier |= lane->bit;
	warp->runnable = rest;
	warp->block->arrived++;
	ft_self = &next->view;
	return FIBER_SWITCH_FOR(fiber_swap_int, lane->fiber, next->fiber, &nothing);
}

/* --- turns of loops --- */

void ft_loop_open(struct ft_loop *loop, int line, unsigned kinds)
{
	struct lane *lane = lane_current();

	*loop = (struct ft_loop){ lane->loops, line, kinds, 0 };
	lane->loops = loop;
}

void ft_loop_count(struct ft_loop *loop)
{
	lane_current()->loops = loop;
	loop->turns++;
}

void ft_loop_close(struct ft_loop *loop)
{
	lane_current()->loops = loop->outer;
}

const struct ft_loop *meeting_turns_differ(const struct lane *a, const struct lane *b,
					   unsigned kind, unsigned *turns)
{
	const struct ft_loop *at = a->loops, *with = b->loops, *found = NULL;

	for (;; at = at->outer, with = with->outer) {
		while (at && !(at->kinds & kind))
			at = at->outer;
		while (with && !(with->kinds & kind))
			with = with->outer;
		if (!at || !with)
			return found;
		if (at->turns != with->turns) {
			found = at;
			*turns = with->turns;
		}
	}
}

/* --- sites --- */

/* Lists that only grow, at their heads, so they are read without a lock. A site is made once for
 * each such call in the sources that were run. */
#define LISTS 256

struct known {
	struct ft_site site;
	struct known *next;
};

static _Atomic(struct known *) lists[LISTS];

static struct known *find(struct known *from, const char *name, const char *file, int line,
			  int occurrence)
{
	for (; from; from = from->next)
		if (from->site.line == line && from->site.occurrence == occurrence
		    && strcmp(from->site.name, name) == 0 && strcmp(from->site.file, file) == 0)
			return from;
	return NULL;
}

/* Counters of sites in one file are not negative, so columns are. */
const struct ft_site *ft_site_at(const char *name, const char *file, int line, int column)
{
	_Atomic(struct known *) *list = &lists[((unsigned)line * 31 + (unsigned)column) % LISTS];
	struct known *head = atomic_load(list), *made = NULL, *found;
	int occurrence = -1 - column;

	while (!(found = find(head, name, file, line, occurrence))) {
		if (!made) {
			made = xmalloc(sizeof *made);
			made->site = (struct ft_site){ xstrdup(name), xstrdup(file), line,
						       occurrence };
		}
		made->next = head;
		if (atomic_compare_exchange_weak(list, &head, made))
			return &made->site;
	}
	if (made) {
		free((char *)made->site.name);
		free((char *)made->site.file);
		free(made);
	}
	return &found->site;
}
