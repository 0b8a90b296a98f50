/* viewer_screens.c - the screens, in the order of their tabs; see viewer_screens.h. */
#include "tui/viewer/viewer_screens.h"

#include "tui/views/view_list.h"

/* The first keys of each hint fit on 80 columns. */
#define ALL_HINTS "  ? keys  q back  enter open  w who wrote  ; sql  / find"

const struct viewer_screen viewer_screens[] = {
	{ '1', "Step", &view_step, WALK_STEP,
	  ". play  s/S frame  d/D step  l/h head  z/Z layer" ALL_HINTS },
	{ '2', "KV", &view_kv, WALK_LAUNCH,
	  "d/D step  l/h head  z/Z layer  f/F launch  + all" ALL_HINTS },
	{ '3', "Chunks", &view_chunks, WALK_BLOCK,
	  "j/k chunk  t/T tile  l/h head  z/Z layer  d/D step" ALL_HINTS },
	{ '4', "Reduce", &view_reduce, WALK_BLOCK,
	  "s/S merge  l/h head  z/Z layer  d/D step  x digits" ALL_HINTS },
	{ '5', "Diff", &view_diff, WALK_LAUNCH,
	  "j/k row  f/F launch  u distance  x digits" ALL_HINTS },
	{ '6', "Source", &view_source, WALK_POINT,
	  "s/S point  * break  c/C run to it  )/( block" ALL_HINTS },
	{ '7', "Finds", &view_findings, WALK_LAUNCH,
	  "e/E finding  enter its line  j/k row" ALL_HINTS },
	{ '8', "Text", &view_attention, WALK_STEP,
	  "d/D step  l/h head  z/Z layer  L scale  j/k row" ALL_HINTS },
	{ '9', "Memory", &view_memory, WALK_REQUEST,
	  "a/A request  )/( block  f/F launch  j/k line" ALL_HINTS },
	{ '0', "Time", &view_time, WALK_OP,
	  "o/O operation  f/F launch  d/D step  j/k row" ALL_HINTS },
	{ 'P', "Points", &view_points, WALK_POINT,
	  "s/S point  )/( block  f/F launch  x digits" ALL_HINTS },
	{ 'I', "Launch", &view_launch, WALK_LAUNCH,
	  "f/F launch  j/k row  w inputs  r readers" ALL_HINTS },
	{ 'i', "Info", &view_summary, WALK_STEP,
	  "enter timeline  1 to 9 screens  d/D step" ALL_HINTS },
	{ 0, NULL, NULL, WALK_OP, "" }
};

const struct viewer_screen *viewer_screen_of(const struct view *view)
{
	const struct viewer_screen *time = NULL;

	for (int i = 0; viewer_screens[i].view; i++) {
		if (viewer_screens[i].view == view)
			return &viewer_screens[i];
		if (viewer_screens[i].view == &view_time)
			time = &viewer_screens[i];
	}
	return time;
}
