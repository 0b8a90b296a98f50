/* viewer.c - runs the viewer: draws the place, waits for a key, runs its action, and so on.
 *
 * viewer_keys.c handles keys and viewer_term.c the terminal. Used by `view` and `bench`.
 */
#include "config.h"

#include "tui/viewer/viewer.h"

#include <locale.h>

#include "base/clock.h"
#include "tui/viewer/viewer_draw.h"
#include "tui/viewer/viewer_keys.h"
#include "tui/viewer/viewer_paint.h"
#include "tui/viewer/viewer_play.h"
#include "tui/viewer/viewer_walk.h"
#include "tui/viewer/viewer_work.h"
#include "tui/views/view_list.h"
#include "tui/views/view_query.h"
#include "tui/views/view_recompute.h"

#define LOOK_MS 10                      /* between looks at a replay in the background */

/* The second side shows a run of the other trace if there is one, else the next run of this one. */
static enum status choose_sides(struct viewer *v, const struct viewer_options *o)
{
	int64_t runs;

	v->side[0] = (struct viewer_side){ .store = o->store, .run = o->run };
	TRY(store_run_count(o->other ? o->other : o->store, &runs));
	if (o->other)
		v->side[1] = (struct viewer_side){ .store = o->other,
						   .run = o->run <= runs ? o->run : 1 };
	else if (runs > 1)
		v->side[1] = (struct viewer_side){ .store = o->store,
						   .run = o->run < runs ? o->run + 1 : 1 };
	v->split = o->other != NULL;
	return STATUS_OK;
}

/* A run of an attention path opens on the Step screen. Any other opens on its timeline, but at a
 * line on its source, and at a thread on its points. A request is on the Memory screen. */
static enum status first_view(const struct view_context *c, const struct address *at,
			      const struct view **view)
{
	int64_t attends;

	TRY(VIEW_NUMBER(c, 0, &attends, "SELECT 1 FROM v_run WHERE run = ?1"
			" AND command IN ('decode', 'attend')", c->run));
	*view = at->access >= 0 ? &view_memory
		: attends ? &view_step
		: at->line >= 0 ? &view_source
		: at->lane >= 0 || at->point >= 0 ? &view_points : &view_time;
	return STATUS_OK;
}

/* Without an address, the viewer starts at the first step, else at the first operation. */
static enum status choose_place(struct viewer *v, const struct viewer_options *o)
{
	struct view_context c = viewer_context(v, 0);
	struct address at = o->at;
	int64_t step;
	bool some;

	at.run = o->run > 1 ? o->run : -1;
	if (at.launch < 0 && at.step < 0 && at.op < 0) {
		TRY(VIEW_NUMBER(&c, -1, &step, "SELECT min(step) FROM v_step WHERE run = ?1",
				c.run));
		at.step = step;
		if (step < 0)
			TRY(walk_end(&c, 1, &at, &some));
	}
	v->here = (struct viewer_place){ o->view, at };
	if (!o->view)
		TRY(first_view(&c, &at, &v->here.view));
	viewer_jump(v, v->here.view, &at);
	/* As the screen's key does from there. */
	if (o->view && at.launch >= 0)
		TRY(viewer_open_view(v, o->view));
	return STATUS_OK;
}

/* A key, or TERM_TIMEOUT when a frame is due. TERM_RESIZED, which only draws, when a replay in the
 * background has ended. */
static int next_key(struct viewer *v)
{
	int64_t due = viewer_play_due(v);
	bool ready;

	while (view_recompute_under_way(v->recompute, &ready)) {
		int64_t look = clock_ms() + LOOK_MS;
		bool frame = due && due <= look;
		int key;

		if (ready) {
			viewer_forget(v);
			return TERM_RESIZED;
		}
		key = term_key_until(frame ? due : look);
		if (key != TERM_TIMEOUT || frame)
			return key;
	}
	return term_key_until(due);
}

static void run(struct viewer *v)
{
	viewer_work_begin(v);
	while (!v->quit) {
		int key;

		viewer_draw(v);
		viewer_work_end(v);
		viewer_paint(v);
		if (viewer_work_idle(v))
			continue;
		key = next_key(v);
		v->ready = false;
		viewer_work_begin(v);
		if (key == TERM_TIMEOUT) {
			viewer_play_tick(v);
			continue;
		}
		if (key == TERM_LOST || key == TERM_INTERRUPTED) {
			v->quit = true;
			v->status = key == TERM_LOST ? STATUS_OK : STATUS_INTERRUPTED;
		} else if (key != TERM_RESIZED) {
			viewer_key(v, key);
		}
	}
	viewer_work_end(v);
}

enum status viewer_begin(struct viewer *v, const struct viewer_options *o)
{
	v->keys = viewer_keys;
	v->recompute = view_recompute_create(o->replay, o->replay_context);
	TRY(choose_sides(v, o));
	TRY(choose_place(v, o));
	v->match = -1;
	v->glyphs = term_utf8() && !o->ascii ? GLYPHS_UTF8 : GLYPHS_ASCII;
	return STATUS_OK;
}

void viewer_end(struct viewer *v)
{
	viewer_close_list(v);
	viewer_play_free(v);
	for (int i = 0; i < 2; i++)
		display_free(v->side[i].display);
	view_recompute_free(v->recompute);
}

enum status viewer_run(const struct viewer_options *o)
{
	struct viewer v = { .looks = o->looks };

	setlocale(LC_CTYPE, "");
	v.status = viewer_begin(&v, o);
	if (v.status == STATUS_OK)
		v.status = term_open(o->color, o->mouse);
	if (v.status != STATUS_OK) {
		viewer_end(&v);
		return v.status;
	}
	view_recompute_aside(v.recompute, NULL, NULL);
	if (!*v.message)
		viewer_say(&v, "%s? or F1 explains keys", v.here.view == &view_step
			   ? "new here? . plays this step, 2 to 9 are other screens, " : "");
	if (o->play && viewer_play_begin(&v, 1) != STATUS_OK)
		viewer_show_error(&v);
	run(&v);
	term_close();
	viewer_end(&v);
	if (v.status == STATUS_INTERRUPTED)
		return fail(v.status, "interrupted");
	return v.status;
}
