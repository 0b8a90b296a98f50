/* viewer_work.c - what a key does may take long: after a while the screen says so, and any key
 * stops it.
 *
 * SQLite asks while a query runs; loops over queries ask themselves. Nothing is stopped before the
 * screen has said that it could be, so keys typed ahead of short work are never lost.
 */
#include "config.h"

#include "tui/viewer_internal.h"

#include <string.h>
#include <time.h>

#define QUIET_MS 200
#define AT_WORK "at work: any key stops it"
#define STEPS_A_LOOK 5000               /* of SQLite's virtual machine, some 0.1 ms */

int64_t viewer_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool viewer_work_stopped(struct viewer *v)
{
	struct viewer_work *work = &v->work;

	if (!work->going || work->stopped)
		return work->stopped;
	if (term_interrupted())
		return work->stopped = true;
	if (viewer_now_ms() - work->since_ms < QUIET_MS)
		return false;
	if (!work->said) {
		work->said = true;
		viewer_say(v, AT_WORK);
		viewer_paint(v);
	}
	if (!term_key_waits())
		return false;
	if (term_key() == TERM_LOST)
		v->quit = true;
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
	if (strcmp(v->message, AT_WORK) == 0)
		v->message[0] = '\0';
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
