/* viewer_step_finding.c - the keys that step through findings. */
#include "config.h"

#include "tui/viewer/viewer_actions.h"

#include "tui/viewer/viewer_walk.h"
#include "tui/views/kernel/view_findings.h"

static enum status find_finding(struct viewer *v, int direction)
{
	struct view_context c = viewer_context(v, 0);
	struct address at = v->here.at;
	bool found;

	if (at.launch < 0)
		TRY(viewer_launch_here(v, &at.launch));
	/* Skip the findings of the launch before a step: they come before the place. */
	if (v->here.at.launch < 0)
		at.block = INT64_MAX;
	TRY(view_findings_step(&c, direction, &at, &found));
	if (found)
		viewer_jump(v, v->here.view, &at);
	else
		viewer_say(v, direction > 0 ? "no later finding"
			   : "no earlier finding");
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
