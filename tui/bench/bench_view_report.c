/* bench_view_report.c - prints what bench_view.c measured, and compares it with the limits. */
#include "config.h"

#include "tui/bench/bench_view.h"

#include <inttypes.h>
#include <stdio.h>

#include "tui/bench/bench_sample.h"
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
