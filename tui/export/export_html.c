/* export_html.c - one page that steps through a trace in a browser, without network or server.
 *
 * Draws the screens at every address of the exported steps with the code of `view --plain`, so that
 * they are the same; export_page.js and export_walk.js move between them with the viewer's keys and
 * set the marks. Leaves out screens of named points, because there are too many.
 */
#include "config.h"

#include "tui/export/export.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/diff/diff_spot.h"
#include "tui/export/export_lists.h"
#include "tui/export/export_pack.h"
#include "tui/export/export_pictures.h"
#include "tui/export/export_screens.h"
#include "tui/export/export_spots.h"
#include "tui/viewer/viewer_screens.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"
#include "tui/views/view_place.h"
#include "tui/views/view_query.h"

#define SCHEMA 1
#define MAX_SCREENS 60000               /* of launches, in a page: a few megabytes */
#define KEPT (256 << 20)                /* bytes of freed memory that are not given back */
#define MAX_FINE 2000                   /* more than that are coarse */

extern const char export_page_html[], export_page_css[], export_page_js[], export_step_js[],
	export_play_js[], export_walk_js[];

/* --- lists --- */

static const char launches[] =
	"SELECT launch, step FROM v_launch WHERE run = ?1 AND op BETWEEN ?2 AND ?3 ORDER BY op";

/* Writes a row of integers as an array; NULL becomes null. */
static enum status put_integers(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct page *p = state;
	view_cell cell;

	(void)c;
	page_comma(p);
	for (int i = 0; i < sqlite3_column_count(row); i++)
		fprintf(p->json, "%c%s", i ? ',' : '[',
			view_null(row, i) ? "null" : view_int_cell(row, i, cell));
	putc(']', p->json);
	return STATUS_OK;
}

/* Takes ownership of the value. */
static void put_value(FILE *out, json_t *value)
{
	json_dumpf(value, out, JSON_ENCODE_ANY | JSON_COMPACT | JSON_PRESERVE_ORDER);
	json_decref(value);
}

/* [launch, op, step, layer, heads, slots, blocks, spots]; of most kernels the grid's columns and
 * rows in place of heads and slots. */
static enum status put_launch(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct page *p = state;
	struct view_place place;
	struct view_shape shape;
	enum status status;
	bool packed;

	(void)c;
	TRY(page_launch(p, view_int(row, 0), &place));
	page_comma(p);
	status = page_shape(p, &place, &shape);
	packed = status == STATUS_OK && view_shape_packed(&shape);
	if (status == STATUS_OK) {
		fprintf(p->json, "[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%"
			PRId64 ",%" PRId64 ",", place.launch, place.op, place.step, place.layer,
			packed ? shape.heads : place.grid[0], packed ? shape.slots : place.grid[1],
			view_place_blocks(&place));
		page_put_spots(p->json, &shape);
		putc(']', p->json);
	}
	view_shape_free(&shape);
	return status;
}

/* --- which operations --- */

struct budget {
	const struct page *page;
	int64_t screens;                /* needed by the launches so far */
	int64_t step;                   /* of the last launch */
	int64_t before;                 /* operation of the last launch */
	int64_t last_op;                /* last operation before this launch's step */
	bool full;
};

/* If a launch exceeds the budget, the page ends before its step. */
static enum status count_launch(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct budget *b = state;
	struct view_place place;
	int64_t screens;

	(void)c;
	if (b->full)
		return STATUS_OK;
	TRY(page_launch(b->page, view_int(row, 0), &place));
	if (place.step != b->step || place.step < 0)
		b->last_op = b->before;
	TRY(page_launch_screens(b->page, &place, &screens));
	b->screens += screens;
	/* The page always has at least one step or launch. */
	b->full = b->screens > MAX_SCREENS && b->last_op >= b->page->first_op;
	b->step = place.step;
	b->before = place.op;
	return STATUS_OK;
}

/* The operations of --steps, else all. */
static enum status requested_ops(struct page *p)
{
	const struct export_job *job = p->job;

	p->first_op = 0;
	p->last_op = INT64_MAX;
	if (job->first_step < 0)
		return STATUS_OK;
	TRY(VIEW_NUMBER(&p->c, -1, &p->first_op, "SELECT min(first_op) FROM v_step WHERE run = ?1"
			" AND step BETWEEN ?2 AND ?3", p->c.run, job->first_step, job->last_step));
	if (p->first_op < 0)
		return fail(STATUS_USAGE, "--steps %" PRId64 "-%" PRId64 ": run %" PRId64
			    " of %s has no such steps", job->first_step, job->last_step,
			    p->c.run, p->name);
	return VIEW_NUMBER(&p->c, INT64_MAX, &p->last_op,
			   "SELECT iif(count(*) = count(last_op), max(last_op), NULL) FROM v_step"
			   " WHERE run = ?1 AND step BETWEEN ?2 AND ?3", p->c.run, job->first_step,
			   job->last_step);
}

