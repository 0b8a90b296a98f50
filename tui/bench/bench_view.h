/* bench_view.h - the results of `flashtwin bench --suite view`.
 *
 * bench_view.c measures them; bench_view_report.c compares them with the limits and prints them.
 */
#ifndef BENCH_VIEW_H
#define BENCH_VIEW_H

#include <wchar.h>

#include "tui/views/address.h"

#define BENCH_OPEN 0.5                  /* limit in seconds to the first screen */
#define BENCH_KEY 0.05                  /* limit in seconds from a key to its response */
#define BENCH_PATIENCE 500              /* ms, after which work that shows a notice is stopped */

struct bench_time {
	double wall, cpu;               /* seconds */
	bool stopped;                   /* after BENCH_PATIENCE */
	double said;                    /* when it showed the notice that it takes longer, or 0 */
};

/* Presses of one key. */
struct bench_key {
	int key;
	double *answers;                /* [count] owned: seconds to the screen, or to `said` */
	size_t count;
	double max;                     /* of `answers` */
	double max_wall, max_cpu;       /* to the screen */
	size_t longer;                  /* presses that showed the notice */
	size_t stopped;                 /* presses that were stopped before their end */
	const char *screen;             /* where a press took longest */
	char at[ADDRESS_TEXT];
};

enum { BENCH_PLACES = 3 };
struct bench_place {
	struct address at;
};

struct bench_view {
	const char *path;
	int64_t rows, runs;
	struct bench_time idle, first_screen, plain;  /* of the whole process */
	struct bench_key *keys;         /* [key_count] owned */
	size_t key_count;
	long again;                     /* repeated presses */
	struct bench_place places[BENCH_PLACES];
	wchar_t command[32];            /* typed after ':' */
};

/* Draws the answers of all keys, sorted, as an SVG. */
enum status bench_view_plot(const struct bench_view *, const char *path);
/* Prints the results. DIFFERS, naming the slowest, if something exceeded its limit. */
enum status bench_view_report(struct bench_view *);

#endif
