/* fills.c - one function for each distribution; the table at the end names them. See fills.h. */
#include "tui/lab/case/fills.h"

#include <math.h>
#include <string.h>

#include "tui/lab/case/lab_random.h"

#define MAX_VALUES 16

struct filling {
	struct lab_random random;
	double value[MAX_VALUES];       /* of the expressions */
	int values;
	size_t count, row;
	bool integers;
	double *out;
};

static void fill_normal(struct filling *f)
{
	for (size_t i = 0; i < f->count; i++)
		f->out[i] = f->value[0] + f->value[1] * random_normal(&f->random);
}

static void fill_uniform(struct filling *f)
{
	for (size_t i = 0; i < f->count; i++)
		f->out[i] = f->integers
			? (double)random_integer(&f->random, (int64_t)f->value[0],
						 (int64_t)f->value[1])
			: f->value[0] + (f->value[1] - f->value[0]) * random_uniform(&f->random);
}

static void fill_constant(struct filling *f)
{
	for (size_t i = 0; i < f->count; i++)
		f->out[i] = f->value[0];
}

static void fill_cycle(struct filling *f)
{
	for (size_t i = 0; i < f->count; i++)
		f->out[i] = f->value[i % (size_t)f->values];
}

static void fill_index(struct filling *f)
{
	for (size_t i = 0; i < f->count; i++)
		f->out[i] = (double)(i % f->row);
}

/* DEVIATION, LAST, RISE */
static void fill_late(struct filling *f)
{
	size_t last = f->value[1] < 1 ? 1 : (size_t)f->value[1];

	for (size_t first = 0; first < f->count; first += f->row) {
		double *row = f->out + first, max = -INFINITY;

		for (size_t i = 0; i < f->row; i++) {
			row[i] = f->value[0] * random_normal(&f->random);
			max = fmax(max, row[i]);
		}
		if (last > f->row)
			last = f->row;
		row[f->row - 1 - random_bits(&f->random) % last] = max + f->value[2];
	}
}

/* STEP, DEVIATION */
static void fill_rising(struct filling *f)
{
	for (size_t i = 0; i < f->count; i++)
		f->out[i] = f->value[0] * (double)(i % f->row)
			+ f->value[1] * random_normal(&f->random);
}

static void fill_spread(struct filling *f)
{
	for (size_t i = 0; i < f->count; i++)
		f->out[i] = f->value[0] * (2 * random_uniform(&f->random) - 1);
}

/* FROM, TO. Integers as floats, whose products and sums have no rounding: a kernel's order of
 * summation does not matter then, even where the results are large. */
static void fill_integers(struct filling *f)
{
	for (size_t i = 0; i < f->count; i++)
		f->out[i] = (double)random_integer(&f->random, (int64_t)f->value[0],
						   (int64_t)f->value[1]);
}

static void fill_permutation(struct filling *f)
{
	for (size_t i = 0; i < f->count; i++)
		f->out[i] = (double)i;
	for (size_t i = f->count; i > 1; i--) {
		size_t j = random_bits(&f->random) % i;
		double kept = f->out[i - 1];

		f->out[i - 1] = f->out[j];
		f->out[j] = kept;
	}
}

static const struct {
	const char *name;
	int min, max;                   /* how many expressions */
	void (*fill)(struct filling *);
} fills[] = {
	{ "normal", 2, 2, fill_normal },
	{ "uniform", 2, 2, fill_uniform },
	{ "constant", 1, 1, fill_constant },
	{ "cycle", 1, MAX_VALUES, fill_cycle },
	{ "index", 0, 0, fill_index },
	{ "late", 3, 3, fill_late },
	{ "rising", 2, 2, fill_rising },
	{ "spread", 1, 1, fill_spread },
	{ "integers", 2, 2, fill_integers },
	{ "permutation", 0, 0, fill_permutation },
};

enum status fill_array(const json_t *fill, const struct names *names, const char *what,
		       uint64_t seed, size_t count, size_t row, bool integers, double *out)
{
	const char *name = json_string_value(json_array_get(fill, 0));
	struct filling f = {
		.random = { seed }, .count = count, .row = row, .integers = integers, .out = out,
		.values = (int)json_array_size(fill) - 1,
	};
	size_t i = 0;

	while (i < sizeof fills / sizeof fills[0] && (!name || strcmp(fills[i].name, name) != 0))
		i++;
	if (i == sizeof fills / sizeof fills[0])
		return fail(STATUS_INTERNAL, "%s: unknown fill %s", what, name ? name : "(none)");
	if (f.values < fills[i].min || f.values > fills[i].max)
		return fail(STATUS_INTERNAL, "%s: the fill %s takes %d expressions, got %d", what,
			    name, fills[i].min, f.values);
	for (int k = 0; k < f.values; k++)
		TRY(expression_value(json_array_get(fill, (size_t)k + 1), names, what,
				     &f.value[k]));
	fills[i].fill(&f);
	return STATUS_OK;
}
