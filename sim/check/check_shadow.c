/* check_shadow.c - records the accesses of each word that still matter, and finds races with them.
 *
 * The cell of a word holds its last writer and its last reader; check_hot.reader holds one more
 * reader. A record that is pushed out of these is dropped if every access that races with it also
 * races with a kept one: with one that is ordered after it, or, as long as only barriers of blocks
 * and of whole warps order, with one of two others. Otherwise it goes to the word's list. Few words
 * need a list: partly accessed words, words with both atomics and plain accesses, and words of
 * kernels with fences or with barriers of some lanes, for which check.exact is set.
 */
#include "config.h"

#include "sim/check/check_shadow.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/check/check_look.h"
#include "sim/check/check_order.h"
#include "sim/check/check_race.h"
#include "sim/check/check_segment.h"
#include "sim/check/check_state.h"

#define FLAGS (RECORD_ATOMIC | RECORD_VOLATILE)

/* --- lists of words --- */

/* The slot of a word in the table, or a free one. */
static struct check_kept **place_of(const struct check_more *more, size_t word)
{
	size_t at = (word * 0x9e3779b97f4a7c15u) >> more->shift;

	while (more->slots[at] && more->slots[at]->word != word)
		at = (at + 1) & (((size_t)1 << (64 - more->shift)) - 1);
	return &more->slots[at];
}

const struct check_kept *check_kept_of(const struct check *check, size_t word)
{
	return check->more.count ? *place_of(&check->more, word) : NULL;
}

static void grow(struct check_more *more)
{
	struct check_more wider = {
		.count = more->count, .shift = more->slots ? more->shift - 1 : 54,
	};
	size_t capacity = more->slots ? (size_t)1 << (64 - more->shift) : 0;

	wider.slots = xcalloc((size_t)1 << (64 - wider.shift), sizeof *wider.slots);
	for (size_t i = 0; i < capacity; i++)
		if (more->slots[i])
			*place_of(&wider, more->slots[i]->word) = more->slots[i];
	free(more->slots);
	*more = wider;
}

static struct check_kept *list_of(struct check *check, size_t word)
{
	struct check_more *more = &check->more;
	struct check_kept **place;

	if (!more->slots || more->count * 2 >= (size_t)1 << (64 - more->shift))
		grow(more);
	place = place_of(more, word);
	if (!*place) {
		*place = xcalloc(1, sizeof **place);
		(*place)->word = word;
		more->count++;
	}
	return *place;
}

void check_forget(struct check *check)
{
	struct check_more *more = &check->more;

	for (size_t i = 0; more->slots && i < (size_t)1 << (64 - more->shift); i++) {
		if (more->slots[i])
			free(more->slots[i]->items);
		free(more->slots[i]);
	}
	free(more->slots);
	*more = (struct check_more){ 0 };
}

/* --- which records to keep --- */

static bool of_same_thread(const struct check *check, uint64_t a, uint64_t b)
{
	const struct check_slice *x, *y;

	if ((a ^ b) >> 32 & (WARP_LANES - 1))
		return false;
	x = check_slice_of(check, a);
	y = check_slice_of(check, b);
	return x->block == y->block && x->warp == y->warp;
}

/* Whether every access that conflicts with `old` also conflicts with `kept`, of the same kind.
 * Ignores order. Atomics also conflict with those of another size. */
static bool is_as_strict(uint64_t kept, uint64_t old)
{
	if (check_bytes_of(old) & ~check_bytes_of(kept))
		return false;
	if (!(kept & FLAGS))
		return true;
	return (kept & FLAGS) == (old & FLAGS)
		&& (!(kept & RECORD_ATOMIC) || (check_bytes_of(kept) == check_bytes_of(old)
						&& (kept & RECORD_BLOCK) >= (old & RECORD_BLOCK)));
}

