/* steps.h - the step budget of a launch: how many basic blocks its threads may enter.
 *
 * Only kernels compiled with -fsanitize-coverage=trace-pc count: the checked builds, and users'
 * kernels built for it. One launch at a time, on one OS thread.
 */
#ifndef SIM_STEPS_H
#define SIM_STEPS_H

#include <stdbool.h>
#include <stdint.h>

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
