/* viewer.h - `flashtwin view` on a terminal: a screen of a trace, moved by keys.
 *
 * What is shown follows from a place alone: the trace, the run, the screen and the address. Every
 * key changes that place or how it is painted. Needs neither engine nor GPU.
 */
#ifndef VIEWER_H
#define VIEWER_H

#include "tui/views/view.h"

struct viewer_options {
	struct store *store, *other;    /* other: a second trace, or NULL */
	int64_t run;                    /* of store, that is shown first */
	struct address at;              /* address_none: the first step */
	const struct view *view;        /* NULL: the timeline */
	struct view_format looks;
	bool ascii, color, mouse;
};

/* Returns when the user quits. USAGE when there is no terminal that could show it; INTERRUPTED
 * after SIGINT. A SIGTERM or SIGHUP ends the process as ever, with the terminal restored. */
enum status viewer_run(const struct viewer_options *);

struct viewer;

/* From a zeroed viewer to its first place; the terminal and its locale are the caller's business.
 * Ended in any case. */
enum status viewer_begin(struct viewer *, const struct viewer_options *);
void viewer_end(struct viewer *);

#endif
