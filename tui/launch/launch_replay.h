/* launch_replay.h - the kernel of a recorded `flashtwin launch`, compiled again from the trace. */
#ifndef LAUNCH_REPLAY_H
#define LAUNCH_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "traces/store/store.h"

struct launch_replay;
struct user_source;

/* Compiles the kernel of a run of `launch`; *out is NULL for a run of anything else. how: cuda,
 * check and steps are the caller's. Interrupts are deferred from then on. COMPILE when the recorded
 * source does not compile, DAMAGED when the trace does not say what was launched; the errors of
 * user_kernel_build(). *out is to be freed after failure too. */
enum status launch_replay_prepare(struct store *, int64_t run, const struct user_source *how,
				  struct launch_replay **out);
/* Loads the kernel, which runs the user's code, and registers it. */
enum status launch_replay_load(struct launch_replay *);
/* Removes the temporary files; the kernel is registered no more. NULL is fine. */
void launch_replay_free(struct launch_replay *);

#endif
