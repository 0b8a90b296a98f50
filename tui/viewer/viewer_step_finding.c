/* viewer_step_finding.c - the keys that step through findings, and the launch of a place. */
#include "config.h"

#include "tui/viewer/viewer_internal.h"

#include "tui/viewer/viewer_walk.h"
#include "tui/views/view_findings.h"

/* The launch of the place; a step or operation counts as the last launch before it. */
enum status viewer_launch_here(struct viewer *v, int64_t *launch)
{
	struct view_context c = viewer_context(v, 0);
	struct address at = v->here.at;
	bool moved;

	*launch = at.launch;
	if (*launch >= 0)
		return STATUS_OK;
	TRY(walk_step(&c, WALK_LAUNCH, -1, &at, &moved));
	*launch = moved ? at.launch : -1;
	return STATUS_OK;
}

/* --- findings --- */

static enum status find_finding(struct viewer *v, int direction)
{
	struct view_context c = viewer_context(v, 0);
	struct address at = v->here.at;
	bool found;

	if (at.launch < 0)
		TRY(viewer_launch_here(v, &at.launch));
	/* Not the launch before a step, whose findings lie before the place. */
	if (v->here.at.launch < 0)
		at.block = INT64_MAX;
	TRY(view_findings_step(&c, direction, &at, &found));
	if (found)
		viewer_jump(v, v->here.view, &at);
	else
		viewer_say(v, direction > 0 ? "no finding behind this place"
			   : "no finding before this place");
	return STATUS_OK;
}

enum status viewer_next_finding(struct viewer *v, int key)
{
	(void)key;
	return find_finding(v, 1);
}

enum status viewer_previous_finding(struct viewer *v, int key)
{
	(void)key;
	return find_finding(v, -1);
}
