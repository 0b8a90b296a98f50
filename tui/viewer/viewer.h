/* viewer.h - `flashtwin view` on a terminal: shows screens of a trace, controlled by keys.
 *
 * The place alone determines what is shown: the trace, the run, the screen and the address. Every
 * key changes that place or how it is painted. Needs neither engine nor GPU.
 */
#ifndef VIEWER_H
#define VIEWER_H

#include "tui/views/view.h"

struct viewer_options {
	struct store *store, *other;    /* other: a second trace, or NULL */
	int64_t run;                    /* of store, shown first */
	struct address at;              /* address_none: the first step */
	const struct view *view;        /* NULL: the timeline */
	struct view_format looks;
	bool ascii, color, mouse;
	bool play;                      /* begins to play the step at once */
	view_replay_fn *replay;         /* recomputes points that a trace lacks; or NULL */
	void *replay_context;
};

/* Returns when the user quits. USAGE without a suitable terminal; INTERRUPTED after SIGINT. SIGTERM
 * and SIGHUP end the process as usual, after the terminal is restored. */
enum status viewer_run(const struct viewer_options *);

struct viewer;

/* Sets up a zeroed viewer at its first place; the caller sets up the terminal and the locale.
 * Call viewer_end() also after an error. */
enum status viewer_begin(struct viewer *, const struct viewer_options *);
void viewer_end(struct viewer *);

#endif
