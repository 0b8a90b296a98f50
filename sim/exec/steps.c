/* steps.c - counts down a launch's step budget and ends the launch that exceeds it; see steps.h.
 *
 * The budget counts steps, not seconds, so that a kernel ends at the same place on every machine.
 * sim/check/check_hooks.c calls steps_take() at each basic block.
 */
#include "config.h"

#undef _FORTIFY_SOURCE                  /* see worker.c */

#include "sim/exec/steps.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "sim/exec/worker.h"

/* A launch that takes no step for this much processor time is stuck. */
#define STUCK_SECONDS 1

struct ft_check_block ft_check_block;

static uint64_t budget;
static volatile uint64_t left, left_before;
static bool out, stuck;
static char reason[80];

static void set_timer(time_t seconds)
{
	const struct itimerval every = { { seconds, 0 }, { seconds, 0 } };

	setitimer(ITIMER_VIRTUAL, &every, NULL);        /* cannot fail with these */
}

void steps_begin(uint64_t steps)
{
	budget = left = left_before = steps;
	out = stuck = false;
	if (!steps)
		return;
	ft_check_block.pending |= PENDING_STEP;
	set_timer(STUCK_SECONDS);
}

void steps_watch_clock(void)
{
	ft_check_block.pending |= PENDING_CLOCK;
}

bool steps_end(void)
{
	ft_check_block.pending &= ~(PENDING_STEP | PENDING_CLOCK);
	if (budget)
		set_timer(0);
	return out;
}

bool steps_stuck(void)
{
	stuck = left == left_before;
	left_before = left;
	out |= stuck;
	return stuck;
}

void steps_take(uintptr_t pc)
{
	struct worker *w = worker_self;

	if (left-- > 0)
		return;
	out = true;
	/* Treated as a fault, because building the report needs more stack than a fiber has. */
	w->fault = (struct fault){
		.pc = (void *)(pc - 1), .signal = SIGVTALRM, .code = 702,
	};
	siglongjmp(w->landing, 1);
}

const char *steps_reason(void)
{
	if (stuck)
		snprintf(reason, sizeof reason, "an endless loop that takes no steps");
	else
		snprintf(reason, sizeof reason, "the step budget of %" PRIu64 " basic blocks ran "
			 "out", budget);
	return reason;
}
