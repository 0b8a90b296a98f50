/* bench_view_report.c - prints what bench_view.c measured, and compares it with the limits. */
#include "config.h"

#include "tui/bench/bench_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "tui/bench/bench_sample.h"
#include "tui/bench/plot.h"
#include "tui/viewer/viewer_help.h"

static void print_opening(const char *what, const struct bench_time *t)
{
	printf("%-34s %8.3f s  cpu %8.3f s\n", what, t->wall, t->cpu);
}

static void print_key(struct bench_key *k)
{
	char name[32];

	printf("%-12s %7zu %9.2f %9.2f %6zu %7zu %9.2f %9.2f  %-10s %s\n",
	       viewer_key_name(k->key, name), k->count,
	       1e3 * bench_median(k->answers, k->count), 1e3 * k->max, k->longer,
	       k->stopped, 1e3 * k->max_wall, 1e3 * k->max_cpu, k->screen, k->at);
}

static void print_keys(struct bench_view *b)
{
	size_t presses = 0, longer = 0, stopped = 0;

	printf("\n%-12s %7s %9s %9s %6s %7s %9s %9s  %-10s %s\n%-12s %7s %9s %9s %6s %7s %9s %9s\n",
	       "key", "presses", "answer ms", "", "longer", "stopped", "screen ms", "", "most on",
	       "at", "", "", "median", "most", "", "", "most", "cpu most");
	for (size_t i = 0; i < b->key_count; i++) {
		print_key(&b->keys[i]);
		presses += b->keys[i].count;
		longer += b->keys[i].longer;
		stopped += b->keys[i].stopped;
	}
	printf("\n%zu presses, %ld repeated because another program was using the processor;\n"
	       "%zu first showed a notice that they take longer and any key stops them; %zu of"
	       " these were\nstopped %d ms later\n", presses, b->again, longer, stopped,
	       BENCH_PATIENCE);
}

static enum status check_keys(const struct bench_view *b)
{
	const struct bench_key *slowest = &b->keys[0];
	size_t slow = 0;
	char name[32];

	for (size_t i = 0; i < b->key_count; i++) {
		slow += b->keys[i].max > BENCH_KEY;
		if (b->keys[i].max > slowest->max)
			slowest = &b->keys[i];
	}
	viewer_key_name(slowest->key, name);
	printf("slowest answer: %s, %.2f ms (limit %.0f)\n", name, 1e3 * slowest->max,
	       1e3 * BENCH_KEY);
	return slow == 0 ? STATUS_OK
		: fail(STATUS_DIFFERS, "%zu keys took longer than %.0f ms, the slowest is %s:"
		       " %.1f ms", slow, 1e3 * BENCH_KEY, name, 1e3 * slowest->max);
}

static int by_value(const void *a, const void *b)
{
	const double *first = a, *second = b;

	return (*first > *second) - (*first < *second);
}

/* The part of the presses, in percent, that were answered within a time. */
enum status bench_view_plot(const struct bench_view *b, const char *path)
{
	size_t count = 0, next = 0;
	double *ms, *part;
	char note[160];
	const struct plot_limit limit = { "limit: 50 ms", 1e3 * BENCH_KEY };
	struct plot_series answers = { .name = "key to its answer" };
	const struct plot plot = {
		.title = "How soon the viewer answers a key", .note = note,
		.x = { "key presses, percent", PLOT_LINEAR }, .y = { "at most, ms", PLOT_LOG10 },
		.series = &answers, .series_count = 1, .limits = &limit, .limit_count = 1,
	};
	enum status status;

	for (size_t i = 0; i < b->key_count; i++)
		count += b->keys[i].count;
	ms = xcalloc(count, sizeof *ms);
	part = xcalloc(count, sizeof *part);
	for (size_t i = 0; i < b->key_count; i++)
		for (size_t k = 0; k < b->keys[i].count; k++)
			ms[next++] = 1e3 * b->keys[i].answers[k];
	qsort(ms, count, sizeof *ms, by_value);
	for (size_t i = 0; i < count; i++)
		part[i] = 100.0 * (double)(i + 1) / (double)count;
	answers = (struct plot_series){ answers.name, part, ms, count, false };
	snprintf(note, sizeof note, "%zu presses on every screen; %" PRId64 " rows in the trace",
		 count, b->rows);
	status = plot_write(&plot, path);
	free(ms);
	free(part);
	return status;
}

enum status bench_view_report(struct bench_view *b)
{
	printf("%s: %" PRId64 " rows in its tables, %" PRId64 " run%s\n", b->path, b->rows,
	       b->runs, b->runs == 1 ? "" : "s");
	print_opening("first screen, whole process", &b->first_screen);
	print_opening("view --plain, every screen", &b->plain);
	print_opening("prepared while waiting for a key", &b->idle);
	print_keys(b);
	if (b->first_screen.wall > BENCH_OPEN)
		return fail(STATUS_DIFFERS, "the first screen took %.3f s, the limit is %.1f s",
			    b->first_screen.wall, BENCH_OPEN);
	return check_keys(b);
}
