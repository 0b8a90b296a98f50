/* bench_rungs_report.c - prints results of `bench --suite decode` as Markdown: a table of times by
 * shape and rung for each list, peers, prompts, and all rows with their spread.
 */
#include "config.h"

#include "tui/bench/bench_rungs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/xalloc.h"
#include "tui/bench/bench_markdown.h"
#include "tui/bench/bench_seeds.h"
#include "tui/command.h"

/* --- rows --- */

const char *rungs_text(const json_t *row, const char *name)
{
	const char *text = json_string_value(json_object_get(row, name));

	return text ? text : "";
}

static double time_of(const json_t *row)
{
	const json_t *us = json_object_get(row, "us");

	return json_is_number(us) ? json_number_value(us) : NAN;
}

static bool is_peer(const json_t *row)
{
	return json_is_true(json_object_get(row, "peer"));
}

static bool is_prompt(const json_t *row)
{
	return json_is_number(json_object_get(row, "flop"));
}

static bool is_decode_peer(const json_t *row)
{
	return is_peer(row) && !is_prompt(row);
}

json_t *rungs_find(const json_t *rows, const char *shape, const char *kernel, const char *dtype)
{
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
		if (strcmp(rungs_text(row, "shape"), shape) == 0
		    && strcmp(rungs_text(row, "kernel"), kernel) == 0
		    && strcmp(rungs_text(row, "dtype"), dtype) == 0 && !isnan(time_of(row)))
			return row;
	return NULL;
}

static bool is_rung(const json_t *row)
{
	return !is_peer(row) && !is_prompt(row)
		&& strcmp(rungs_text(row, "kernel"), RUNGS_READ) != 0;
}

const char *rungs_dtype(const json_t *rows)
{
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
		if (is_rung(row))
			return rungs_text(row, "dtype");
	return "f32";
}

static double time_found(const json_t *rows, const char *shape, const char *kernel)
{
	const json_t *row = rungs_find(rows, shape, kernel, rungs_dtype(rows));

	return row ? time_of(row) : NAN;
}

/* Bytes of a value; 0 for an unknown type. */
static size_t element_of(const json_t *row)
{
	enum dtype dtype;

	return dtype_from_name(rungs_text(row, "dtype"), &dtype) ? dtype_bytes(dtype) : 0;
}

double rungs_row_bytes(const json_t *row)
{
	struct shape shape;
	double bytes;

	if (is_prompt(row) || shape_parse("", rungs_text(row, "shape"), &shape) != STATUS_OK) {
		error_clear();
		return NAN;
	}
	bytes = shape_bytes(&shape, element_of(row));
	shape_free(&shape);
	return bytes > 0 ? bytes : NAN;
}

void rungs_add_rates(json_t *results)
{
	json_t *rows = json_object_get(results, "rows"), *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		double us = time_of(row), bytes = rungs_row_bytes(row);
		const json_t *read;

		if (isnan(us) || isnan(bytes))
			continue;
		read = rungs_find(rows, rungs_text(row, "shape"), RUNGS_READ,
				  rungs_text(row, "dtype"));
		json_object_set_new(row, "gbs", seeds_number(bytes / us * 1e-3));
		if (read)
			json_object_set_new(row, "read_percent",
					    seeds_number(100 * time_of(read) / us));
	}
}

static json_t *label_of(const char *text)
{
	struct shape shape;
	json_t *json;
	char *label;

	if (shape_parse("", text, &shape) != STATUS_OK) {
		error_clear();
		return json_string(text);
	}
	label = shape_label(&shape);
	json = json_string(label);
	free(label);
	shape_free(&shape);
	return json;
}

/* The different texts of a member, among rows that `keep` accepts; NULL: all. */
static json_t *different(const json_t *rows, const char *name, bool (*keep)(const json_t *))
{
	json_t *seen = json_object(), *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
		if (!keep || keep(row))
			json_object_set_new(seen, rungs_text(row, name), json_true());
	return seen;
}

/* What a member says, or a dash. */
static const char *said(const json_t *row, const char *name)
{
	const char *text = rungs_text(row, name);

	return *text ? text : "-";
}

/* Lines with a heading, if there are any; takes them. */
static void print_section(const char *heading, json_t *lines)
{
	if (json_array_size(lines) > 0) {
		printf("## %s\n\n", heading);
		markdown_table(lines);
	}
	json_decref(lines);
}

