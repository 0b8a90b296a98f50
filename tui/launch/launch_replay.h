/* launch_replay.h - compiles the kernel of a recorded `flashtwin launch` again from the trace. */
#ifndef LAUNCH_REPLAY_H
#define LAUNCH_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "traces/store/store.h"

struct launch_replay;
struct user_source;

/* Whether the run is one of `launch`, so that its replay runs code of whoever recorded it. USAGE
 * for a run of `run`: its kernels cannot be compiled from the trace yet. */
enum status launch_replay_needed(struct store *, int64_t run, bool *needed);
/* Compiles the kernel of a run of `launch`; *out is NULL for a run of another command. The caller
 * sets cuda, check, steps and sandbox in `how`. COMPILE if the recorded source does not compile,
 * DAMAGED if the trace lacks what was launched or has a flag that recorded_flags_take() refuses;
 * the errors of user_kernel_build(). Free *out after a failure too. */
enum status launch_replay_prepare(struct store *, int64_t run, const struct user_source *how,
				  struct launch_replay **out);
/* Loads the kernel, which runs the user's code, and registers it. */
enum status launch_replay_load(struct launch_replay *);
/* Unregisters the kernel. NULL is allowed. */
void launch_replay_free(struct launch_replay *);

#endif
