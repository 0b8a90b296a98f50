/* viewer_difference.c - the keys ] and [, which go to the next or previous difference of two runs.
 *
 * On the Diff screen they go from element to element and point to point, on other screens from
 * launch to launch. The same key resumes a search that was stopped.
 */
#include "config.h"

#include "tui/viewer/viewer_actions.h"

#include <string.h>

#include "tui/viewer/viewer_work.h"
#include "tui/views/element/view_element.h"
#include "tui/views/element/view_element_spot.h"
#include "tui/views/view_list.h"

static bool stopped(void *viewer)
{
	return viewer_work_stopped(viewer);
}

/* A search for whole launches starts after, or before, everything in the launch shown. */
static enum status begin_at(struct viewer *v, bool launches, int direction,
			    struct diff_spot *spot)
{
	struct view_context c = viewer_context(v, 0);

	TRY(element_address_spot(&c, &v->here.at, spot));
	if (launches && v->here.at.launch >= 0)
		spot->part = direction > 0 ? SPOT_AFTER : SPOT_BEFORE;
	return STATUS_OK;
}

static enum status go_to_spot(struct viewer *v, const struct diff_spot *spot, bool launches)
{
	struct view_context c = viewer_context(v, 0);
	struct address at;

	TRY(element_spot_address(&c, spot, &at));
	if (launches) {
		at = address_none;
		at.launch = spot->launch;
	}
	viewer_jump(v, v->here.view, &at);
	return STATUS_OK;
}

static enum status find_difference(struct viewer *v, int direction)
{
	struct view_context c = viewer_context(v, 0);
	struct viewer_search *s = &v->difference;
	bool launches = v->here.view != &view_diff, some;
	enum diff_outcome outcome;
	struct diff_pair pair;

	TRY(element_pair(&c, &pair, &some));
	if (!s->begun || s->direction != direction || s->view != v->here.view
	    || !address_equal(&s->from, &v->here.at)) {
		*s = (struct viewer_search){ .from = v->here.at, .view = v->here.view,
					     .direction = direction };
		TRY(begin_at(v, launches, direction, &s->spot));
	}
	/* The Diff screen may already have compared both runs completely. */
	if (memcmp(&v->scan.pair, &pair, sizeof pair) == 0 && v->scan.outcome == DIFF_NONE)
		outcome = DIFF_NONE;
	else
		TRY(diff_spot_step(&pair, direction, &s->spot, stopped, v, &outcome));
	s->begun = outcome == DIFF_STOPPED;
	if (outcome == DIFF_FOUND)
		return go_to_spot(v, &s->spot, launches);
	if (outcome == DIFF_STOPPED)
		viewer_say(v, "stopped at L%lld, no difference so far: the same key resumes",
			   (long long)s->spot.launch);
	else
		viewer_say(v, "no difference %s this place: the two runs recorded the same",
			   direction > 0 ? "after" : "before");
	return STATUS_OK;
}

enum status viewer_next_difference(struct viewer *v, int key)
{
	(void)key;
	return find_difference(v, 1);
}

enum status viewer_previous_difference(struct viewer *v, int key)
{
	(void)key;
	return find_difference(v, -1);
}
