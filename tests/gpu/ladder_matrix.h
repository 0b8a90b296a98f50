/* ladder_matrix.h - the rows of a matrix of shapes for the rungs of the ladder, and the results of
 * comparing them, as TAP. Used by ladder_rows.c and ladder_twin.c.
 *
 * A row is a head size, query heads per KV head, sequences and keys; each type of keys and values
 * has the same rows.
 */
#ifndef TESTS_GPU_LADDER_MATRIX_H
#define TESTS_GPU_LADDER_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/ladder_rig.h"

enum { SEVERAL = 6, KEYS = 19, MAX_SCORES = 2000000 };
extern const int several[SEVERAL];      /* sequences of a batch */
extern const int keys[KEYS];
enum { ROWS = RIG_DIMS * RIG_GROUPS * SEVERAL * KEYS };

struct row {
	int number;
	int64_t scores, bytes;          /* bytes of keys and values */
	struct rig_batch batch;         /* of rung 5, all sequences different */
};

/* The row with these indexes in rig_dims, rig_groups, several and keys. Those that differ only in
 * the number of sequences have the same kind of scores. */
struct row row_of(enum dtype, int dim, int group, int sequences, int keys);
/* All rows with more than MAX_SCORES scores, those with the least work first; returns how many. */
int list_large_rows(enum dtype, struct row rows[ROWS]);

/* Whether no lower rung from 5 up has the bits of the rung: those of f32 have the same, and of the
 * other types 5 and 6, and those from 7 up. */
bool has_own_bits(enum dtype, int rung);

/* --- results --- */

/* Call first. */
void results_begin(void);
double results_seconds(void);
void results_count_row(void);
void results_left_out(const struct rig_batch *, const char *why);
/* Counts the values compared; reports the first differences. */
void results_expect(const struct rig_batch *, const char *what, const float *wanted,
		    const float *got, size_t count);
/* Prints the last lines of TAP; returns an exit code. */
int results_finish(const char *what);

/* --- ladder_twin.c --- */

int twin(const char *device, enum dtype, int part, int parts, double limit);

#endif
