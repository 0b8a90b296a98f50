/* export_screens.c - draws all screens of a page, and writes the number of each screen.
 *
 * A screen is drawn once for every address at which it differs; grain_of() returns the parts of an
 * address that matter. export_page.js looks up a place in the same way. A page of many screens is
 * coarse: of the blocks of a launch, it has text for the heads only. Used by export_html.c.
 */
#include "tui/export/export_screens.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "tui/export/export_spots.h"
#include "tui/viewer/viewer_screens.h"
#include "tui/views/attend/view_kv_rows.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"
#include "tui/views/view_print.h"

#define MAX_BLOCKS 1024                /* of a launch; if it has more, its blocks are not drawn */

/* The parts of an address that a screen depends on, apart from its marks. Pages have no points: a
 * reduction is drawn as after the last of its points. */
enum grain {
	WHOLE = 1,
	PLACE,                          /* step, operation or launch */
	LAUNCH,
	HEAD,                           /* of a launch: blocks of the same head show the same */
	BLOCK,
	PICTURE                         /* drawn by export_step.js from page_pictures() */
};

static enum grain grain_of(const struct page *p, const struct view *view)
{
	if (view == &view_step)
		return PICTURE;
	if (view->whole)
		return WHOLE;
	if (view == &view_time)
		return PLACE;
	if (view == &view_attention)
		return HEAD;
	if (view == &view_diff || view == &view_source || view == &view_launch
	    || (p->coarse && view == &view_kv))
		return LAUNCH;
	if (view == &view_memory)
		return BLOCK;
	return p->coarse ? HEAD : BLOCK;
}

bool page_has_view(const struct view *view)
{
	return view != &view_points;
}

/* --- one screen --- */

/* The state for callbacks of page_array(). */
struct screens {
	struct page *page;
	const struct view *view;
};

/* An address without data gives a screen with an error, as in the viewer; damage is returned. */
static enum status draw_screen(const struct screens *s, const struct address *at, int64_t *number)
{
	struct view_context c = s->page->c;
	enum status status;

	c.at = *at;
	c.other = s->view == &view_diff ? s->page->compared : NULL;
	c.out = display_create(NULL, at);
	status = s->view->draw(&c);
	display_finish(c.out);
	if (status == STATUS_USAGE) {
		view_styled(&c, STYLE_WRONG, "  %s\n", error_text());
		error_clear();
		status = STATUS_OK;
	}
	if (status == STATUS_OK)
		*number = book_add(s->page->book, c.out);
	display_free(c.out);
	return status;
}

static struct address run_address(const struct page *p)
{
	struct address at = address_none;

	at.run = p->c.run > 1 ? p->c.run : -1;
	return at;
}

static enum status put_screen(const struct screens *s, const struct address *at)
{
	int64_t number;

	TRY(draw_screen(s, at, &number));
	page_comma(s->page);
	fprintf(s->page->json, "%" PRId64, number);
	return STATUS_OK;
}

static enum status put_step_screen(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	const struct screens *s = state;
	struct address at = run_address(s->page);

	(void)c;
	at.step = view_int(row, 0);
	return put_screen(s, &at);
}

static enum status put_op_screen(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	const struct screens *s = state;
	struct address at = run_address(s->page);

	(void)c;
	at.op = view_int(row, 0);
	return put_screen(s, &at);
}

/* --- progress --- */

/* On a terminal, a bar that is drawn again when another hundredth is done. */
static void page_progress(struct page *p, int64_t screens)
{
	enum { CELLS = 40 };
	double part;
	int filled;

	p->done += screens;
	part = p->total > p->done ? (double)p->done / (double)p->total : 1.0;
	if (part < p->shown + 0.01 || !isatty(STDERR_FILENO))
		return;
	p->shown = part;
	filled = (int)(part * CELLS);
	fprintf(stderr, "\rflashtwin export: run %lld [%.*s%*s] %3.0f %%", (long long)p->c.run,
		filled, "########################################", CELLS - filled, "",
		100.0 * part);
}

void page_progress_end(const struct page *p)
{
	if (p->shown > 0.0)
		fprintf(stderr, "\r%*s\r", 72, "");
}

/* --- launches and their blocks --- */

/* The number of screens for a launch's spots, and the distance between them. Requests are those of
 * a block, whatever heads it has. */
static enum status block_screens(const struct page *p, const struct view *view,
				 const struct view_shape *shape, int64_t *screens, int64_t *apart)
{
	enum grain grain = grain_of(p, view);
	int64_t spots = view == &view_memory ? 0 : page_spots(shape);
	int64_t blocks = spots ? spots : view_place_blocks(&shape->place);

	*apart = 1;
	*screens = 0;
	if (grain < HEAD || grain == PICTURE)
		return STATUS_OK;
	if (grain == HEAD)
		blocks = spots ? shape->heads * shape->slots
			: blocks > MAX_BLOCKS ? 0 : shape->place.grid[0] * shape->place.grid[1];
	if (blocks > MAX_BLOCKS)
		return STATUS_OK;
	*screens = blocks;
	if (view == &view_kv)
		TRY(view_kv_group(&p->c, &shape->place, apart));
	*screens /= *apart;
	return STATUS_OK;
}

