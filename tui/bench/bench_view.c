/* bench_view.c - measures how fast the viewer opens a big trace and responds to each of its keys.
 *
 * Runs the program itself to record the sample model twice at level points, more than ten million
 * rows, or uses an existing trace. Then presses every key on every screen at an early, a middle and
 * a late place, in the viewer itself, including painting, on a hidden terminal. The limit is on
 * wall time. A key that took little processor time but long by the clock has waited for other
 * programs: it is pressed again, and its best time counts. bench_view_report.c prints the results.
 */
#include "config.h"

#include "tui/bench/bench_view.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "traces/store/store_index.h"
#include "tui/bench/bench.h"
#include "tui/bench/bench_sample.h"
#include "tui/bench/bench_self.h"
#include "tui/viewer/viewer.h"
#include "tui/viewer/viewer_draw.h"
#include "tui/viewer/viewer_keys.h"
#include "tui/viewer/viewer_paint.h"
#include "tui/viewer/viewer_screens.h"
#include "tui/viewer/viewer_work.h"
#include "tui/views/view_query.h"

enum { LINES_SHOWN = 30, COLUMNS_SHOWN = 100, AGAIN = 3 };
#define BYTES "560"                     /* decoded per run: scores grow with their square */
#define PROMPT "ROMEO:\nO, she do"

/* --- the program itself, as another process --- */

static enum status record(const char *path, const char *seed, const char *how)
{
	const char *const arguments[] = {
		"flashtwin", "decode", "--prompt", PROMPT, "-n", BYTES, "--log", "points",
		"--seed", seed, "-o", path, how, NULL
	};
	double wall, cpu;

	return bench_self_ends(arguments, 0, &wall, &cpu);
}

/* Times the whole process: the minimum of a few runs, because other programs may be running. */
static enum status time_process(const char *path, const char *screen, struct bench_time *best)
{
	const char *const arguments[] = {
		"flashtwin", "view", "--plain", path, screen ? "--screen" : NULL, screen, NULL
	};

	for (int i = 0; i < AGAIN; i++) {
		struct bench_time time = { 0 };

		TRY(bench_self_ends(arguments, 1, &time.wall, &time.cpu));
		if (i == 0 || time.wall < best->wall)
			*best = time;
	}
	return STATUS_OK;
}

/* --- keys --- */

static double cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What is typed after a key that opens a prompt. */
static const wchar_t *typed_after(int key, const struct bench_view *b)
{
	switch (key) {
	case '/': return L"flash_decode_reduce\n";
	case ':': return b->command;
	case ';': return L"SELECT launch, kernel FROM v_launch LIMIT 20\n";
	case 'm': case '\'': return L"a";
	default: return L"";
	}
}

/* Times one press, from the key to the painted screen. */
static struct bench_time press(struct viewer *v, int key, const struct bench_view *b)
{
	double wall, cpu;

	term_type(typed_after(key, b));
	viewer_work_begin(v);
	wall = bench_now();
	cpu = cpu_now();
	viewer_key(v, key);
	viewer_draw(v);
	viewer_work_end(v);
	viewer_paint(v);
	return (struct bench_time){
		bench_now() - wall, cpu_now() - cpu, v->work.stops > 0,
		1e-3 * (double)(v->work.said_ms ? v->work.said_ms - v->work.since_ms : 0)
	};
}

static void move_to(struct viewer *v, const struct bench_place *place, const struct view *view)
{
	struct address at = place->at;

	viewer_close_list(v);
	v->quit = false;
	v->here.view = view;
	v->opened.count = 0;
	viewer_go(v, &at);
	viewer_draw(v);
}

static struct bench_key *key_named(struct bench_view *b, int key)
{
	for (size_t i = 0; i < b->key_count; i++)
		if (b->keys[i].key == key)
			return &b->keys[i];
	b->keys = xreallocarray(b->keys, b->key_count + 1, sizeof *b->keys);
	b->keys[b->key_count] = (struct bench_key){ .key = key };
	return &b->keys[b->key_count++];
}

/* Seconds to the response: the screen, or the notice that it takes longer and any key stops it. */
static double answer(const struct bench_time *time)
{
	return time->said > 0 ? time->said : time->wall;
}

static void keep(struct bench_key *k, const struct bench_time *time, const char *screen,
		 const struct address *at)
{
	k->answers = xreallocarray(k->answers, k->count + 1, sizeof *k->answers);
	k->answers[k->count++] = answer(time);
	k->longer += time->said > 0;
	k->stopped += time->stopped;
	if (time->cpu > k->max_cpu)
		k->max_cpu = time->cpu;
	if (answer(time) > k->max)
		k->max = answer(time);
	if (time->wall <= k->max_wall)
		return;
	k->max_wall = time->wall;
	k->screen = screen;
	address_format(at, k->at);
}

static void measure_key(struct viewer *v, struct bench_view *b, int key, const struct view *view,
			const struct bench_place *place)
{
	struct bench_time best, again;

	move_to(v, place, view);
	best = press(v, key, b);
	for (int i = 0; i < AGAIN && best.wall > BENCH_KEY && best.cpu < BENCH_KEY; i++) {
		move_to(v, place, view);
		again = press(v, key, b);
		if (again.wall < best.wall)
			best = again;
		b->again++;
	}
	keep(key_named(b, key), &best, view->name, &place->at);
}

