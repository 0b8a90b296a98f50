/* accuracy.h - the rule that the outputs of attention obey, against float64.
 *
 * The error of an output is at most twice that of plain f32 softmax, plus 2^-20 of the largest
 * value; over all shapes at most 1.5 times in RMS; and outputs are finite and between the smallest
 * and the largest value of their row.
 */
#ifndef ACCURACY_H
#define ACCURACY_H

#include <math.h>

#include "tests/support.h"

struct errors {
	double worst, plain_worst, squares, plain_squares, max_value;   /* max_value: |v| */
};

/* An output is a weighted mean of the n values that its row sees: between them up to rounding, or 0
 * if there are none. */
static void check_hull(const float *out, const float *v, int n, size_t Dv, const char *what)
{
	for (size_t d = 0; d < Dv; d++) {
		float min = n > 0 ? v[d] : 0.0f, max = min;

		for (size_t j = 1; j < (size_t)n; j++) {
			min = fminf(min, v[j * Dv + d]);
			max = fmaxf(max, v[j * Dv + d]);
		}
		ck_assert_msg(out[d] >= min - 0x1p-20f && out[d] <= max + 0x1p-20f,
			      "%s: element %zu: expected %g to %g, got %g", what, d,
			      (double)min, (double)max, (double)out[d]);
	}
}

/* Adds the errors of one output row of attention to n keys. */
static void add_row(struct errors *e, const float *out, const double *exact, const float *plain,
		    const float *v, int n, size_t Dv)
{
	for (size_t i = 0; i < (size_t)n * Dv; i++)
		e->max_value = fmax(e->max_value, fabsf(v[i]));
	for (size_t d = 0; d < Dv; d++) {
		double off = fabs(out[d] - exact[d]), plain_off = fabs(plain[d] - exact[d]);

		e->worst = fmax(e->worst, off);
		e->plain_worst = fmax(e->plain_worst, plain_off);
		e->squares += off * off;
		e->plain_squares += plain_off * plain_off;
	}
}

static void check_errors(struct errors *total, const struct errors *e, const char *what)
{
	ck_assert_msg(e->worst <= 2.0 * e->plain_worst + 0x1p-20 * e->max_value,
		      "%s: error %g, plain softmax has %g", what, e->worst, e->plain_worst);
	total->squares += e->squares;
	total->plain_squares += e->plain_squares;
}

static void check_rms(const struct errors *total, const char *what)
{
	ck_assert_msg(total->squares <= 1.5 * 1.5 * total->plain_squares,
		      "%s: RMS error is %g times that of plain softmax", what,
		      sqrt(total->squares / total->plain_squares));
}

#endif
