/* bench_view.h - what `flashtwin bench --suite view` measured, between tui/bench/bench_view.c, which
 * measures, and tui/bench/bench_view_report.c, which judges and prints it.
 */
#ifndef BENCH_VIEW_H
#define BENCH_VIEW_H

#include <wchar.h>

#include "tui/views/address.h"

#define BENCH_OPEN 0.5                  /* seconds at most to the first screen */
#define BENCH_KEY 0.05                  /* and from a key to its screen */
#define BENCH_PATIENCE 500              /* ms, after which work that says so is stopped */

struct bench_time {
	double wall, cpu;               /* seconds */
	bool stopped;                   /* after BENCH_PATIENCE */
	double said;                    /* when it said that it takes longer, 0: it did not */
};

/* Presses of one key. */
struct bench_key {
	int key;
	double *answers;                /* [count] owned: seconds to the screen, or to `said` */
	size_t count;
	double most;                    /* of them */
	double most_wall, most_cpu;     /* to the screen */
	size_t longer;                  /* that said that they take longer */
	size_t stopped;                 /* of those, that were stopped before their end */
	const char *screen;             /* where it took longest */
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
	long again;                     /* presses done again */
	struct bench_place places[BENCH_PLACES];
	wchar_t command[32];            /* typed behind ':' */
};

/* Prints it. DIFFERS, naming what, when something took longer than it may. */
enum status bench_view_report(struct bench_view *);

#endif
