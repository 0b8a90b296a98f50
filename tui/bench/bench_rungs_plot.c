/* bench_rungs_plot.c - draws results of `bench --suite decode`: GB/s against keys, a line for each
 * rung, the read, and each peer (the fastest of its variants). Only shapes of one sequence, of the
 * heads that most of them have.
 */
#include "config.h"

#include "tui/bench/bench_rungs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/bench/plot.h"

/* A row that can be drawn. */
struct dot {
	const json_t *row;
	struct shape shape;
	double keys, speed;
};

struct dots {
	struct dot *items;
	size_t count;
};

static bool same_heads(const struct dot *a, const struct dot *b)
{
	return a->shape.heads == b->shape.heads && a->shape.kv_heads == b->shape.kv_heads
		&& a->shape.head_dim == b->shape.head_dim;
}

static void add_dot(struct dots *dots, const json_t *row)
{
	double us = json_number_value(json_object_get(row, "us"));
	struct dot dot = { .row = row };

	if (!(us > 0) || shape_parse("", rungs_text(row, "shape"), &dot.shape) != STATUS_OK) {
		error_clear();
		return;
	}
	dot.keys = shape_max_keys(&dot.shape);
	dot.speed = rungs_row_bytes(row) / us * 1e-3;
	if (dot.shape.sequences > 1 || isnan(dot.speed)) {
		shape_free(&dot.shape);
		return;
	}
	dots->items = xreallocarray(dots->items, dots->count + 1, sizeof *dots->items);
	dots->items[dots->count++] = dot;
}

static size_t count_like(const struct dots *dots, const struct dot *dot)
{
	size_t count = 0;

	for (size_t i = 0; i < dots->count; i++)
		count += same_heads(&dots->items[i], dot);
	return count;
}

/* Removes the dots of other heads. */
static void keep_most(struct dots *dots)
{
	const struct dot *most = dots->items;
	struct dot like;
	size_t kept = 0;

	for (size_t i = 1; i < dots->count; i++)
		if (count_like(dots, &dots->items[i]) > count_like(dots, most))
			most = &dots->items[i];
	if (dots->count > 0)
		like = *most;
	for (size_t i = 0; i < dots->count; i++) {
		if (same_heads(&dots->items[i], &like))
			dots->items[kept++] = dots->items[i];
		else
			shape_free(&dots->items[i].shape);
	}
	dots->count = kept;
}

static int by_keys(const void *a, const void *b)
{
	double x = ((const struct dot *)a)->keys, y = ((const struct dot *)b)->keys;

	return (x > y) - (x < y);
}

/* --- series --- */

struct lines {
	struct plot_series *items;
	size_t count;
};

/* "PyTorch cuDNN, bf16, cited"; the caller frees it. Variants of a kernel, whose names go on after
 * a comma, share a line. */
static char *series_name(const json_t *row)
{
	const char *dtype = rungs_text(row, "dtype"), *kernel = rungs_text(row, "kernel");
	bool f32 = strcmp(dtype, "f32") == 0;

	return xasprintf("%.*s%s%s%s", (int)strcspn(kernel, ","), kernel, f32 ? "" : ", ",
			 f32 ? "" : dtype, *rungs_text(row, "cited") ? ", cited" : "");
}

static struct plot_series *series_of(struct lines *lines, const json_t *row, size_t dots)
{
	char *name = series_name(row);
	struct plot_series *s;

	for (size_t i = 0; i < lines->count; i++)
		if (strcmp(lines->items[i].name, name) == 0) {
			free(name);
			return &lines->items[i];
		}
	lines->items = xreallocarray(lines->items, lines->count + 1, sizeof *lines->items);
	s = &lines->items[lines->count++];
	*s = (struct plot_series){ name, xcalloc(dots, sizeof(double)),
				   xcalloc(dots, sizeof(double)), 0,
				   json_is_true(json_object_get(row, "peer")) };
	return s;
}

/* Of several times for the same keys the fastest counts. */
static void gather_lines(const struct dots *dots, struct lines *lines)
{
	for (size_t i = 0; i < dots->count; i++) {
		const struct dot *dot = &dots->items[i];
		struct plot_series *s = series_of(lines, dot->row, dots->count);
		double *x = (double *)s->x, *y = (double *)s->y;

		if (s->count > 0 && x[s->count - 1] == dot->keys) {
			y[s->count - 1] = fmax(y[s->count - 1], dot->speed);
			continue;
		}
		x[s->count] = dot->keys;
		y[s->count++] = dot->speed;
	}
}

static void free_lines(struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		free((char *)lines->items[i].name);
		free((double *)lines->items[i].x);
		free((double *)lines->items[i].y);
	}
	free(lines->items);
}

/* Rungs first, in the order of the rows, then the read, then peers. */
static int rank_of(const struct plot_series *s)
{
	return s->peer ? 2 : strcmp(s->name, RUNGS_READ) == 0 ? 1 : 0;
}

static int compare_lines(const void *a, const void *b)
{
	const struct plot_series *x = a, *y = b;
	int order = rank_of(x) - rank_of(y);

	return order ? order : strverscmp(x->name, y->name);
}

/* --- the plot --- */

static void write_note(const json_t *results, const struct dots *dots, char *note, size_t size)
{
	const json_t *about = json_object_get(results, "about");
	const struct shape *s = dots->count > 0 ? &dots->items[0].shape : NULL;

	snprintf(note, size, "%s, %s; %d heads, %d KV heads, D %d, one sequence, cold L2; medians; "
		 "f32 unless named",
		 rungs_text(about, "device"), rungs_text(about, "date"), s ? s->heads : 0,
		 s ? s->kv_heads : 0, s ? s->head_dim : 0);
}

static enum status draw(const json_t *results, const struct dots *dots, const char *path)
{
	struct lines lines = { 0 };
	char note[400];
	struct plot plot = {
		.title = "Decode attention: keys and values read per second", .note = note,
		.x = { "keys", PLOT_LOG2 }, .y = { "GB/s", PLOT_LINEAR },
	};
	enum status status;

	gather_lines(dots, &lines);
	if (lines.count > 0)
		qsort(lines.items, lines.count, sizeof *lines.items, compare_lines);
	write_note(results, dots, note, sizeof note);
	plot.series = lines.items;
	plot.series_count = lines.count;
	status = plot_write(&plot, path);
	free_lines(&lines);
	return status;
}

enum status rungs_plot(const json_t *results, const char *path)
{
	const json_t *rows = json_object_get(results, "rows"), *row;
	struct dots dots = { 0 };
	enum status status;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
		add_dot(&dots, row);
	keep_most(&dots);
	if (dots.count > 0)
		qsort(dots.items, dots.count, sizeof *dots.items, by_keys);
	status = draw(results, &dots, path);
	for (size_t j = 0; j < dots.count; j++)
		shape_free(&dots.items[j].shape);
	free(dots.items);
	return status;
}
