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

/* The lane is not runnable until the lanes it waits for have arrived. Inlined for the same reason
 * as schedule_wait(). */
static inline __attribute__((always_inline)) void wait_for_others(struct worker *w,
								  struct lane *lane)
{
	lane->warp->runnable &= ~lane->bit;
	if (__builtin_expect(lane->warp->at_active && !lane->warp->runnable, 0))
		meeting_pass_active(lane->warp);
	schedule_wait(w);
}

uint64_t ft_collective(const struct ft_site *site, enum ft_collective kind, uint32_t mask,
		       uint64_t value, uint32_t argument)
{
	struct worker *w = worker_self;
	struct lane *lane = lane_current();

	lane->site = site;
	LISTENER_CALL(w->grid->listener, collective_arrive, lane, kind, mask);
	lane->value = value;
	lane->argument = argument;
	if (!meeting_arrive(lane, kind, mask))
		wait_for_others(w, lane);
	return lane->result;
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
	return (uint32_t)lane->result;
}

int ft_block_barrier(const struct ft_site *site, enum ft_block_vote vote, int predicate)
{
	struct worker *w = worker_self;
	struct lane *lane = lane_current();
	const struct block *block = lane->warp->block;

	lane->site = site;
	LISTENER_CALL(w->grid->listener, barrier_arrive, lane, __builtin_frame_address(0));
	if (!meeting_arrive_at_barrier(lane, predicate != 0))
		wait_for_others(w, lane);
	switch (vote) {
	case FT_BLOCK_COUNT: return (int)block->passed_votes;
	case FT_BLOCK_AND:   return block->passed_votes == block->passed_arrived;
	case FT_BLOCK_OR:    return block->passed_votes != 0;
	default:             return 0;
	}
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
