/* launch_replay.h - the kernel of a recorded `flashtwin launch`, compiled again from the trace. */
#ifndef LAUNCH_REPLAY_H
#define LAUNCH_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/status.h"
#include "traces/store.h"

struct launch_replay;
struct user_source;

/* Compiles and registers the kernel of a run of `launch`; *out is NULL for a run of anything else.
 * how: cuda, check and steps are the caller's. COMPILE when the recorded source does not compile, DAMAGED when the trace
 * does not say what was launched; the errors of user_kernel_build(). *out is to be freed after
 * failure too. */
enum status launch_replay_prepare(struct store *, int64_t run,
				  const struct user_source *how, struct launch_replay **out);
void launch_replay_free(struct launch_replay *);

#endif
