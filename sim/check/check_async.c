/* check_async.c - asynchronous copies to shared memory: checks when one begins and completes.
 *
 * A copy reads and writes at any time from its call to its wait, like a thread of its own. So a
 * write to its source, or to its destination, by any thread between the two is a race, even by the
 * thread that copies, and across barriers. Its own reads and writes are checked and recorded both
 * when it begins and when it completes. Its destination counts as unwritten until it completes. A
 * write to the source is noticed by the mark RECORD_WATCHED, which is lost with the writer's record
 * that has it.
 */
#include "config.h"

#include "sim/check/check_async.h"

#include "base/xalloc.h"
#include "sim/check/check_access.h"
#include "sim/check/check_order.h"
#include "sim/check/check_race.h"
#include "sim/check/check_region.h"
#include "sim/check/check_state.h"
#include "sim/check/counters.h"

#define MAX_WORDS 4

/* A copy that is not complete. */
struct check_copy {
	struct check_copy *next;        /* of the same lane, begun earlier */
	uintptr_t to, from, pc;
	size_t words;                   /* of the source that are watched */
	uint64_t writers[MAX_WORDS];    /* their last writers when it began, marked */
	bool reported;
};

static bool is_memory(const struct check *check, const void *at, size_t bytes)
{
	uintptr_t offset = (uintptr_t)at - check->hot.base;

	return offset < check->hot.span && bytes <= check->hot.span - offset;
}

/* Only allocated bytes have a state that can be written. */
static size_t allocated(const struct check *check, const void *to, size_t bytes)
{
	return check_is_allocated(check, (uintptr_t)to, bytes);
}

static struct check_cell *cell_of(const struct check *check, uintptr_t at)
{
	return &check->hot.cell[(at - check->hot.base) >> 2];
}

/* --- the source --- */

static void report(struct check *check, const struct check_copy *copy, uintptr_t at,
		   enum check_kind kind, uint64_t writer)
{
	const struct access access = {
		.check = check, .lane = lane_current(), .address = at, .pc = copy->pc,
		.shadow = at, .bytes = 4, .kind = kind,
	};

	check_race(&access, writer, true);
}

/* Reports writes to the copy's source since it began, once. */
static void judge_source(struct check *check, struct check_copy *copy)
{
	for (size_t i = 0; i < copy->words && !copy->reported; i++) {
		uint64_t writer = cell_of(check, copy->from + 4 * i)->writer;

		if (!((writer ^ copy->writers[i]) & ~(uint64_t)RECORD_PAIR))
			continue;
		copy->reported = true;
		report(check, copy, copy->from + 4 * i, CHECK_READ, writer);
	}
}

/* Begins to watch words that the launch can access. Marks hide from earlier copies of this lane
 * that the same instruction wrote again, so those are judged first. */
static void watch(struct check *check, struct check_copy *copy, size_t words)
{
	const struct check_hot *hot = &check->hot;

	if (!is_memory(check, (const void *)copy->from, 4 * words)
	    || allocated(check, (const void *)copy->from, 4 * words) < 4 * words
	    || !hot->reached[((copy->from - hot->base) >> 2) >> hot->granule])
		return;
	for (struct check_copy *other = copy->next; other; other = other->next)
		if (other->from < copy->from + 4 * words && copy->from < other->from
		    + 4 * other->words)
			judge_source(check, other);
	copy->words = words;
	for (size_t i = 0; i < words; i++) {
		struct check_cell *cell = cell_of(check, copy->from + 4 * i);

		cell->writer |= RECORD_WATCHED;
		copy->writers[i] = cell->writer;
	}
}

/* --- copies --- */

bool check_is_copy(const struct check *check, uintptr_t pc)
{
	for (size_t i = check->copy_call_count; i-- > 0;)
		if (check->copy_calls[i] == pc)
			return true;
	return false;
}

uintptr_t check_async_reads(const struct lane *lane, uintptr_t begin, uintptr_t end, uintptr_t *pc)
{
	for (const struct check_copy *copy = lane->check.copies; copy; copy = copy->next)
		if (copy->from >= begin && copy->from < end) {
			*pc = copy->pc;
			return copy->from;
		}
	return 0;
}

static void remember_call(struct check *check, uintptr_t pc)
{
	if (check_is_copy(check, pc))
		return;
	check->copy_calls = xreallocarray(check->copy_calls, check->copy_call_count + 1,
					  sizeof *check->copy_calls);
	check->copy_calls[check->copy_call_count++] = pc;
}

