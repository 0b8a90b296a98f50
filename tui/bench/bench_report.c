/* bench_report.c - prints what `flashtwin bench --suite seeds` measured: Markdown tables, or JSON.
 *
 * First builds one JSON object, { about, tables, claims }, whose tables are arrays of rows; both
 * formats print it. Measurements come from bench_seeds.c, verdicts from bench_claims.c.
 */
#include "config.h"

#include "tui/bench/bench_seeds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "kernels/variant.h"
#include "tui/bench/bench_markdown.h"
#include "tui/bench/plot.h"
#include "tui/command.h"
#include "tui/run.h"

#ifndef CUDA_TOOLKIT
#define CUDA_TOOLKIT "none"
#endif

/* --- the object: tables --- */

/* Bytes of K and V that attention to `keys` keys has to read, per microsecond, in GB/s. */
static double bandwidth(const struct seeds_sizes *s, int keys, double us)
{
	return 2.0 * s->kv_heads * keys * s->head_dim * sizeof(float) / us * 1e-3;
}

static json_t *decode_rows(const struct seeds_results *r)
{
	json_t *rows = json_array();

	for (int i = 0; i < SEEDS_LENGTHS && r->sizes->lengths[i]; i++)
		for (int c = 0; c < SEEDS_CASES; c++) {
			const struct seeds_case *how = &seeds_cases[c];
			double us = r->decode[c][i];
			int keys = r->sizes->lengths[i];

			json_array_append_new(rows, json_pack(
				"{s:i, s:s, s:o, s:i, s:o, s:o, s:o}", "keys", keys,
				"path", how->path,
				"chunk", how->chunk ? json_integer(how->chunk) : json_null(),
				"warps", how->warps, "us", seeds_number(us),
				"GB/s", seeds_number(bandwidth(r->sizes, keys, us)),
				"x one warp", seeds_number(r->decode[0][i] / us)));
		}
	return rows;
}

static json_t *scatter_rows(const struct seeds_results *r)
{
	static const char *const names[2] = { "a sequence at a time", "batched" };
	json_t *rows = json_array();

	for (int i = SLOW; i <= FAST; i++)
		json_array_append_new(rows, json_pack(
			"{s:s, s:i, s:o, s:o}", "scatter", names[i],
			"launches", r->scatter_launches[i], "us", seeds_number(r->scatter[i]),
			"speed-up", seeds_number(r->scatter[SLOW] / r->scatter[i])));
	return rows;
}

static json_t *times_rows(const char *what, const char *const names[2],
			  const struct rig_times times[2])
{
	json_t *rows = json_array();

	for (int i = SLOW; i <= FAST; i++)
		json_array_append_new(rows, json_pack(
			"{s:s, s:o, s:o, s:o, s:o}", what, names[i],
			"submit us", seeds_number(times[i].submit),
			"wall us", seeds_number(times[i].wall),
			"device us", seeds_number(times[i].device),
			"saved wall us", seeds_number(times[SLOW].wall - times[i].wall)));
	return rows;
}

static json_t *prefill_rows(const struct seeds_results *r)
{
	const struct seeds_sizes *s = r->sizes;
	double rows = s->prefill_rows;
	double flop = 4.0 * s->prefill_heads * s->head_dim * rows * (rows + 1) / 2;

	return json_pack("[{s:i, s:i, s:i, s:o, s:o}]", "heads", s->prefill_heads,
			 "queries", s->prefill_rows, "keys", s->prefill_rows,
			 "ms", seeds_number(1e-3 * r->prefill),
			 "TFLOP/s", seeds_number(1e-6 * flop / r->prefill));
}

static json_t *blocks_rows(const struct seeds_results *r)
{
	static const char *const names[2] = { "a block a head", "chunks of 128" };
	json_t *rows = json_array();

	for (int i = SLOW; i <= FAST; i++)
		json_array_append_new(rows, json_pack(
			"{s:s, s:o, s:o}", "grid", names[i], "blocks", seeds_number(r->blocks[i]),
			"x a block a head", seeds_number(r->blocks[i] / r->blocks[SLOW])));
	return rows;
}

static json_t *traffic_rows(const struct seeds_results *r)
{
	static const char *const names[2] = { "cached", "incremental" };
	json_t *rows = json_array();

	for (int i = 0; i < TRAFFIC_LENGTHS; i++)
		for (int way = SLOW; way <= FAST; way++) {
			const struct seeds_traffic *t = &r->traffic[way][i];

			json_array_append_new(rows, json_pack(
				"{s:i, s:s, s:f, s:f, s:f}", "keys", traffic_keys[i],
				"path", names[way], "MB to the device", t->up * 1e-6,
				"MB back", t->down * 1e-6,
				"MB copied on the device", t->inside * 1e-6));
		}
	return rows;
}

static void add_table(json_t *tables, const char *name, json_t *title, json_t *rows)
{
	json_array_append_new(tables, json_pack("{s:s, s:o, s:o}", "name", name, "title", title,
						"rows", rows));
}

