/* viewer_screens.c - the screens, in the order of their tabs; see viewer_screens.h. */
#include "tui/viewer/viewer_screens.h"

#include "tui/views/view_list.h"

const struct viewer_screen viewer_screens[] = {
	{ '1', "Time", &view_time, WALK_OP },
	{ '2', "KV", &view_kv, WALK_LAUNCH },
	{ '3', "Chunks", &view_chunks, WALK_BLOCK },
	{ '4', "Reduce", &view_reduce, WALK_BLOCK },
	{ '5', "Diff", &view_diff, WALK_LAUNCH },
	{ '6', "Source", &view_source, WALK_POINT },
	{ '7', "Finds", &view_findings, WALK_LAUNCH },
	{ '8', "Text", &view_attention, WALK_STEP },
	{ '9', "Points", &view_points, WALK_POINT },
	{ '0', "Launch", &view_launch, WALK_LAUNCH },
	{ 'i', "Info", &view_summary, WALK_STEP },
	{ 0, NULL, NULL, WALK_OP }
};

const struct viewer_screen *viewer_screen_of(const struct view *view)
{
	for (int i = 0; viewer_screens[i].view; i++)
		if (viewer_screens[i].view == view)
			return &viewer_screens[i];
	return &viewer_screens[0];
}
