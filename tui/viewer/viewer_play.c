/* viewer_play.c - plays a step frame by frame, forward or backward, on the Step screen.
 *
 * A frame is an address, so every frame can be returned to. While frames are shown, the screen
 * leaves out what the step has not done yet; any other key shows the whole step again.
 */
#include "config.h"

#include "tui/viewer/viewer_play.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "tui/viewer/viewer_actions.h"
#include "tui/viewer/viewer_walk.h"
#include "tui/viewer/viewer_work.h"
#include "tui/views/step/step.h"
#include "tui/views/view_list.h"

/* Milliseconds of a frame, from slow to fast. */
static const int speeds[] = { 3000, 2000, 1200, 700, 400, 200, 100 };
#define SPEEDS (int)(sizeof speeds / sizeof speeds[0])
#define USUAL_SPEED 3

static int frame_ms(const struct viewer *v)
{
	return speeds[v->play.speed + USUAL_SPEED];
}

int64_t viewer_play_due(const struct viewer *v)
{
	return v->play.going ? v->play.due_ms : 0;
}

bool viewer_play_key(const struct viewer *v, int key)
{
	bool frame = v->here.view == &view_step && (key == 's' || key == 'S');

	return frame || key == '.' || key == ',' || key == '<' || key == '>';
}

void viewer_play_leave(struct viewer *v)
{
	v->play.going = v->play.shown = false;
	if (v->play.memory)
		step_memory_clear(v->play.memory);
}

void viewer_play_free(struct viewer *v)
{
	viewer_play_leave(v);
	free(v->play.memory);
	v->play.memory = NULL;
}

static bool stopped(void *viewer)
{
	return viewer_work_stopped(viewer);
}

/* The step of the place and its frames, of which it has all only once its points are known; count
 * 0: there are none. */
static enum status read_frames(struct viewer *v, const struct step_memory **out)
{
	struct view_context c = viewer_context(v, 0);
	enum status status;
	bool found;

	if (!v->play.memory)
		v->play.memory = xcalloc(1, sizeof *v->play.memory);
	*out = v->play.memory;
	view_recompute_aside(v->recompute, stopped, v);
	status = step_memory_read(&c, v->play.memory, &found);
	view_recompute_aside(v->recompute, NULL, NULL);
	return status;
}

static void show(struct viewer *v, const struct step *s, const struct step_frame *frame)
{
	char text[64];

	v->play.shown = true;
	viewer_go(v, &frame->at);
	step_frame_text(s, frame, text);
	viewer_say(v, "%s", text);
}

/* From the last frame forward, or the first one back: another step, if there is one. */
static enum status next_step(struct viewer *v, int direction, bool *moved)
{
	struct view_context c = viewer_context(v, 0);
	struct address at = v->here.at;

	TRY(walk_step(&c, WALK_STEP, direction, &at, moved));
	if (*moved)
		viewer_go(v, &at);
	return STATUS_OK;
}

/* Moves by one frame. If the whole step is shown, begins with the first or last frame, or at the
 * point that the address names. */
static enum status move(struct viewer *v, int direction)
{
	const struct step_memory *m;
	int64_t at;

	TRY(read_frames(v, &m));
	at = v->play.shown || v->here.at.point >= 0
		? step_frame_at(m->frames, m->count, &v->here.at) : -1;
	if (m->count == 0) {
		v->play.going = false;
		viewer_say(v, "no frames here: nothing attends");
	} else if (at < 0) {
		show(v, &m->step, &m->frames[direction > 0 ? 0 : m->count - 1]);
	} else if (at + direction >= 0 && at + direction < m->count) {
		show(v, &m->step, &m->frames[at + direction]);
	} else {
		v->play.going = false;
		viewer_say(v, direction > 0 ? "the step has ended: . plays the next one"
			   : "the step begins here: , plays the one before");
	}
	return STATUS_OK;
}

void viewer_play_tick(struct viewer *v)
{
	if (move(v, v->play.direction) != STATUS_OK) {
		v->play.going = false;
		viewer_show_error(v);
	}
	v->play.due_ms = clock_ms() + frame_ms(v);
}

/* Whether the place is the last frame of its step in that direction. */
static enum status at_end(struct viewer *v, int direction, bool *end)
{
	const struct step_memory *m;

	TRY(read_frames(v, &m));
	*end = m->count > 0
		&& address_equal(&m->frames[direction > 0 ? m->count - 1 : 0].at, &v->here.at);
	return STATUS_OK;
}

enum status viewer_play_begin(struct viewer *v, int direction)
{
	bool end = false, moved;

	if (v->here.view != &view_step)
		TRY(viewer_open_view(v, &view_step));
	if (v->play.shown)
		TRY(at_end(v, direction, &end));
	if (end) {
		TRY(next_step(v, direction, &moved));
		if (!moved) {
			viewer_say(v, direction > 0 ? "this is the last step"
				   : "this is the first step");
			return STATUS_OK;
		}
	}
	v->play.direction = direction;
	v->play.going = true;
	viewer_play_tick(v);
	return STATUS_OK;
}

/* Plays, or pauses what plays in this direction. */
static enum status toggle(struct viewer *v, int direction)
{
	if (v->play.going && v->play.direction == direction) {
		v->play.going = false;
		viewer_say(v, "paused: . goes on, , goes back");
		return STATUS_OK;
	}
	return viewer_play_begin(v, direction);
}

/* Another frame; from the last one, the first of the next step. */
static enum status go_to_frame(struct viewer *v, int direction)
{
	TRY(viewer_play_begin(v, direction));
	v->play.going = false;
	return STATUS_OK;
}

static enum status set_speed(struct viewer *v, int by)
{
	int speed = v->play.speed + by;

	if (speed + USUAL_SPEED >= 0 && speed + USUAL_SPEED < SPEEDS)
		v->play.speed = speed;
	viewer_say(v, "a frame every %.1f s", frame_ms(v) / 1000.0);
	return STATUS_OK;
}

#define PLAY(name, call) \
	enum status viewer_##name(struct viewer *v, int key) \
	{ \
		(void)key; \
		return call; \
	}
PLAY(play, toggle(v, 1))
PLAY(play_back, toggle(v, -1))
PLAY(next_frame, go_to_frame(v, 1))
PLAY(previous_frame, go_to_frame(v, -1))
PLAY(slower, set_speed(v, -1))
PLAY(faster, set_speed(v, 1))
