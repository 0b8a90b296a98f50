/* lab_case.h - one case: the sizes and inputs that a family gives for a seed.
 *
 * Inputs are made before the student's kernel runs. What is expected is not here: it must not be in
 * memory that the kernel's process inherits.
 */
#ifndef LAB_CASE_H
#define LAB_CASE_H

#include "engine/device.h"
#include "tui/lab/case/expression.h"
#include "tui/lab/case/lab.h"

struct case_array {
	const struct lab_array *lab;
	int rank;
	int64_t shape[MAX_RANK];
	size_t count, bytes;
	void *data;                     /* of in and inout, else NULL */
	void *result;                   /* of out and inout: shared with the kernel's process */
};

struct lab_case {
	const struct lab *lab;
	const struct lab_family *family;
	enum lab_part part;             /* PART_PUBLIC or PART_SECRET */
	int index;                      /* in its family and part */
	uint64_t seed, order;           /* order: --seed of the simulator */
	bool derived;                   /* counters are those of the original */
	struct names names;
	struct case_array arrays[MAX_LAB_ARRAYS];
	int array_count;
};

/* INTERNAL, naming what is wrong in lab.json. Call lab_case_free() after a failure too. `seed` is
 * that of seed_of_case(). */
enum status lab_case_make(const struct lab *, const struct lab_family *, enum lab_part, int index,
			  uint64_t seed, struct lab_case *out);
void lab_case_free(struct lab_case *);

/* By name; NULL if there is none. */
struct case_array *case_array_find(struct lab_case *, const char *name);
const struct case_array *case_array_get(const struct lab_case *, const char *name);
bool case_array_writes(const struct case_array *);
/* Element i of an array's bytes as a double. */
double case_value(const struct case_array *, const void *bytes, size_t i);
void case_value_set(const struct case_array *, void *bytes, size_t i, double value);
/* Memory for `bytes` that child processes share; NULL if there is none. */
void *case_share(size_t bytes);

/* The case with index `at` of the size `axis` alone: arrays lose the others. */
enum status lab_case_solo(const struct lab_case *, const char *axis, int64_t at,
			  struct lab_case *out);
/* The same with the inputs' axes of that size in the order of `order`; with axis NULL a copy. */
enum status lab_case_permute(const struct lab_case *, const char *axis, const int64_t *order,
			     struct lab_case *out);
/* The element of the original array that element i of the derived one is; `order` as given to
 * lab_case_permute(), or one index for lab_case_solo(). */
size_t case_origin(const struct case_array *from, const struct case_array *derived,
		   const char *axis, const int64_t *order, size_t i);

/* "rows 3, n 203, d 17"; the caller frees it. */
char *lab_case_sizes(const struct lab_case *);

#endif
