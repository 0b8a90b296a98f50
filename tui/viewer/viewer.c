/* viewer.c - runs the viewer: draws the place, waits for a key, runs its action, and so on.
 *
 * viewer_keys.c handles keys and viewer_term.c the terminal. Used by `view` and `bench`.
 */
#include "config.h"

#include "tui/viewer/viewer.h"

#include <locale.h>

#include "tui/viewer/viewer_draw.h"
#include "tui/viewer/viewer_keys.h"
#include "tui/viewer/viewer_paint.h"
#include "tui/viewer/viewer_walk.h"
#include "tui/viewer/viewer_work.h"
#include "tui/views/view_list.h"
#include "tui/views/view_query.h"

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
	v->here = (struct viewer_place){ o->view ? o->view : &view_time, at };
	viewer_jump(v, v->here.view, &at);
	return STATUS_OK;
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
		key = term_key();
		v->ready = false;
		viewer_work_begin(v);
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
	TRY(choose_sides(v, o));
	TRY(choose_place(v, o));
	v->match = -1;
	v->glyphs = term_utf8() && !o->ascii ? GLYPHS_UTF8 : GLYPHS_ASCII;
	return STATUS_OK;
}

void viewer_end(struct viewer *v)
{
	viewer_close_list(v);
	for (int i = 0; i < 2; i++)
		display_free(v->side[i].display);
}

enum status viewer_run(const struct viewer_options *o)
{
	struct viewer v = { .looks = o->looks };

	setlocale(LC_CTYPE, "");
	TRY(viewer_begin(&v, o));
	TRY(term_open(o->color, o->mouse));
	run(&v);
	term_close();
	viewer_end(&v);
	if (v.status == STATUS_INTERRUPTED)
		return fail(v.status, "interrupted");
	return v.status;
}