enum status page_launch_screens(const struct page *p, const struct view_place *place,
				int64_t *screens)
{
	struct view_shape shape;
	int64_t some, apart;
	enum status status = page_shape(p, place, &shape);

	*screens = 0;

	for (int i = 0; viewer_screens[i].view && status == STATUS_OK; i++) {
		const struct view *view = viewer_screens[i].view;

		/* Screens that only some launches have are not counted. */
		if (grain_of(p, view) == WHOLE || grain_of(p, view) == PICTURE || view->table)
			continue;
		status = block_screens(p, view, &shape, &some, &apart);
		*screens += 1 + some;
	}
	view_shape_free(&shape);
	return status;
}

/* A screen for each spot; one that no block has shows the launch. */
static enum status draw_spots(const struct screens *s, const struct view_shape *shape,
			      int64_t count, int64_t apart)
{
	bool spots = s->view != &view_memory && page_spots(shape) > 0;
	struct address at = run_address(s->page);
	int64_t next;

	for (int64_t i = 0; i < count; i++) {
		at.launch = shape->place.launch;
		at.block = i * apart;
		if (spots)
			page_spot_address(shape, i * apart, &at);
		TRY(draw_screen(s, &at, &next));
	}
	return STATUS_OK;
}

/* Columns: launch. Writes [launch, number of its screen, spots with a screen, distance between
 * them]; the numbers of their screens follow that of the launch. */
static enum status put_launch_screens(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	const struct screens *s = state;
	struct address at = run_address(s->page);
	struct view_place place;
	struct view_shape shape;
	int64_t number, blocks, apart;
	enum status status;

	(void)c;
	TRY(page_launch(s->page, view_int(row, 0), &place));
	at.launch = place.launch;
	TRY(draw_screen(s, &at, &number));
	status = page_shape(s->page, &place, &shape);
	if (status == STATUS_OK)
		status = block_screens(s->page, s->view, &shape, &blocks, &apart);
	if (status == STATUS_OK)
		status = draw_spots(s, &shape, blocks, apart);
	view_shape_free(&shape);
	TRY(status);
	page_progress(s->page, 1 + blocks);
	page_comma(s->page);
	fprintf(s->page->json, "[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "]", place.launch,
		number, blocks, apart);
	return STATUS_OK;
}

/* --- views --- */

/* Writes the launches of a view: those that its table has rows for. */
static enum status put_launches(struct screens *s)
{
	const char *table = s->view->table;
	char *sql = xasprintf("SELECT launch FROM v_launch l WHERE run = ?1"
			      " AND op BETWEEN ?2 AND ?3%s%s%s ORDER BY op",
			      table ? " AND EXISTS (SELECT 1 FROM " : "", table ? table : "",
			      table ? " t WHERE t.run = ?1 AND t.launch = l.launch)" : "");
	enum status status = page_array(s->page, "launches", put_launch_screens, s, sql);

	free(sql);
	return status;
}

/* Whether the screen changes from step to step without launches: the path cached fills its cache by
 * uploads. */
static enum status changes_by_step(const struct screens *s, bool *changes)
{
	int64_t some = 0;

	if (s->view == &view_kv)
		TRY(VIEW_NUMBER(&s->page->c, 0, &some, "SELECT 1 FROM v_op o WHERE run = ?1"
				" AND step IS NOT NULL AND kind = 'upload' AND EXISTS (SELECT 1"
				"  FROM v_kv k WHERE k.run = ?1 AND k.op = o.op) LIMIT 1",
				s->page->c.run));
	*changes = some;
	return STATUS_OK;
}

static enum status put_view(struct screens *s)
{
	bool by_step;
	enum grain grain = grain_of(s->page, s->view);
	struct address at = run_address(s->page);
	FILE *json = s->page->json;

	fprintf(json, "\"%s\":{\"grain\":%d", s->view->name, (int)grain);
	if (grain == WHOLE) {
		fputs(",\"whole\":[", json);
		s->page->begun = false;
		TRY(put_screen(s, &at));
		fputs("]}", json);
		return STATUS_OK;
	}
	if (grain == PICTURE) {
		putc('}', json);
		return STATUS_OK;
	}
	TRY(changes_by_step(s, &by_step));
	if (grain == PLACE || by_step)
		TRY(page_array(s->page, "steps", put_step_screen, s, page_steps));
	if (grain == PLACE)
		TRY(page_array(s->page, "ops", put_op_screen, s, page_ops));
	TRY(put_launches(s));
	putc('}', json);
	return STATUS_OK;
}

enum status page_screens(struct page *p)
{
	const char *between = "";

	fputs(",\n\"screens\":{", p->json);
	for (int i = 0; viewer_screens[i].view; i++) {
		struct screens s = { p, viewer_screens[i].view };

		if (!page_has_view(s.view))
			continue;
		fprintf(p->json, "%s\n", between);
		TRY(put_view(&s));
		between = ",";
	}
	putc('}', p->json);
	return STATUS_OK;
}
