/* viewer_work.c - what a key does may take long: in time the screen says so, and any key stops it.
 *
 * SQLite asks here while a query runs; loops over queries ask themselves. Keys typed ahead, before
 * the message was seen, stop nothing: they are for the place that comes. A key that stops work
 * gives them up, as ctrl-C does in any terminal.
 */
#include "config.h"

#include "tui/viewer_internal.h"

#include <time.h>

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
	if (!work->said_ms && viewer_now_ms() - work->since_ms < QUIET_MS)
		return false;
	if (!work->said_ms) {
		viewer_paint_message("at work: any key stops it");
		work->said_ms = viewer_now_ms();
		work->typed_ahead = term_waiting();
	}
	if (term_interrupted())
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
	for (int i = 0; i < 2 && v->side[i].store; i++)
		sqlite3_progress_handler(store_db(v->side[i].store), STEPS_A_LOOK, function, v);
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
