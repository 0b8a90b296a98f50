/* view_summary.c - what a trace holds: runs, model, text and kernels, and which screens to open.
 *
 * Shown first if no address is given.
 */
#include "tui/views/view_list.h"

#include <inttypes.h>

#include "traces/store/store_index.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define TEXT_COLUMNS 90

/* How the run ended: columns complete, ended and message. */
static void print_end(const struct view_context *c, sqlite3_stmt *row)
{
	if (!view_int(row, 11))
		view_print(c, "CUT OFF\n");
	else if (view_null(row, 13))
		view_print(c, "ended %s\n", view_text(row, 12));
	else
		view_print(c, "closed properly,\n      %s\n", view_text(row, 13));
}

static void print_feature(const struct view_context *c, sqlite3_stmt *row, int column,
			  const char *name)
{
	view_cell value;

	if (!view_null(row, column))
		view_print(c, ", %s %s", name, view_int_cell(row, column, value));
}

/* Columns kv_dtype, queries, rung, window, sinks, softcap, page and lse. */
static enum status print_features(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	view_cell softcap;

	(void)state;
	view_print(c, "      attention: kv %s", view_text(row, 0));
	print_feature(c, row, 2, "rung");
	if (view_int(row, 1) != 1)
		print_feature(c, row, 1, "queries");
	print_feature(c, row, 3, "window");
	print_feature(c, row, 4, "sinks");
	if (!view_null(row, 5))
		view_print(c, ", softcap %s", view_f32_cell(row, 5, softcap));
	print_feature(c, row, 6, "page");
	view_print(c, "%s\n", view_int(row, 7) ? ", log-sum-exp" : "");
	return STATUS_OK;
}

/* A line for each attention that has more than keys and values of f32. A program can have many. */
static const char features[] =
	"SELECT kv_dtype, queries, rung, window, sinks, softcap_bits, page, lse FROM v_attention"
	" WHERE run = ?1 AND (kv_dtype <> 'f32' OR queries <> 1 OR rung IS NOT NULL"
	" OR window IS NOT NULL OR softcap IS NOT NULL OR page IS NOT NULL OR lse)"
	" ORDER BY attention LIMIT 4";

static enum status print_run(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	const char *driver = view_null(row, 16) ? "" : view_text(row, 16);
	view_cell seed;

	(void)state;
	view_print(c, "%s r%" PRId64 "  %s %s  on %s (%s, profile %s)  seed %s\n",
		   view_int(row, 0) == c->run ? ">" : " ", view_int(row, 0), view_text(row, 1),
		   view_text(row, 2), view_text(row, 3), view_text(row, 4), view_text(row, 5),
		   view_int_cell(row, 6, seed));
	view_print(c,
		"      %" PRId64 " operation%s, %" PRId64 " launch%s, %" PRId64 " step%s, level %s,"
		   " ",
		   view_int(row, 7), view_plural(view_int(row, 7)), view_int(row, 8),
		view_int(row, 8) == 1 ? "" : "es", view_int(row, 9), view_plural(view_int(row, 9)),
		   view_text(row, 10));
	print_end(c, row);
	view_print(c, "      recorded %s by flashtwin %s%s%s\n", view_text(row, 14),
		   view_text(row, 15), *driver ? " with " : "", driver);
	return VIEW_ROWS(c, print_features, NULL, features, view_int(row, 0));
}

static enum status print_model(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	(void)state;
	view_title(c, "MODEL of run %" PRId64 ": %s", c->run, view_text(row, 0));
	view_print(c, "  %" PRId64 " layer%s, %" PRId64 " head%s, %" PRId64 " kv head%s, D %" PRId64
		   ", vocabulary %" PRId64 "\n", view_int(row, 1), view_plural(view_int(row, 1)),
		   view_int(row, 2), view_plural(view_int(row, 2)), view_int(row, 3),
		   view_plural(view_int(row, 3)), view_int(row, 4), view_int(row, 5));
	view_print(c,
		   "  caches of %" PRId64 " key%s, chunks of %" PRId64 " (%" PRId64
		   " in the grid), %" PRId64 " slot%s\n",
		   view_int(row, 6), view_plural(view_int(row, 6)), view_int(row, 7),
		   view_int(row, 8), view_int(row, 9),
		   view_plural(view_int(row, 9)));
	return STATUS_OK;
}