static struct check_copy *add_copy(struct check *check, struct lane *lane, const void *to,
				   const void *from, uintptr_t pc)
{
	struct check_copy *copy = check->copies;

	if (copy)
		check->copies = copy->next;
	else
		copy = check_alloc(check, sizeof *copy);
	*copy = (struct check_copy){
		.next = lane->check.copies, .to = (uintptr_t)to, .from = (uintptr_t)from, .pc = pc,
	};
	lane->check.copies = copy;
	return copy;
}

/* The oldest of these, since copies complete in order. */
static struct check_copy **find_copy(struct lane *lane, const void *to, const void *from,
				     uintptr_t pc)
{
	struct check_copy **found = NULL;

	for (struct check_copy **at = &lane->check.copies; *at; at = &(*at)->next)
		if ((*at)->to == (uintptr_t)to && (*at)->from == (uintptr_t)from && (*at)->pc == pc)
			found = at;
	return found;
}

static void read_source(const void *from, size_t copied, uintptr_t pc)
{
	for (size_t i = 0, n; i < copied; i += n) {
		n = copied - i < 4 ? 1 : 4;
		check_access((uintptr_t)from + i, n, CHECK_READ, 0, pc);
	}
}

/* Its pieces are not counted again. */
void check_bulk_begin(struct listener *listener, void *to, const void *from, size_t bytes,
		      uintptr_t pc)
{
	(void)listener;
	if (!check_hot.counters)
		return;
	counters_bulk(check_hot.counters, lane_current(), (uintptr_t)from, bytes, false, pc);
	counters_bulk(check_hot.counters, lane_current(), (uintptr_t)to, bytes, true, pc);
}

/* The write is checked now, but its bytes count as unwritten until the copy completes. */
static void begin(struct check *check, void *to, const void *from, size_t bytes, size_t copied,
		  uintptr_t pc)
{
	bool aligned = !(((uintptr_t)to | (uintptr_t)from) & 3) && bytes <= 4 * MAX_WORDS;

	remember_call(check, pc);
	read_source(from, copied, pc);
	check_access((uintptr_t)to, bytes, CHECK_WRITE, 0, pc);
	check_unwritten(check, to, allocated(check, to, bytes));
	if (aligned)
		watch(check, add_copy(check, lane_current(), to, from, pc), copied / 4);
}

/* One copy counts as one load and one store, although its words are checked one by one. */
void check_async_begin(struct listener *listener, void *to, const void *from, size_t bytes,
		       size_t copied, bool piece, uintptr_t pc)
{
	struct counters *counters = check_hot.counters;
	bool counted = counters && !piece;

	if (counted && copied > 0)
		counters_access(counters, lane_current(), (uintptr_t)from, copied, false, pc);
	if (counted) {
		counters_access(counters, lane_current(), (uintptr_t)to, bytes, true, pc);
		counters_unknown(counters);
	}
	check_hot.counters = NULL;
	begin(check_of(listener), to, from, bytes, copied, pc);
	check_hot.counters = counters;
}

/* The record of a write to the copy's destination since it began; 0: none. */
static uint64_t writer_meanwhile(const struct check *check, uintptr_t to, size_t bytes,
				 uintptr_t *at)
{
	size_t there = allocated(check, (const void *)to, bytes);

	for (*at = to; *at < to + there; *at += 4)
		if (check->hot.state[(*at - check->hot.base) >> 2] & 0xfu)
			return cell_of(check, *at)->writer;
	return 0;
}

/* The store was counted when the copy began. */
void check_async_end(struct listener *listener, struct lane *began, void *to, const void *from,
		     size_t bytes, size_t copied, uintptr_t pc)
{
	struct check *check = check_of(listener);
	struct counters *counters = check_hot.counters;
	struct check_copy **place = find_copy(began, to, from, pc), *copy;
	uint64_t writer = 0;
	uintptr_t at = 0;

	check_hot.counters = NULL;
	if (place) {
		copy = *place;
		judge_source(check, copy);
		if (copy->words)
			read_source(from, copied, pc);
		writer = writer_meanwhile(check, (uintptr_t)to, bytes, &at);
	}
	check_access((uintptr_t)to, bytes, CHECK_WRITE, 0, pc);
	if (place) {
		if (writer)
			report(check, copy, at, CHECK_WRITE, writer);
		*place = copy->next;
		copy->next = check->copies;
		check->copies = copy;
	}
	check_hot.counters = counters;
	if (is_memory(check, from, copied))
		check_copied(check, to, from, allocated(check, to, copied));
}