/* Whether a and b, both as strict as `old`, can replace it: any access ordered after both a and
 * b must also be ordered after `old`. Assumes that only barriers of blocks and of whole warps
 * order. */
static bool can_replace(const struct check *check, uint64_t a, uint64_t b, uint64_t old)
{
	const struct check_slice *x = check_slice_of(check, a), *y = check_slice_of(check, b);
	const struct check_slice *of = check_slice_of(check, old);

	if (check->exact || !is_as_strict(a, old) || !is_as_strict(b, old)
	    || a >> 32 < check->hot.first || b >> 32 < check->hot.first)
		return false;
	if (x->block != y->block)
		return true;
	if (x->block != of->block || x->epoch < of->epoch || y->epoch < of->epoch)
		return false;
	if (x->warp != y->warp)
		return true;
	return x->warp == of->warp && x >= of && y >= of && !of_same_thread(check, a, b);
}

/* Whether two of the kept records, or one of them and `mine`, can replace `record`. */
static bool is_covered(const struct check *check, const struct check_kept *list, uint64_t mine,
		       uint64_t record, bool write)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].write != write)
			continue;
		if (can_replace(check, mine, list->items[i].record, record))
			return true;
		for (size_t k = 0; k < i; k++)
			if (list->items[k].write == write
			    && can_replace(check, list->items[k].record, list->items[i].record,
					    record))
				return true;
	}
	return false;
}

static void remove_item(struct check_kept *list, unsigned at)
{
	list->count--;
	memmove(&list->items[at], &list->items[at + 1], (list->count - at) * sizeof *list->items);
}

/* Adds a record to the end of the list, which drops its oldest one if it is full. */
static void append(struct check_kept *list, struct check_kept_item item)
{
	if (list->count == MAX_KEPT)
		remove_item(list, 0);
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? 2 * list->capacity : 4;
		list->items = xreallocarray(list->items, list->capacity, sizeof *list->items);
	}
	list->items[list->count++] = item;
}

/* Adds `record`, which `mine` pushes out of the cell, to the word's list. */
static void keep(struct check *check, size_t word, uint64_t mine, uint64_t record, bool write)
{
	struct check_kept *list = list_of(check, word);

	for (unsigned i = 0; i < list->count; i++)
		if (list->items[i].write == write
		    && of_same_thread(check, record, list->items[i].record)
		    && is_as_strict(record, list->items[i].record)) {
			remove_item(list, i);
			append(list, (struct check_kept_item){ record, list->writer_time, write });
			return;
		}
	if (!is_covered(check, list, mine, record, write))
		append(list, (struct check_kept_item){ record, list->writer_time, write });
}

/* --- an access --- */

static bool is_shared(const struct check *check, size_t word)
{
	return word < check->hot.shared_span / 4;
}

/* Whether a record still matters: of this launch, and in shared memory of this block. */
static bool is_live(const struct access *a, size_t word, uint64_t record)
{
	uint32_t segment = (uint32_t)(record >> 32);

	return segment >= a->check->hot.first
		&& (!is_shared(a->check, word) || segment >= a->lane->check.block_first);
}

/* Whether it is live, or of an earlier launch whose bytes are not collected yet (check_op.c). */
static bool is_wanted(const struct access *a, size_t word, uint64_t record)
{
	return is_live(a, word, record)
		|| (!is_shared(a->check, word) && record >> 32 >= a->check->needed_from
		    && record >> 32 > 0);
}

/* Whether every later access that races with `old` also races with `mine`, the current access. */
static bool replaces(const struct access *a, size_t word, uint64_t mine, uint64_t old, bool race)
{
	if (!is_wanted(a, word, old))
		return true;
	return is_as_strict(mine, old)
		&& ((race && !(mine & FLAGS))   /* was judged: reported, or ordered */
		    || !is_live(a, word, old)
		    || check_ordered(a->check, a->lane, (uint32_t)(old >> 32), false));
}

