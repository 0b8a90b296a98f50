/* mark.h - marks the end of a piece of work that others wait for. Private to sim/. */
#ifndef SIM_MARK_H
#define SIM_MARK_H

#include <stdbool.h>

#include "sim/check/check.h"

/* Done when its work is: the record of an event, or a launch of a graph. Reference-counted. */
struct mark {
	int references;
	bool done;
	struct clock *order;            /* on a checked device: the operations before it */
};

struct mark *mark_keep(struct mark *);  /* NULL is allowed, here and below */
void mark_drop(struct mark *);
/* Replaces the reference in *place, or NULL, by one to a new mark. */
struct mark *mark_renew(struct mark **place);

#endif
