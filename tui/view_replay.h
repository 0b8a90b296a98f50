/* view_replay.h - replays one launch for the viewer, of our own kernels and of users' kernels. */
#ifndef VIEW_REPLAY_H
#define VIEW_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct store;

/* As view_replay_fn in tui/views/view.h. Kernels of users run only with `trust`, in a process of
 * `program`, a flashtwin, whose `replay` compiles and isolates them; the trace must then be a file.
 * Its errors become the status that belongs to its exit code, with its message. */
enum status view_replay(struct store *, int64_t run, int64_t launch, bool trust,
			const char *program, struct store **out);
/* The same as a view_replay_fn for this program; `trust` is a bool. */
enum status view_replay_here(void *trust, struct store *, int64_t run, int64_t launch,
			     struct store **out);

#endif