/* --- times by shape and rung --- */

/* The fastest rung, or the fastest peer with keys and values of its type; NULL if there is none. */
static json_t *fastest(const json_t *rows, const char *shape, bool (*keep)(const json_t *))
{
	const char *dtype = rungs_dtype(rows);
	json_t *best = NULL, *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
		if (keep(row) && strcmp(rungs_text(row, "shape"), shape) == 0
		    && strcmp(rungs_text(row, "dtype"), dtype) == 0 && !isnan(time_of(row))
		    && (!best || time_of(row) < time_of(best)))
			best = row;
	return best;
}

static void add_fastest(json_t *line, const json_t *rows, const char *shape)
{
	const json_t *rung = fastest(rows, shape, is_rung);
	const json_t *peer = fastest(rows, shape, is_peer);
	double read = time_found(rows, shape, RUNGS_READ), us = rung ? time_of(rung) : NAN;
	char text[120] = "-", heading[40];

	snprintf(heading, sizeof heading, "fastest %s peer", rungs_dtype(rows));
	json_object_set_new(line, "GB/s", seeds_number(rung ? rungs_row_bytes(rung) / us * 1e-3
							: NAN));
	json_object_set_new(line, "% of read", seeds_number(100 * read / us));
	if (peer)
		snprintf(text, sizeof text, "%s %.1f", rungs_text(peer, "kernel"), time_of(peer));
	json_object_set_new(line, heading, json_string(text));
	json_object_set_new(line, "x faster", seeds_number(peer ? time_of(peer) / us : NAN));
}

static json_t *shape_line(const json_t *rows, const char *shape, const json_t *kernels)
{
	json_t *line = json_pack("{s:o}", "shape", label_of(shape)), *value;
	const char *kernel;

	json_object_set_new(line, RUNGS_READ,
			    seeds_number(time_found(rows, shape, RUNGS_READ)));
	json_object_foreach((json_t *)kernels, kernel, value)
		json_object_set_new(line, kernel, seeds_number(time_found(rows, shape, kernel)));
	add_fastest(line, rows, shape);
	return line;
}

static void print_list(const json_t *rows, const char *list, const json_t *kernels)
{
	json_t *lines = json_array(), *seen = json_object(), *row;
	char *heading = xasprintf("Shapes of the list \"%s\": us by rung", list);
	size_t i;

	json_array_foreach((json_t *)rows, i, row) {
		const char *shape = rungs_text(row, "shape");

		if (strcmp(rungs_text(row, "list"), list) != 0 || !is_rung(row)
		    || json_object_get(seen, shape))
			continue;
		json_object_set_new(seen, shape, json_true());
		json_array_append_new(lines, shape_line(rows, shape, kernels));
	}
	print_section(heading, lines);
	free(heading);
	json_decref(seen);
}

static void print_lists(const json_t *rows)
{
	json_t *kernels = different(rows, "kernel", is_rung), *value;
	json_t *lists = different(rows, "list", is_rung);
	const char *list;

	json_object_foreach(lists, list, value)
		print_list(rows, list, kernels);
	json_decref(kernels);
	json_decref(lists);
}

/* --- peers --- */

/* The time of rung 13, or of attention_prefill_tiled, right before and after the peers of a shape
 * or prompt; NAN: they were not paired. */
static double paired_time(const json_t *row)
{
	double us = json_number_value(json_object_get(row, "best_us"));

	return us > 0 ? us : NAN;
}

static bool has_pairs(const json_t *rows, bool wanted(const json_t *))
{
	size_t i;
	json_t *row;

	json_array_foreach((json_t *)rows, i, row)
		if (wanted(row) && !isnan(paired_time(row)))
			return true;
	return false;
}

