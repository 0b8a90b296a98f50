/* mark.h - the end of a piece of work, for those who wait for it. Private to sim/. */
#ifndef SIM_MARK_H
#define SIM_MARK_H

#include <stdbool.h>

#include "sim/check/check.h"

/* Ends when a piece of work has: an event's record, a launch of a graph. Counted references. */
struct mark {
	int references;
	bool done;
	struct clock *order;            /* of a checked device: what comes before the end */
};

struct mark *mark_keep(struct mark *);  /* NULL is fine, here and below */
void mark_drop(struct mark *);
/* *place, which held a reference or NULL, holds one to a new mark. */
struct mark *mark_renew(struct mark **place);

#endif