static void measure_keys(struct viewer *v, struct bench_view *b)
{
	int key;

	for (int s = 0; viewer_screens[s].view; s++)
		for (int p = 0; p < BENCH_PLACES; p++)
			for (size_t i = 0; (key = viewer_key_number(i)) != 0; i++)
				measure_key(v, b, key, viewer_screens[s].view, &b->places[p]);
}

/* --- places --- */

/* The first launch with recorded points after a fraction of the run. */
static enum status find_launch(const struct view_context *c, double fraction, int64_t *launch)
{
	int64_t last;

	TRY(VIEW_NUMBER(c, -1, &last, "SELECT max(launch) FROM v_launch WHERE run = ?1", c->run));
	if (last < 0)
		return fail(STATUS_USAGE, "%s launches no kernel in run %" PRId64,
			    store_shown_path(c->store), c->run);
	TRY(VIEW_NUMBER(c, -1, launch, "SELECT launch FROM w_point WHERE run = ?1 AND launch >= ?2"
			" ORDER BY launch LIMIT 1", c->run, (int64_t)(fraction * (double)last)));
	if (*launch < 0)
		*launch = (int64_t)(fraction * (double)last);
	return STATUS_OK;
}

/* Early, in the middle and late, each at a different level of detail. */
static enum status find_places(const struct view_context *c, struct bench_view *b)
{
	static const double fractions[BENCH_PLACES] = { 0.02, 0.5, 0.98 };

	for (int i = 0; i < BENCH_PLACES; i++) {
		struct address *at = &b->places[i].at;
		int64_t launch;

		TRY(find_launch(c, fractions[i], &launch));
		*at = address_none;
		at->launch = launch;
		if (i < 2)
			at->block = 3;
		if (i == 1) {
			at->warp = at->lane = 0;
			at->point = 1;
		}
	}
	swprintf(b->command, sizeof b->command / sizeof *b->command, L"at L%lld\n",
		 (long long)b->places[1].at.launch);
	return STATUS_OK;
}

/* --- a trace --- */

static enum status count_tables(sqlite3 *db, struct bench_view *b)
{
	sqlite3_stmt *names;
	int code = sqlite3_prepare_v2(db, "SELECT name FROM sqlite_schema WHERE type = 'table'"
				      " AND name GLOB 't_*'", -1, &names, NULL);

	while (code == SQLITE_OK && sqlite3_step(names) == SQLITE_ROW) {
		char *sql = xasprintf("SELECT count(*) FROM \"%s\"",
				      (const char *)sqlite3_column_text(names, 0));
		sqlite3_stmt *count;

		code = sqlite3_prepare_v2(db, sql, -1, &count, NULL);
		if (code == SQLITE_OK && sqlite3_step(count) == SQLITE_ROW)
			b->rows += sqlite3_column_int64(count, 0);
		sqlite3_finalize(count);
		free(sql);
	}
	return sqlite3_finalize(names) == SQLITE_OK && code == SQLITE_OK ? STATUS_OK
		: fail(STATUS_INTERNAL, "cannot count rows: %s", sqlite3_errmsg(db));
}

static enum status measure_viewer(struct store *store, struct viewer *v, struct bench_view *b)
{
	struct viewer_options options = { .store = store, .run = 1, .at = address_none };
	struct view_context c = { .store = store, .run = 1, .at = address_none };
	enum status status = viewer_begin(v, &options);

	if (status != STATUS_OK)
		return status;
	viewer_draw(v);
	viewer_paint(v);
	b->idle = (struct bench_time){ .wall = bench_now(), .cpu = cpu_now() };
	viewer_work_idle(v);
	b->idle = (struct bench_time){ .wall = bench_now() - b->idle.wall,
				       .cpu = cpu_now() - b->idle.cpu };
	TRY(store_run_count(store, &b->runs));
	TRY(find_places(&c, b));
	measure_keys(v, b);
	return STATUS_OK;
}

static enum status measure_open(const char *path, struct bench_view *b)
{
	struct viewer v = { .patience_ms = BENCH_PATIENCE };
	struct store *store;
	enum status status;

	TRY(store_open(path, &store));
	status = count_tables(store_db(store), b);
	if (status == STATUS_OK)
		status = time_process(path, "time", &b->first_screen);
	if (status == STATUS_OK)
		status = time_process(path, NULL, &b->plain);
	if (status == STATUS_OK)
		status = store_index_views(store);
	if (status == STATUS_OK)
		status = term_open_hidden(LINES_SHOWN, COLUMNS_SHOWN);
	if (status == STATUS_OK) {
		status = measure_viewer(store, &v, b);
		viewer_end(&v);
		term_close();
	}
	store_close(store);
	return status;
}

static void free_bench(struct bench_view *b)
{
	for (size_t i = 0; i < b->key_count; i++)
		free(b->keys[i].answers);
	free(b->keys);
}

static enum status measure(const char *path, const char *plot)
{
	struct bench_view b = { .path = path };
	enum status status = measure_open(path, &b);

	if (status == STATUS_OK && plot)
		status = bench_view_plot(&b, plot);
	if (status == STATUS_OK)
		status = bench_view_report(&b);
	free_bench(&b);
	return status;
}

enum status bench_view(const char *path, const char *plot)
{
	char *name;
	enum status status;

	setlocale(LC_CTYPE, "");
	if (path)
		return measure(path, plot);
	name = bench_trace_begin();
	status = record(name, "0", "--force");
	if (status == STATUS_OK)
		status = record(name, "1", "--append");
	if (status == STATUS_OK)
		status = measure(name, plot);
	bench_trace_end(name);
	return status;
}