/* Whether the thread has seen the atomic or volatile write in a record, made at `time`. A write
 * waits for the value that its thread saw; a plain read needs a fence in between. */
static bool has_seen(const struct access *a, size_t word, uint64_t record, uint64_t time)
{
	bool home = check_same_block(a->check, a->lane, (uint32_t)(record >> 32));

	if (!(record & FLAGS)
	    || !check_has_seen(a->lane, word, time,
			       a->kind != CHECK_READ || a->flags & RECORD_VOLATILE ? LOOK_ANY
			       : home ? LOOK_FENCED_IN_BLOCK : LOOK_FENCED))
		return false;
	a->check->order_happened = true;
	return true;
}

/* Whether two strong accesses race: volatile writes, atomics of different sizes, and those that are
 * not in each other's scope. */
static bool strong_conflict(const struct access *a, uint64_t record, unsigned mask, bool writer)
{
	bool volatile_record = record_is_volatile(record);
	bool volatile_access = record_is_volatile(a->flags);

	if (((record & RECORD_BLOCK && !volatile_record) || a->flags & RECORD_BLOCK)
	    && !check_same_block(a->check, a->lane, (uint32_t)(record >> 32)))
		return true;
	if (volatile_record || volatile_access)
		return volatile_record && volatile_access && writer && a->kind == CHECK_WRITE;
	return ((record ^ a->flags) & RECORD_WIDE) || check_bytes_of(record) != mask;
}

/* Whether two volatile accesses are of data that a fence for its block was to publish to another
 * block: such data is not a flag. */
static bool was_published_narrowly(const struct access *a, uint64_t record)
{
	return record_is_volatile(record) && record_is_volatile(a->flags)
		&& check_scope_is_narrow(a->check, a->lane, (uint32_t)(record >> 32));
}

/* time: when a strong write of the word was made; 0 for a reader. */
static bool conflicts(const struct access *a, size_t word, uint64_t record, uint64_t time,
		      unsigned mask)
{
	bool shared = is_shared(a->check, word);
	uint32_t segment = (uint32_t)(record >> 32);

	if (!record || !(check_bytes_of(record) & mask) || segment < a->check->hot.first)
		return false;
	/* The record is of an earlier block whose shared memory had the same address. */
	if (shared && segment < a->lane->check.block_first)
		return false;
	if (record & FLAGS && a->flags && !strong_conflict(a, record, mask, time)
	    && !was_published_narrowly(a, record))
		return false;
	return !check_ordered(a->check, a->lane, segment,
			      a->kind != CHECK_READ || a->flags & RECORD_VOLATILE)
		&& !(time && has_seen(a, word, record, time));
}

/* Whether both are atomics of the same bytes for the whole device, which is the usual case. */
static bool is_such_an_atomic(const struct access *a, uint64_t record, unsigned mask)
{
	const uint32_t kind = FLAGS | RECORD_BLOCK | 0xfu << RECORD_SPARES_SHIFT;

	return ((uint32_t)record & kind) == (a->flags | (~mask & 0xfu) << RECORD_SPARES_SHIFT)
		&& (a->flags & (RECORD_ATOMIC | RECORD_BLOCK)) == RECORD_ATOMIC;
}

void check_judge(const struct access *a, size_t word, unsigned mask)
{
	const struct check_hot *hot = &a->check->hot;
	const struct check_cell *cell = &hot->cell[word];
	const struct check_kept *list = check_kept_of(a->check, word);
	bool writes = a->kind != CHECK_READ;

	if (conflicts(a, word, cell->writer, list ? list->writer_time : 0, mask))
		check_race(a, cell->writer, true);
	if (writes && conflicts(a, word, cell->reader, 0, mask))
		check_race(a, cell->reader, false);
	if (writes && conflicts(a, word, hot->reader[word], 0, mask))
		check_race(a, hot->reader[word], false);
	for (unsigned i = 0; list && i < list->count; i++) {
		const struct check_kept_item *item = &list->items[i];

		if ((writes || item->write) && !is_such_an_atomic(a, item->record, mask)
		    && conflicts(a, word, item->record, item->write ? item->time : 0, mask))
			check_race(a, item->record, item->write);
	}
}

