/* split_planned.cuh - a block attends to the run of splits that a plan gives it: rung 9.
 *
 * Included only by flash_decode_planned.cu and its versions for other types of keys and values,
 * after they say which (kernels/split_element.cuh).
 */
#ifndef SPLIT_PLANNED_CUH
#define SPLIT_PLANNED_CUH

#include "kernels/split.cuh"
#include "kernels/split_source.cuh"
#include "sim/cuda/programmatic.h"

INLINE_PIECE void planned_run(const struct split_launch *in, int heads, split_attend_fn *attend,
			      float *shared)
{
	struct plan_run run = plan_run_of_block(in->plan, gridDim.x);
	struct split_source source;
	struct split s;

	split_place(&s, in, heads, shared, SOURCE_FLOATS(heads, in->D));
	split_none(&s);
	source_begin(&source, &s, in, &run, SOURCE_PLACES(heads, in->D), true, false);
	while (run.count > 0) {
		split_of_unit(&s, in, &run.ahead);
		attend(&s, &source);
		plan_go_on(&run);
		grid_wait();
		split_publish(&s, in->partials);
	}
	grid_wait();    /* without splits too: the next launch waits for the end of this one only */
}

#endif
