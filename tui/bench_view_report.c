/* bench_view_report.c - prints and judges what tui/bench_view.c measured. */
#include "config.h"

#include "tui/bench_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/viewer_internal.h"

static void print_opening(const char *what, const struct bench_time *t)
{
	printf("%-34s %8.3f s  cpu %8.3f s\n", what, t->wall, t->cpu);
}

static void print_key(struct bench_key *k)
{
	char name[32];

	printf("%-12s %7zu %9.2f %9.2f %9.2f  %-10s %s\n", viewer_key_name(k->key, name),
	       k->count, 1e3 * bench_median(k->wall, k->count), 1e3 * k->most,
	       1e3 * k->most_cpu, k->screen, k->at);
}

enum status bench_view_report(struct bench_view *b)
{
	const struct bench_key *slowest = &b->keys[0];
	size_t presses = 0, slow = 0;
	char name[32];

	printf("%s: %" PRId64 " rows in its tables, %" PRId64 " run%s\n", b->path, b->rows,
	       b->runs, b->runs == 1 ? "" : "s");
	print_opening("first screen, whole process", &b->first_screen);
	print_opening("view --plain, whole process", &b->plain);
	printf("\n%-12s %7s %9s %9s %9s  %-10s %s\n", "key", "presses", "median ms", "most ms",
	       "cpu ms", "most on", "at");
	for (size_t i = 0; i < b->key_count; i++) {
		print_key(&b->keys[i]);
		presses += b->keys[i].count;
		slow += b->keys[i].most > BENCH_KEY;
		if (b->keys[i].most > slowest->most)
			slowest = &b->keys[i];
	}
	viewer_key_name(slowest->key, name);
	printf("\n%zu presses, %ld of them repeated because another program had the processor\n",
	       presses, b->again);
	printf("slowest: %s on %s at %s, %.2f ms (at most %.0f)\n", name, slowest->screen,
	       slowest->at, 1e3 * slowest->most, 1e3 * BENCH_KEY);
	if (b->first_screen.wall > BENCH_OPEN || b->plain.wall > BENCH_OPEN)
		return fail(STATUS_DIFFERS, "opening took %.3f s, view --plain %.3f s: at most"
			    " %.1f s", b->first_screen.wall, b->plain.wall, BENCH_OPEN);
	if (slow > 0)
		return fail(STATUS_DIFFERS, "%zu keys took longer than %.0f ms, %s longest: %.1f"
			    " ms", slow, 1e3 * BENCH_KEY, name, 1e3 * slowest->most);
	return STATUS_OK;
}