/* Marks the two readers of a word as a pair if they are one: see sim/check/check_words.c. */
static void mark_pair(const struct access *a, size_t word)
{
	const struct check_hot *hot = &a->check->hot;
	struct check_cell *cell = &hot->cell[word];
	uint64_t last = cell->reader, other = hot->reader[word];
	const struct check_slice *x = check_slice_of(a->check, last);
	const struct check_slice *y = check_slice_of(a->check, other);
	bool shared = is_shared(a->check, word);
	uint32_t limit = shared ? a->lane->check.bound : hot->first;

	if (a->check->exact || other >> 32 < limit || hot->state[word] != STATE_WHOLE
	    || cell->writer_segment >= limit || ((last | other) & FLAGS)
	    || (check_bytes_of(last) & check_bytes_of(other)) != 0xf)
		return;
	cell->writer &= ~(uint64_t)RECORD_PAIR;
	if (shared ? x->warp != y->warp : x->block != y->block)
		cell->writer |= RECORD_PAIR;
	else if ((last ^ other) >> 32 >= 1u << LANES_SHIFT || !((last ^ other) >> 32))
		return;
	cell->reader |= RECORD_PAIR;
}

static void note_read(const struct access *a, size_t word, uint64_t mine)
{
	const struct check_hot *hot = &a->check->hot;
	uint64_t *slot = &hot->cell[word].reader, *other = &hot->reader[word];
	uint64_t last = *slot, before = *other;

	*slot = mine;
	if (!replaces(a, word, mine, last, false)) {
		if (replaces(a, word, mine, before, false)
		    || can_replace(a->check, mine, last, before)) {
			*other = last;
		} else if (!can_replace(a->check, mine, before, last)) {
			*other = last;
			keep(a->check, word, mine, before, false);
		}
	}
	mark_pair(a, word);
}

static void note_write(const struct access *a, size_t word, uint64_t mine)
{
	const struct check_hot *hot = &a->check->hot;
	uint64_t *slot = &hot->cell[word].writer, last = *slot;
	struct check_kept *list;

	hot->cell[word].reader &= ~(uint64_t)RECORD_PAIR;
	*slot = mine;
	if (!replaces(a, word, mine, last, true))
		keep(a->check, word, mine, last, true);
	/* All others were judged, and any access that races with them will race with this one. */
	list = mine & FLAGS ? list_of(a->check, word)
		: (struct check_kept *)(uintptr_t)check_kept_of(a->check, word);
	if (list)
		list->writer_time = mine & FLAGS ? ++a->check->strong_time : 0;
	if (list && !(mine & FLAGS) && check_bytes_of(mine) == 0xf)
		list->count = 0;
}

void check_note(const struct access *a, size_t word, unsigned mask)
{
	struct check_hot *hot = &a->check->hot;
	uint64_t *slot = a->kind == CHECK_READ ? &hot->cell[word].reader : &hot->cell[word].writer;
	unsigned touched = mask;
	uint64_t mine;

	if (a->kind != CHECK_READ)
		hot->state[word] |= (uint8_t)mask;
	/* Merge the bytes of the same thread in the same segment into one record. */
	if (*slot >> 32 == a->lane->check.segment && (*slot & FLAGS) == a->flags
	    && !(a->flags & RECORD_ATOMIC))
		touched |= check_bytes_of(*slot);
	mine = (a->lane->check.record + a->pc) | a->flags
		| (~touched & 0xfu) << RECORD_SPARES_SHIFT;
	if (a->kind == CHECK_READ)
		note_read(a, word, mine);
	else
		note_write(a, word, mine);
}