static void print_peers(const json_t *rows)
{
	json_t *lines = json_array(), *row, *line;
	bool paired = has_pairs(rows, is_decode_peer);
	size_t i;

	json_array_foreach((json_t *)rows, i, row) {
		double us = time_of(row);
		const json_t *rung;

		if (!is_decode_peer(row))
			continue;
		rung = fastest(rows, rungs_text(row, "shape"), is_rung);
		line = json_pack("{s:o, s:s, s:s, s:o, s:o, s:o}",
				 "shape", label_of(rungs_text(row, "shape")),
				 "peer", rungs_text(row, "kernel"), "KV", rungs_text(row, "dtype"),
				 "us", seeds_number(us),
				 "GB/s", seeds_number(rungs_row_bytes(row) / us * 1e-3),
				 "x fastest rung", seeds_number(rung ? us / time_of(rung) : NAN));
		if (paired)
			json_object_set_new(line, "x best, paired",
					    seeds_number(us / paired_time(row)));
		json_object_set_new(line, "cited", json_string(said(row, "cited")));
		json_object_set_new(line, "note", json_string(said(row, "note")));
		json_array_append_new(lines, line);
	}
	print_section("Peers", lines);
}

/* --- prompts --- */

static void print_prompts(const json_t *rows)
{
	json_t *lines = json_array(), *row, *line;
	bool paired = has_pairs(rows, is_prompt);
	size_t i;

	json_array_foreach((json_t *)rows, i, row) {
		double flop = json_number_value(json_object_get(row, "flop"));

		if (!is_prompt(row))
			continue;
		line = json_pack("{s:s, s:s, s:s, s:o, s:o}", "prompt", rungs_text(row, "shape"),
				 "kernel", rungs_text(row, "kernel"),
				 "dtype", rungs_text(row, "dtype"),
				 "ms", seeds_number(1e-3 * time_of(row)),
				 "TFLOP/s", seeds_number(1e-6 * flop / time_of(row)));
		if (paired)
			json_object_set_new(line, "x tiled, paired",
					    seeds_number(time_of(row) / paired_time(row)));
		json_object_set_new(line, "note", json_string(said(row, "note")));
		json_array_append_new(lines, line);
	}
	print_section("Prompts; operations of the causal half", lines);
}

/* --- all rows --- */

static json_t *full_line(const json_t *rows, const json_t *row)
{
	double us = time_of(row), bytes = rungs_row_bytes(row);
	double read = strcmp(rungs_text(row, "dtype"), rungs_dtype(rows)) == 0
		? time_found(rows, rungs_text(row, "shape"), RUNGS_READ) : NAN;
	json_t *p10 = json_object_get(row, "p10"), *p90 = json_object_get(row, "p90");
	json_t *runs = json_object_get(row, "runs"), *copies = json_object_get(row, "copies");

	return json_pack(
		"{s:o, s:s, s:s, s:o, s:O?, s:O?, s:o, s:o, s:O?, s:O?, s:O?, s:s}",
		"shape", label_of(rungs_text(row, "shape")), "kernel", rungs_text(row, "kernel"),
		"KV", rungs_text(row, "dtype"), "us", seeds_number(us), "10 %", p10, "90 %", p90,
		"GB/s", seeds_number(bytes / us * 1e-3), "% of read", seeds_number(100 * read / us),
		"runs", runs, "copies", copies, "launches", json_object_get(row, "launches"),
		"note", said(row, "note"));
}

static void print_all(const json_t *rows)
{
	json_t *lines = json_array(), *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
		json_array_append_new(lines, full_line(rows, row));
	printf("## All measurements\n\n");
	if (json_array_size(lines) > 0)
		markdown_table(lines);
	json_decref(lines);
}

static const char explanation[] =
	"Times are medians in us, of one layer's attention after the scatter, all kernels, with\n"
	"keys and values in %s and an output in f32. They are those of graphs of many launches,\n"
	"which read several copies of the keys and values in turn, together several times the\n"
	"L2. Rung 0 is the time of a whole step on the host. `read` is the fastest of our kernels\n"
	"that only read as many bytes, in the same run; GB/s counts keys and values, and `%% of\n"
	"read` is its time / the rung's; these two columns and the last ones are those of the\n"
	"fastest rung.\n\n";

enum status rungs_print(const json_t *results)
{
	const json_t *rows = json_object_get(results, "rows");

	printf("# Decode attention by rung of the ladder\n\n");
	markdown_list(json_object_get(results, "about"));
	printf(explanation, rungs_dtype(rows));
	print_lists(rows);
	print_peers(rows);
	print_prompts(rows);
	print_all(rows);
	return ferror(stdout) ? command_stdout_failed() : STATUS_OK;
}
