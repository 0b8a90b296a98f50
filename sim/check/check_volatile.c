/* check_volatile.c - volatile reads: whether each tests a flag, or reads data.
 *
 * A volatile read is a test if the next thing that its thread does is to enter a basic block, as at
 * the branch of a condition or a polling loop. If it writes or synchronizes first, the value was
 * data. Until then the read is held: it is judged and recorded afterwards.
 */
#include "config.h"

#include "sim/check/check_volatile.h"

#include "sim/check/check_access.h"
#include "sim/check/check_look.h"
#include "sim/check/check_order.h"
#include "sim/check/check_shadow.h"
#include "sim/check/check_state.h"
#include "sim/exec/steps.h"

#define MAX_HELD 4

/* One launch runs at a time, and the reads of only one thread are held. */
static struct access held[MAX_HELD];
static unsigned held_count;
static size_t words, shared_words;      /* of check_hot */

void check_hold(const struct access *a)
{
	if (held_count == MAX_HELD)
		check_release_held(false);
	if (held_count == 0) {
		/* Turn off the fast path, which would not notice that a write comes next. */
		words = check_hot.words;
		shared_words = check_hot.shared_words;
		check_hot.words = check_hot.shared_words = 0;
		ft_check_block.pending |= PENDING_TEST;
	}
	held[held_count++] = *a;
}

/* In global memory a volatile read never races with a volatile write; in shared memory, where it
 * is a barrier that is missing, only if it is a test. */
static void judge(struct access *a, bool tested)
{
	const struct check_hot *hot = &a->check->hot;
	uintptr_t end = a->shadow + a->bytes;
	bool shared = a->shadow - hot->base < hot->shared_span;

	a->flags = tested || !shared ? RECORD_VOLATILE : 0;
	for (uintptr_t at = a->shadow; at < end; at = (at | 3) + 1) {
		size_t word = (at - hot->base) >> 2;

		check_judge(a, word, check_mask_of(at, end));
		check_note(a, word, check_mask_of(at, end));
		if (tested)
			check_look(a->check, a->lane, word);
	}
	if (tested && shared)
		check_atomic(a->check, a->lane, a->address, false, false);
}

void check_release_held(bool tested)
{
	unsigned count = held_count;

	if (count == 0)
		return;
	ft_check_block.pending &= ~PENDING_TEST;
	check_hot.words = words;
	check_hot.shared_words = shared_words;
	held_count = 0;
	for (unsigned i = 0; i < count; i++)
		judge(&held[i], tested);
}