static json_t *gather_tables(const struct seeds_results *r)
{
	static const char *const waits[2] = { "a wait after each chunk kernel", "none" };
	static const char *const graphs[2] = { "launch by launch", "one graph" };
	const struct seeds_sizes *s = r->sizes;
	json_t *tables = json_array();

	add_table(tables, "decode", json_sprintf(
		"Decode attention, one sequence, %d heads, %d KV heads, D %d, f32: the attention "
		"kernels alone, cold L2", s->heads, s->kv_heads, s->head_dim), decode_rows(r));
	add_table(tables, "scatter", json_sprintf(
		"K and V scatters of one step, %d sequences, %d layers, from the first launch to "
		"the end of the last, cold L2", s->slots, s->layers), scatter_rows(r));
	add_table(tables, "blocks", json_string(
		"Blocks of a layer's attention, 28 heads, 1,024 keys; counted, the same on every "
		"device"), blocks_rows(r));
	add_table(tables, "traffic", json_string(
		"Bytes that a token moves, 22 layers, 2,048 wide (32 heads, D 64); counted, the "
		"same on every device"), traffic_rows(r));
	add_table(tables, "waits", json_sprintf(
		"Chunk and reduce kernels of one token, %d layers, %d keys: waiting in between",
		s->layers, s->keys), times_rows("waits", waits, r->wait));
	add_table(tables, "graph", json_sprintf(
		"The %d launches of one token, scatters too, %d layers, %d keys", r->step_launches,
		s->layers, s->keys), times_rows("launched", graphs, r->step));
	add_table(tables, "prefill", json_sprintf(
		"Prefill, causal, D %d, f32, cold L2; operations of the causal half only",
		s->head_dim), prefill_rows(r));
	return tables;
}

/* --- the object: the rest --- */

static json_t *gather_about(const struct seeds_results *r)
{
	char date[32];
	time_t now = time(NULL);
	struct tm utc;

	gmtime_r(&now, &utc);
	strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
	return json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:I}", "device", r->info.name,
		"driver", *r->info.driver ? r->info.driver : "none",
		"simulator's kernels built for", variant_text(),
		"flashtwin", PACKAGE_VERSION, "kernels built with CUDA", CUDA_TOOLKIT,
		"date", date, "runs", r->runs,
		"clock", r->on_gpu ? "CUDA events; GPU clocks as the driver sets them, not locked"
			: "wall clock of the simulator, sizes cut down",
		"bytes written to make the L2 cold", (json_int_t)r->sizes->flush_bytes);
}

static json_t *gather(const struct seeds_results *r)
{
	return json_pack("{s:s, s:o, s:o, s:o}", "suite", "seeds", "about", gather_about(r),
			 "tables", gather_tables(r), "claims", seeds_claims(r));
}

/* --- Markdown --- */

static const char explanation[] =
	"Times are medians. Claims of the `models` are what the engines say whose behaviour\n"
	"these paths keep. Those of a `re-implementation` are no engine's: this project\n"
	"measured them on its own earlier re-implementations of the engines' kernels, on an\n"
	"H200: 32 query heads, 8 KV heads, D 128, f32; the cited prefill has 32 heads and\n"
	"4,096 x 4,096 causal. A cited time counts as reproduced within 10 %, `about` within\n"
	"half, `minimal overhead` up to 10 %. `Idle` is computed from the grid, not measured.\n"
	"The models do not say for how many keys a token moves 66 MB; there it is the cache,\n"
	"here `cached` uploads the query once for each key and copies the cache on the\n"
	"device.\n\n";

static enum status print_markdown(const json_t *report)
{
	json_t *table;
	size_t i;

	printf("# Claims of the attention paths, measured\n\n");
	markdown_list(json_object_get(report, "about"));
	fputs(explanation, stdout);
	markdown_table(json_object_get(report, "claims"));
	json_array_foreach(json_object_get(report, "tables"), i, table) {
		printf("## %s\n\n", json_string_value(json_object_get(table, "title")));
		markdown_table(json_object_get(table, "rows"));
	}
	return ferror(stdout) ? command_stdout_failed() : STATUS_OK;
}

/* --- the plot --- */

enum status seeds_plot(const struct seeds_results *r, const char *path)
{
	const struct seeds_sizes *s = r->sizes;
	struct plot_series series[SEEDS_CASES];
	double keys[SEEDS_LENGTHS];
	char names[SEEDS_CASES][64], note[400];
	size_t lengths = 0;
	const struct plot plot = {
		.title = "Decode attention: time against keys", .note = note,
		.x = { "keys", PLOT_LOG2 }, .y = { "time, \u00b5s", PLOT_LOG10 },
		.series = series, .series_count = SEEDS_CASES,
	};

	for (; lengths < SEEDS_LENGTHS && s->lengths[lengths]; lengths++)
		keys[lengths] = s->lengths[lengths];
	for (int c = 0; c < SEEDS_CASES; c++) {
		const struct seeds_case *how = &seeds_cases[c];

		if (how->chunk)
			snprintf(names[c], sizeof names[c], "%d-key chunks, %d warp%s", how->chunk,
				 how->warps, how->warps == 1 ? "" : "s");
		else
			snprintf(names[c], sizeof names[c], "%s, %d warp%s", how->path, how->warps,
				 how->warps == 1 ? "" : "s");
		series[c] = (struct plot_series){ names[c], keys, r->decode[c], lengths, false };
	}
	snprintf(note, sizeof note, "%s; %d heads, %d KV heads, D %d, f32, cold L2; medians of %d",
		 r->info.name, s->heads, s->kv_heads, s->head_dim, r->runs);
	return plot_write(&plot, path);
}

enum status seeds_print(const struct seeds_results *results, bool json)
{
	json_t *report = gather(results);
	enum status status = json ? run_print_json(report) : print_markdown(report);

	json_decref(report);
	return status;
}