/* Text being printed, wrapped at TEXT_COLUMNS. */
struct text {
	int64_t slot, prompt;
	int column;
	bool begun;
};

static enum status print_byte(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct text *t = state;
	view_cell cell;

	if (!t->begun || t->slot != view_int(row, 0) || t->prompt != view_int(row, 1)) {
		t->slot = view_int(row, 0);
		t->prompt = view_int(row, 1);
		t->column = 0;
		view_print(c, "%s  slot %" PRId64 " %s\n    ", t->begun ? "\n" : "", t->slot,
			   t->prompt ? "prompt" : "generated");
		t->begun = true;
	}
	view_byte_cell((int)view_int(row, 2), cell);
	if (t->column >= TEXT_COLUMNS) {
		view_print(c, "\n    ");
		t->column = 0;
	}
	/* Print the character without its quotes, escaped as in C. */
	if (cell[0] == '\'')
		t->column += view_print(c, "%.*s", cell[1] == '\\' ? 2 : 1, cell + 1);
	else
		t->column += view_print(c, "\\x%s", cell + 2);
	return STATUS_OK;
}

static enum status print_kernel(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	view_cell first, last, us;

	(void)state;
	view_print(c,
		   "  %-20s %6" PRId64 " launch%s  %s to %s  grids up to %" PRId64 "x%" PRId64
		   "x%" PRId64, view_text(row, 0), view_int(row, 1),
		view_int(row, 1) == 1 ? "  " : "es", view_launch_cell(c, view_int(row, 2), first),
		   view_launch_cell(c, view_int(row, 3), last), view_int(row, 4), view_int(row, 5),
		   view_int(row, 6));
	if (!view_null(row, 7))
		view_print(c, "  mean us %s", view_real_cell(row, 7, "%.1f", us));
	view_print(c, "\n");
	return STATUS_OK;
}

static enum status draw_text(const struct view_context *c)
{
	struct text text = { 0 };

	TRY(VIEW_ROWS(c, print_byte, &text, "SELECT slot, prompt, byte FROM v_token WHERE run = ?1"
		      " ORDER BY slot, position", c->run));
	if (text.begun)
		view_print(c, "\n");
	return STATUS_OK;
}

static enum status draw(const struct view_context *c)
{
	view_title(c, "RUNS of %s",
		   store_path(c->store) ? store_path(c->store) : "a trace in memory");
	TRY(VIEW_ROWS(c, print_run, NULL,
		      "SELECT run, command, path, device, device_name, profile, seed, ops,"
		      " launches, steps, level, complete, ended, message, started, version, driver"
		      " FROM v_run ORDER BY run"));
	TRY(VIEW_ROWS(c, print_model, NULL,
		      "SELECT directory, layers, heads, kv_heads, head_dim, vocabulary, max_len,"
		      " chunk, max_chunks, slots FROM v_model WHERE run = ?1", c->run));
	TRY(draw_text(c));
	view_title(c, "KERNELS of run %" PRId64, c->run);
	TRY(store_index_kernels(c->store));
	TRY(VIEW_ROWS(c, print_kernel, NULL,
		      "SELECT kernel, launches, first, last, grid_x, grid_y, grid_z, duration_us"
		      " FROM w_kernel WHERE run = ?1 ORDER BY first",
		      c->run));
	view_print(c,
		   "\n --at ADDRESS shows a launch (L12), a block of it (L12.b3) or a step (s4)\n");
	for (int i = 0; c->listed && c->listed[i]; i++)
		view_print(c, " --screen %-8s %s\n", c->listed[i]->name, c->listed[i]->summary);
	return STATUS_OK;
}

const struct view view_summary = {
	.name = "summary", .summary = "what the trace holds",
	.whole = true, .draw = draw
};
