/* launch_replay.h - compiles the kernels of a recorded `launch` or `run` again from the trace. */
#ifndef LAUNCH_REPLAY_H
#define LAUNCH_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "traces/store/store.h"

struct launch_replay;
struct user_source;

/* Whether the run is one of `launch` or `run`, so that its replay runs code of whoever recorded
 * it: kernels, never the host code of a program. */
enum status launch_replay_needed(struct store *, int64_t run, bool *needed);
/* Compiles the kernels of such a run; *out is NULL for a run of another command. The caller
 * sets cuda, check, steps and sandbox in `how`. COMPILE if the recorded source does not compile,
 * DAMAGED if the trace lacks what was launched or has a flag that recorded_flags_take() refuses;
 * the errors of user_kernel_build(). Free *out after a failure too. */
enum status launch_replay_prepare(struct store *, int64_t run, const struct user_source *how,
				  struct launch_replay **out);
/* Whether it is a run of `run`, whose program need not free its memory. */
bool launch_replay_is_program(const struct launch_replay *);
/* Loads the kernels, which runs the user's code, and registers them. */
enum status launch_replay_load(struct launch_replay *);
/* Unregisters the kernels. NULL is allowed. */
void launch_replay_free(struct launch_replay *);

#endif
