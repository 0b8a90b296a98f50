/* view_recompute.h - points, partials and outputs of launches that the trace does not have,
 * recomputed on the simulator.
 *
 * A screen calls view_recompute() for the launches whose points it reads; after that the v_* views
 * and w_point have them (traces/store/overlay.h), and the screen says where they are from. What was
 * recomputed is kept for a while, so that a launch is not replayed for every key.
 */
#ifndef VIEW_RECOMPUTE_H
#define VIEW_RECOMPUTE_H

#include "tui/views/view.h"

#define RECOMPUTED_TEXT 100

enum recomputed { RECOMPUTED_NOT, RECOMPUTED_OK, RECOMPUTED_LATER, RECOMPUTED_REFUSED };

/* Where points of a screen are from; begins as zeros. */
struct view_recomputed {
	enum recomputed how;            /* of several launches, the largest */
	char why[RECOMPUTED_TEXT];      /* why it was refused, without the name of the trace */
};

/* NULL if `replay` is NULL. */
struct view_recompute *view_recompute_create(view_replay_fn *replay, void *context);
/* NULL is allowed. */
void view_recompute_free(struct view_recompute *);

/* --- for the viewer: replays in a thread --- */

/* From now on, launches are replayed in a thread, and view_recompute() says RECOMPUTED_LATER; while
 * `stopped` is given (not NULL), it waits instead, and is INTERRUPTED when that returns true. */
typedef bool view_stopped_fn(void *context);
void view_recompute_aside(struct view_recompute *, view_stopped_fn *stopped, void *context);
/* To be called before and after what is shown is drawn: a replay that it has no use for is
 * stopped. */
void view_recompute_begin(struct view_recompute *);
void view_recompute_end(struct view_recompute *);
/* Whether a replay is under way; *ready: it has ended, and drawing again shows what came of it. */
bool view_recompute_under_way(const struct view_recompute *, bool *ready);

/* --- for screens --- */

/* Recomputes a launch unless the trace has points of this name for it (NULL: of any name), or its
 * kernel publishes none. A refusal is not an error: what the screen shows is then what was
 * recorded. INTERRUPTED if the user stopped it. */
enum status view_recompute(const struct view_context *, int64_t launch, const char *point,
			   struct view_recomputed *);
/* Prints one line if something was recomputed, is being recomputed or was refused. Returns whether
 * it did. */
bool view_recomputed_note(const struct view_context *, const struct view_recomputed *);

#endif
