/* ladder_matrix.c - the rows of the matrix, and results; see ladder_matrix.h. */
#include "config.h"

#include "tests/gpu/ladder_matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

const int several[SEVERAL] = { 1, 2, 3, 17, 32, 128 };
const int keys[KEYS] = {
	0, 1, 15, 16, 17, 31, 33, 63, 65, 127, 129, 1023, 1024, 1025, 65535, 65536, 65537,
	(1 << 20) - 1, 1 << 20,
};

/* --- rows --- */

struct row row_of(enum dtype type, int dim, int group, int sequences, int key)
{
	struct row row = { .number = ((dim * RIG_GROUPS + group) * SEVERAL + sequences) * KEYS
			   + key };
	struct rig_batch *b = &row.batch;
	int n = keys[key];

	b->rung = 5;
	b->kv_dtype = type;
	b->kv_heads = 1;
	b->slots = several[sequences];
	b->group = rig_groups[group];
	b->head_dim = rig_dims[dim];
	b->scores = (enum rig_scores)(((dim * RIG_GROUPS + group) * KEYS + key) % RIG_SCORES);
	for (int slot = 0; slot < b->slots; slot++) {
		b->lengths[slot] = n;
		b->sequences[slot] = slot;
	}
	row.scores = (int64_t)b->slots * b->group * n;
	row.bytes = (int64_t)b->slots * n * b->head_dim * 2 * (int64_t)dtype_bytes(type);
	return row;
}

static int by_work(const void *a, const void *b)
{
	const struct row *first = a, *second = b;
	int64_t x = first->scores * first->batch.head_dim;
	int64_t y = second->scores * second->batch.head_dim;

	return x != y ? (x > y) - (x < y) : first->number - second->number;
}

int list_large_rows(enum dtype type, struct row rows[ROWS])
{
	int count = 0;

	for (int i = 0; i < ROWS; i++) {
		int at = i / KEYS;
		struct row row = row_of(type, at / SEVERAL / RIG_GROUPS,
					at / SEVERAL % RIG_GROUPS, at % SEVERAL, i % KEYS);

		if (row.scores > MAX_SCORES)
			rows[count++] = row;
	}
	qsort(rows, (size_t)count, sizeof *rows, by_work);
	return count;
}

bool has_own_bits(enum dtype type, int rung)
{
	return rung <= 5 || (type != DTYPE_F32 && rung == 7);
}

/* --- results --- */

static struct {
	int tests, failed;
	uint64_t rows, values;
	struct timespec begun;
} results;

void results_begin(void)
{
	clock_gettime(CLOCK_MONOTONIC, &results.begun);
}

double results_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - results.begun.tv_sec)
		+ 1e-9 * (double)(now.tv_nsec - results.begun.tv_nsec);
}

void results_count_row(void)
{
	results.rows++;
}

void results_left_out(const struct rig_batch *b, const char *why)
{
	char name[128];

	printf("# left out: %s: %s\n", rig_name(b, name, sizeof name), why);
}

void results_expect(const struct rig_batch *b, const char *what, const float *wanted,
		    const float *got, size_t count)
{
	size_t differ = rig_differences(wanted, got, count), at = 0;
	char name[128];

	results.values += count;
	if (differ == 0)
		return;
	while (rig_differences(wanted + at, got + at, 1) == 0)
		at++;
	if (results.failed++ < 20)
		printf("not ok %d - %s: %s: %zu of %zu values differ, the first is %zu: %.9g and "
		       "%.9g\n", ++results.tests, rig_name(b, name, sizeof name), what, differ,
		       count, at, (double)wanted[at], (double)got[at]);
}

int results_finish(const char *what)
{
	printf("%s %d - %s: %llu rows in %.0f s\n", results.failed ? "not ok" : "ok",
	       ++results.tests, what, (unsigned long long)results.rows, results_seconds());
	printf("# %llu values compared\n1..%d\n", (unsigned long long)results.values,
	       results.tests);
	return results.failed > 0;
}