/* As many of them as fit, in whole steps if there are steps; warns when some are left out. */
static enum status choose_ops(struct page *p)
{
	struct budget b = { .page = p, .step = -1, .last_op = -1, .before = -1 };

	p->coarse = false;
	TRY(requested_ops(p));
	TRY(VIEW_ROWS(&p->c, count_launch, &b, launches, p->c.run, p->first_op, p->last_op));
	p->coarse = b.screens > MAX_FINE;
	if (p->coarse) {
		b = (struct budget){ .page = p, .step = -1, .last_op = -1, .before = -1 };
		TRY(VIEW_ROWS(&p->c, count_launch, &b, launches, p->c.run, p->first_op,
			      p->last_op));
	}
	p->total = b.screens;
	p->done = 0;
	p->shown = 0.0;
	if (!b.full)
		return STATUS_OK;
	p->last_op = b.last_op;
	fprintf(stderr, "flashtwin export: the page ends at op %" PRId64 " of run %" PRId64
		" of %s: the maximum is %d screens; --steps A-B selects others\n", p->last_op,
		p->c.run, p->name, MAX_SCREENS);
	return STATUS_OK;
}

/* --- data --- */

/* The launches that differ from the other trace. A search resumes after the whole launch. */
static enum status put_different(struct page *p)
{
	struct diff_pair pair = { { p->c.store, p->compared }, { 1, 1 } };
	struct diff_spot spot = { .launch = -1, .part = SPOT_AFTER };
	enum diff_outcome outcome = DIFF_FOUND;

	fputs(",\n\"different\":[", p->json);
	p->begun = false;
	while (outcome == DIFF_FOUND) {
		TRY(diff_spot_step(&pair, 1, &spot, NULL, NULL, &outcome));
		if (outcome != DIFF_FOUND)
			break;
		page_comma(p);
		fprintf(p->json, "[%" PRId64 "]", spot.launch);
		spot.part = SPOT_AFTER;
	}
	putc(']', p->json);
	return STATUS_OK;
}

static enum status put_lists(struct page *p)
{
	TRY(page_array(p, "steps", put_integers, p, page_steps));
	TRY(page_array(p, "ops", put_integers, p, page_ops));
	TRY(page_array(p, "launches", put_launch, p, launches));
	TRY(p->compared ? put_different(p) : page_array(p, "different", put_integers, p,
		       "SELECT DISTINCT d.launch FROM v_diff d JOIN v_launch l ON l.run = ?1"
		       " AND l.launch = d.launch WHERE ?1 IN (d.run_a, d.run_b)"
		       " AND d.what = 'launch' AND l.op BETWEEN ?2 AND ?3 ORDER BY 1"));
	return page_array(p, "findings", put_integers, p,
			  "SELECT DISTINCT launch FROM v_finding WHERE run = ?1"
			  " AND op BETWEEN ?2 AND ?3 AND launch IS NOT NULL ORDER BY 1");
}

/* Columns: run, device, seed, path. */
static enum status put_run(const struct view_context *context, sqlite3_stmt *row, void *state)
{
	struct page *p = state;
	char label[200], title[80];

	(void)context;
	p->c.run = view_int(row, 0);
	TRY(choose_ops(p));
	snprintf(label, sizeof label, "%s seed %" PRId64 " %s", view_text(row, 1),
		 view_int(row, 2), view_text(row, 3));
	snprintf(title, sizeof title, "run %" PRId64, p->c.run);
	fprintf(p->json, "%s\n{\"title\":", p->c.run > 1 || p->c.store == p->job->other ? ","
		: "");
	put_value(p->json, export_json_text(p->compared ? p->name : title));
	fputs(",\n\"label\":", p->json);
	put_value(p->json, export_json_text(label));
	fprintf(p->json, ",\n\"coarse\":%s", p->coarse ? "true" : "false");
	TRY(put_lists(p));
	TRY(page_pictures(p));
	TRY(page_screens(p));
	page_progress_end(p);
	putc('}', p->json);
	return STATUS_OK;
}

/* The names of styles, by their number in the lines. */
static json_t *styles_value(void)
{
	json_t *styles = json_array();

	for (int i = 0; i < STYLE_HEAT; i++)
		json_array_append_new(styles, json_string(export_style_names[i]));
	return styles;
}

static json_t *tabs_value(void)
{
	json_t *tabs = json_array();

	for (int i = 0; viewer_screens[i].view; i++) {
		const struct viewer_screen *s = &viewer_screens[i];
		const char key[] = { s->key, '\0' };

		if (page_has_view(s->view))
			json_array_append_new(tabs, json_pack("[ssss]", s->view->name, key, s->tab,
							      s->view->summary));
	}
	return tabs;
}

