/* poll.c - notices threads that read the same volatile value again and again, and lets others run.
 *
 * The decision depends only on the volatile accesses of the thread, so it is the same in every
 * build. Atomics always let others run (ft_yield()).
 */
#include "config.h"

#include "sim/exec/poll.h"

#include <string.h>

#include "sim/exec/schedule.h"

/* A loop over many flags repeats no read soon. */
#define READS_IN_TURN 1024

static bool is_on_stack(const struct lane *lane, const void *p)
{
	const unsigned char *at = p;

	return at >= lane->fiber->low && at < lane->fiber->high;
}

/* Whether the value was the same at the last reads of the place. The place is read only from the
 * second time on: the first access may be out of bounds. */
static bool is_repeated(struct lane_poll *poll, const void *p, size_t bytes)
{
	struct lane_polled *polled = &poll->polled[0];
	uint64_t value = 0;

	if (polled->at != p)
		polled = &poll->polled[1];
	if (polled->at != p) {
		poll->polled[1] = poll->polled[0];
		poll->polled[0] = (struct lane_polled){ .at = p };
		return false;
	}
	memcpy(&value, p, bytes < sizeof value ? bytes : sizeof value);
	if (polled->known && polled->value == value)
		return true;
	if (polled->known)
		worker_self->idle_polls = 0;
	polled->known = true;
	polled->value = value;
	return false;
}

void poll_read(const void *p, size_t bytes)
{
	struct lane *lane = lane_current();

	if (!lane || is_on_stack(lane, p))
		return;
	if (is_repeated(&lane->poll, p, bytes) || ++lane->poll.reads == READS_IN_TURN) {
		lane->poll.reads = 0;
		lane->site = NULL;      /* of a barrier before, maybe of an earlier launch */
		schedule_poll(worker_self);
	}
}
