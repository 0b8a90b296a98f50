/* viewer_work.c - long work: shows a message after a moment, and lets any key stop it.
 *
 * SQLite calls viewer_work_stopped() while a query runs; loops over queries call it themselves.
 * Keys typed before the message was shown do not stop work: they apply to the next screen. A key
 * that stops the work of another key discards them, as ctrl-C does in any terminal. While a screen
 * is drawn, no key is lost: one that needs the rows of the screen waits for it, and any other stops
 * the drawing and then does what it always does.
 */
#include "config.h"

#include "tui/viewer/viewer_work.h"

#include "base/clock.h"
#include "traces/store/store_index.h"
#include "tui/viewer/viewer_keys.h"
#include "tui/viewer/viewer_paint.h"

#define QUIET_MS 30
#define ESCAPE 27
#define STEPS_PER_CHECK 1000               /* steps of SQLite's virtual machine, about 20 us */

static void discard_typed(struct viewer *v)
{
	do {
		if (term_key() == TERM_LOST)
			v->quit = true;
	} while (!v->quit && term_waiting() > 0);
}

/* While a screen is drawn: Escape stops that and does nothing else. */
static bool key_stops_drawing(void)
{
	int key = term_peek();

	if (key == ESCAPE)
		term_key();
	return key != 0 && !viewer_key_on_rows(key);
}

bool viewer_work_stopped(struct viewer *v)
{
	struct viewer_work *work = &v->work;

	if (!work->going || work->stopped)
		return work->stopped;
	if (work->idle)
		return work->stopped = term_pending();
	if (!work->said_ms && clock_ms() - work->since_ms < QUIET_MS)
		return false;
	if (!work->said_ms) {
		viewer_paint_message(work->drawing ? "at work: esc stops it"
				     : "at work: any key stops it");
		work->said_ms = clock_ms();
		work->typed_ahead = term_waiting();
	}
	if (term_interrupted()
	    || (v->patience_ms && !work->stops
		&& clock_ms() - work->said_ms >= v->patience_ms))
		return work->stopped = true;
	if (term_waiting() <= work->typed_ahead)
		return false;
	if (work->drawing)
		return work->stopped = key_stops_drawing();
	discard_typed(v);
	return work->stopped = true;
}

static int on_progress(void *state)
{
	return viewer_work_stopped(state);
}

static void set_progress(struct viewer *v, int (*function)(void *))
{
	for (int i = 0; i < 2 && v->side[i].store; i++) {
		sqlite3_progress_handler(store_db(v->side[i].store), STEPS_PER_CHECK, function, v);
		/* If this fails, its next use fails too and reports the error. */
		if (!function && store_index_resume(v->side[i].store) != STATUS_OK)
			error_clear();
	}
}

void viewer_work_begin(struct viewer *v)
{
	v->work = (struct viewer_work){ .going = true, .since_ms = clock_ms() };
	set_progress(v, on_progress);
}

void viewer_work_end(struct viewer *v)
{
	v->work.going = false;
	set_progress(v, NULL);
}

void viewer_work_resume(struct viewer *v)
{
	v->work.stopped = false;
	v->work.stops++;
	v->work.typed_ahead = term_waiting();
	set_progress(v, NULL);
	set_progress(v, on_progress);
}

static bool stopped(void *viewer)
{
	return viewer_work_stopped(viewer);
}

/* Continues the search for the first difference; whether it is finished. */
static bool continue_scan(struct viewer *v)
{
	struct view_scan *s = &v->scan;

	if (!s->pair.store[0] || s->outcome != DIFF_STOPPED)
		return false;
	if (diff_spot_step(&s->pair, 1, &s->spot, stopped, v, &s->outcome) != STATUS_OK) {
		error_clear();          /* drawing reports it */
		return false;
	}
	return s->outcome != DIFF_STOPPED;
}

/* If building an index fails here, its next use fails too and reports the error. */
bool viewer_work_idle(struct viewer *v)
{
	bool news = false;

	if (v->ready)
		return false;
	v->work = (struct viewer_work){ .going = true, .idle = true };
	set_progress(v, on_progress);
	for (int i = 0; i < 2 && v->side[i].store; i++)
		if (store_index_kernels(v->side[i].store) != STATUS_OK
		    || store_index_kv(v->side[i].store) != STATUS_OK
		    || store_index_buffers(v->side[i].store) != STATUS_OK)
			error_clear();
	set_progress(v, NULL);
	if (!v->work.stopped)
		news = continue_scan(v);
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
	v->work = (struct viewer_work){ .going = true, .since_ms = clock_ms() };
	return key;
}
