/* steps.h - basic blocks: which one runs, what is due at the next, and how many a launch may enter.
 *
 * Only kernels compiled with -fsanitize-coverage=trace-pc count: the checked builds, and users'
 * kernels built for it. One launch at a time, on one OS thread.
 */
#ifndef SIM_STEPS_H
#define SIM_STEPS_H

#include <stdbool.h>
#include <stdint.h>

/* Due at each basic block while a launch runs: */
#define PENDING_WRITE 1u                /* judge a write that has happened */
#define PENDING_STEP 4u                 /* take it off the step budget */
#define PENDING_COUNT 8u                /* count it */

/* Of the running thread; sim/cuda/cuda_c.h spells this out in assembly. The step budget sets
 * PENDING_STEP, the checker all else (sim/check/check_hooks.c). */
struct ft_check_block {
	uintptr_t pc;                   /* of the basic block it entered last */
	unsigned pending;               /* what the next one is to do: PENDING_*; else 0 */
	uint32_t launch;                /* running, as cells of blocks know it (sim/check/lines.h) */
};
extern struct ft_check_block ft_check_block;

/* The launch that begins may enter `budget` basic blocks; 0: any number. */
void steps_begin(uint64_t budget);
/* The launch is over: whether it was ended because the budget ran out. */
bool steps_end(void);
/* The running thread has entered one. pc: return address of the hook. Ends the launch with error
 * 702 when that was one too many; then never returns. */
void steps_take(uintptr_t pc);
/* At a SIGVTALRM, which comes while there is a budget: whether none was taken since the last, as in
 * an empty loop, where compilers call no hook. The launch is then to end. */
bool steps_stuck(void);
/* Why it ended, in words; good until the next call. */
const char *steps_reason(void);

#endif
