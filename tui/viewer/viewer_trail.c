/* viewer_trail.c - remembers steps, and undoes them; see viewer_trail.h. */
#include "tui/viewer/viewer_trail.h"

#include <string.h>

/* The last step, if it ended here; forgets all of them if it did not. */
static const struct trail_step *last_step(struct trail *trail, const struct address *at)
{
	if (trail->count > 0 && address_equal(&trail->steps[trail->count - 1].to, at))
		return &trail->steps[trail->count - 1];
	trail->count = 0;
	return NULL;
}

static void remember(struct trail *trail, const struct trail_step *step)
{
	if (trail->count == TRAIL_STEPS)
		memmove(&trail->steps[0], &trail->steps[1],
			(size_t)--trail->count * sizeof trail->steps[0]);
	trail->steps[trail->count++] = *step;
}

enum status trail_step(const struct view_context *c, struct trail *trail, enum walk_grain grain,
		       const char *table, int direction, struct address *at, bool *moved)
{
	const struct trail_step *last = last_step(trail, at);
	struct trail_step step = { grain, table, direction, *at, *at };

	if (last && last->grain == grain && last->table == table && last->direction != direction) {
		*at = last->from;
		trail->count--;
		*moved = true;
		return STATUS_OK;
	}
	if (table)
		TRY(walk_rows(c, table, direction, &step.to, moved));
	else
		TRY(walk_step(c, grain, direction, &step.to, moved));
	if (*moved) {
		*at = step.to;
		remember(trail, &step);
	}
	return STATUS_OK;
}
