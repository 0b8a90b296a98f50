/* steps.h - the current basic block, actions pending at the next one, and a launch's step budget.
 *
 * Only kernels compiled with -fsanitize-coverage=trace-pc count steps: the checked builds, and
 * users' kernels built for it or with calls of clock(). One launch runs at a time, on one OS
 * thread.
 */
#ifndef SIM_STEPS_H
#define SIM_STEPS_H

#include <stdbool.h>
#include <stdint.h>

/* Actions at the next basic block while a launch runs: */
#define PENDING_WRITE 1u                /* judge a write that has happened */
#define PENDING_TEST 2u                 /* volatile reads were tests */
#define PENDING_STEP 4u                 /* subtract the block from the step budget */
#define PENDING_COUNT 8u                /* count the block */
#define PENDING_CLOCK 16u               /* the clock of the launch advances */

/* State of the running thread; sim/cuda/cuda_c.h relies on this layout in assembly. The step budget
 * sets PENDING_STEP, the checker all other fields (sim/check/check_hooks.c). */
struct ft_check_block {
	uintptr_t pc;                   /* of the basic block it entered last */
	unsigned pending;               /* actions at the next basic block: PENDING_*, or 0 */
	uint32_t launch;                /* number of the running launch (sim/check/lines.h) */
};
extern struct ft_check_block ft_check_block;

/* A lane has read the clock, which counts the basic blocks that the launch enters from here on. */
void steps_watch_clock(void);
/* A launch begins that may enter `budget` basic blocks; 0: no limit. */
void steps_begin(uint64_t budget);
/* The launch is over. Returns whether it was ended because the budget ran out. */
bool steps_end(void);
/* The running thread has entered a basic block. pc: return address of the hook. If the budget has
 * run out, ends the launch with error 702 and does not return. */
void steps_take(uintptr_t pc);
/* Called at each SIGVTALRM, sent while there is a budget. True if no step was taken since the
 * last signal, as in an empty loop, where compilers call no hook. The caller must then end the
 * launch. */
bool steps_stuck(void);
/* Why the launch ended, as text; valid until the next call. */
const char *steps_reason(void);

#endif
