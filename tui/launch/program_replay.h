/* program_replay.h - compiles the kernels of a recorded program again from the trace. */
#ifndef PROGRAM_REPLAY_H
#define PROGRAM_REPLAY_H

#include <jansson.h>
#include <stdint.h>

#include "base/status.h"
#include "traces/store/store.h"

struct program_replay;
struct user_source;

/* Writes the stored sources to the sandbox's scratch folder and compiles the kernels in them; host
 * code is only parsed. `options`: those of the run, as recorded. Of `how`, uses cuda, check, steps,
 * points and sandbox. USAGE for a GPU; DAMAGED if the trace lacks the sources or has a flag that
 * recorded_flags_take() refuses; the errors of program_build_kernels(). Free *out after a failure
 * too. */
enum status program_replay_prepare(struct store *, int64_t run, const json_t *options,
				   const struct user_source *how, struct program_replay **out);
/* Loads the kernels and registers them. */
enum status program_replay_load(struct program_replay *);
/* NULL is allowed. */
void program_replay_free(struct program_replay *);

#endif
