/* mark.c - reference-counted marks; see mark.h. */
#include "config.h"

#include "sim/device/mark.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct mark *mark_keep(struct mark *mark)
{
	if (mark)
		mark->references++;
	return mark;
}

void mark_drop(struct mark *mark)
{
	if (mark && --mark->references == 0) {
		clock_free(mark->order);
		free(mark);
	}
}

struct mark *mark_renew(struct mark **place)
{
	mark_drop(*place);
	*place = xcalloc(1, sizeof **place);
	(*place)->references = 1;
	return *place;
}