/* All runs of the trace, or the first one of each of two traces. */
static enum status put_runs(struct page *p)
{
	static const char all[] = "SELECT run, device, seed, path FROM v_run WHERE run >= ?1"
		" ORDER BY run";
	static const char first[] = "SELECT run, device, seed, path FROM v_run WHERE run = ?1";
	const struct export_job *job = p->job;

	p->compared = job->other;
	TRY(VIEW_ROWS(&p->c, put_run, p, job->other ? first : all, 1));
	if (!job->other)
		return STATUS_OK;
	p->c.store = job->other;
	p->compared = job->store;
	p->name = job->other_name;
	return VIEW_ROWS(&p->c, put_run, p, first, 1);
}

static enum status put_data(struct page *p)
{
	const struct view *screen = p->job->screen ? p->job->screen : &view_step;
	char at[ADDRESS_TEXT];

	address_format(&p->job->at, at);
	fprintf(p->json, "{\"schema\":%d,\n\"name\":", SCHEMA);
	put_value(p->json, export_json_text(p->title));
	fprintf(p->json, ",\n\"at\":\"%s\",\n\"screen\":\"%s\",\n\"tabs\":", at,
		page_has_view(screen) ? screen->name : view_time.name);
	put_value(p->json, tabs_value());
	fputs(",\n\"styles\":", p->json);
	put_value(p->json, styles_value());
	fputs(",\n\"runs\":[", p->json);
	TRY(put_runs(p));
	fputs("],\n\"lines\":", p->json);
	book_write_lines(p->book, p->json);
	fputs(",\n\"drawn\":", p->json);
	book_write_screens(p->book, p->json);
	fputs("}\n", p->json);
	return STATUS_OK;
}

/* --- the page --- */

/* The template with its {{names}} filled in. */
static enum status put_page(FILE *out, const char *title, const char *data, size_t bytes)
{
	const char *from = export_page_html, *to;

	while ((to = strstr(from, "{{"))) {
		fwrite(from, 1, (size_t)(to - from), out);
		from = strstr(to, "}}") + 2;
		if (strncmp(to, "{{title}}", 9) == 0)
			export_markup(out, title, strlen(title));
		else if (strncmp(to, "{{style}}", 9) == 0)
			fputs(export_page_css, out);
		else if (strncmp(to, "{{walk}}", 8) == 0)
			fputs(export_walk_js, out);
		else if (strncmp(to, "{{step}}", 8) == 0)
			fputs(export_step_js, out);
		else if (strncmp(to, "{{play}}", 8) == 0)
			fputs(export_play_js, out);
		else if (strncmp(to, "{{script}}", 10) == 0)
			fputs(export_page_js, out);
		else
			TRY(export_pack(data, bytes, out));
	}
	fputs(from, out);
	return STATUS_OK;
}

static enum status make_data(struct page *p, char **data, size_t *bytes)
{
	enum status status;

	p->json = xcheck(open_memstream(data, bytes));
	p->book = book_create();
	status = put_data(p);
	book_free(p->book);
	if (fclose(p->json) != 0 && status == STATUS_OK)
		status = fail(STATUS_INTERNAL, "out of memory for the page");
	return status;
}

/* A whole trace may have more launches than anyone would wait for. */
static bool is_part(const struct export_job *job)
{
	return job->first_step >= 0 || !address_equal(&job->at, &address_none);
}

/* Each screen allocates and frees much the same memory. Giving it back to the system in between
 * costs a quarter of the time of a small page. */
static void keep_freed_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, KEPT);
	mallopt(M_TRIM_THRESHOLD, KEPT);
}

static enum status write_html(const struct export_job *job)
{
	char *name = xasprintf("%s%s%s", job->name, job->other ? " " : "",
			       job->other ? job->other_name : ""), *title = export_text(name);
	struct page p = {
		.job = job, .name = job->name, .title = title,
		.c = { .store = job->store, .at = address_none, .listed = view_table,
		       .recompute = is_part(job) ? job->recompute : NULL,
		       .output = OUTPUT_PAGE },
	};
	struct export_scope scope;
	enum status status = export_scope_find(job, &scope);
	char *data = NULL;
	size_t bytes = 0;

	free(name);
	keep_freed_memory();
	if (status == STATUS_OK && job->other && job->at.run > 1)
		status = fail(STATUS_USAGE, "a page of two traces has run 1 of each, not r%" PRId64,
			      job->at.run);
	if (status == STATUS_OK)
		status = make_data(&p, &data, &bytes);
	if (status == STATUS_OK)
		status = put_page(job->out, title, data, bytes);
	free(title);
	free(data);
	return status;
}

const struct export_format export_html = {
	.name = "html", .screens = true, .pairs = true, .steps = true, .write = write_html
};
