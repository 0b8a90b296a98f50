/* viewer_work.c - what a key does may take long: in time the screen says so, and any key stops it.
 *
 * SQLite asks here while a query runs; loops over queries ask themselves. Keys typed ahead, before
 * the message was seen, stop nothing: they are for the place that comes. A key that stops work
 * gives them up, as ctrl-C does in any terminal.
 */
#include "config.h"

#include "tui/viewer/viewer_work.h"

#include <time.h>

#include "traces/store/store_index.h"
#include "tui/viewer/viewer_paint.h"

#define QUIET_MS 30
#define STEPS_A_LOOK 1000               /* of SQLite's virtual machine, some 20 us */

int64_t viewer_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void take_typed(struct viewer *v)
{
	do {
		if (term_key() == TERM_LOST)
			v->quit = true;
	} while (!v->quit && term_waiting() > 0);
}

bool viewer_work_stopped(struct viewer *v)
{
	struct viewer_work *work = &v->work;

	if (!work->going || work->stopped)
		return work->stopped;
	if (work->idle)
		return work->stopped = term_wanted();
	if (!work->said_ms && viewer_now_ms() - work->since_ms < QUIET_MS)
		return false;
	if (!work->said_ms) {
		viewer_paint_message("at work: any key stops it");
		work->said_ms = viewer_now_ms();
		work->typed_ahead = term_waiting();
	}
	if (term_interrupted()
	    || (v->patience_ms && !work->stops
		&& viewer_now_ms() - work->said_ms >= v->patience_ms))
		return work->stopped = true;
	if (term_waiting() <= work->typed_ahead)
		return false;
	take_typed(v);
	return work->stopped = true;
}

static int look(void *state)
{
	return viewer_work_stopped(state);
}

static void set_look(struct viewer *v, int (*function)(void *))
{
	for (int i = 0; i < 2 && v->side[i].store; i++) {
		sqlite3_progress_handler(store_db(v->side[i].store), STEPS_A_LOOK, function, v);
		/* What fails here fails again where it is asked for, and is said there. */
		if (!function && store_index_resume(v->side[i].store) != STATUS_OK)
			error_clear();
	}
}

void viewer_work_begin(struct viewer *v)
{
	v->work = (struct viewer_work){ .going = true, .since_ms = viewer_now_ms() };
	set_look(v, look);
}

void viewer_work_end(struct viewer *v)
{
	v->work.going = false;
	set_look(v, NULL);
}

void viewer_work_resume(struct viewer *v)
{
	v->work.stopped = false;
	v->work.stops++;
	v->work.typed_ahead = term_waiting();
	set_look(v, NULL);
	set_look(v, look);
}

static bool stopped(void *viewer)
{
	return viewer_work_stopped(viewer);
}

/* Whether the first difference was found, or that there is none. */
static bool go_on_with_scan(struct viewer *v)
{
	struct view_scan *s = &v->scan;

	if (!s->pair.store[0] || s->outcome != DIFF_STOPPED)
		return false;
	if (diff_spot_step(&s->pair, 1, &s->spot, stopped, v, &s->outcome) != STATUS_OK) {
		error_clear();          /* the drawing says it */
		return false;
	}
	return s->outcome != DIFF_STOPPED;
}

/* What fails here fails again where it is asked for, and is said there. */
bool viewer_work_idle(struct viewer *v)
{
	bool news = false;

	if (v->ready)
		return false;
	v->work = (struct viewer_work){ .going = true, .idle = true };
	set_look(v, look);
	for (int i = 0; i < 2 && v->side[i].store; i++)
		if (store_index_kernels(v->side[i].store) != STATUS_OK
		    || store_index_kv(v->side[i].store) != STATUS_OK
		    || store_index_buffers(v->side[i].store) != STATUS_OK)
			error_clear();
	set_look(v, NULL);
	if (!v->work.stopped)
		news = go_on_with_scan(v);
	v->ready = !v->work.stopped;
	viewer_work_end(v);
	return news;
}

int viewer_wait_key(struct viewer *v)
{
	int key;

	v->work.going = false;
	key = term_key();
	if (key == TERM_LOST)
		v->quit = true;
	v->work = (struct viewer_work){ .going = true, .since_ms = viewer_now_ms() };
	return key;
}
