/* split_plan.cuh - the plan of a batch: which block attends to which splits.
 *
 * A plan is i32 values: PLAN_HEAD for each block and one more, of which the first is the number of
 * the block's first unit, and the last four are that unit; then PLAN_UNIT for each unit, as struct
 * plan_unit. The one more has how many units there are. Units are the splits of all sequences and
 * KV heads, in the order of sequence, KV head and split. A sequence without keys has one unit for
 * each KV head, without keys. flash_decode_plan writes it.
 */
#ifndef SPLIT_PLAN_CUH
#define SPLIT_PLAN_CUH

#include "kernels/plan_rule.h"
#include "kernels/split.cuh"

struct plan_unit {
	int row;                        /* slot * Hkv + KV head */
	int place;                      /* PLAN_PLACE(index, used) */
	int begin, end;                 /* keys */
};

/* Units of a block that are still to come: `count` of them, first `ahead`, then `next`. If `ahead`
 * is the last one, `next` is too. */
struct plan_run {
	struct plan_unit ahead;
	const int4 *next;
	int count;
};

static __device__ struct plan_unit plan_load(const int4 *from)
{
	int4 all = *from;
	struct plan_unit unit = { all.x, all.y, all.z, all.w };

	return unit;
}

/* The run of the block in a grid of `blocks` blocks. */
static __device__ struct plan_run plan_run_of_block(const int *plan, int blocks)
{
	const int *head = plan + blockIdx.x * PLAN_HEAD;
	struct plan_run run;
	int first = head[0];

	run.ahead = plan_load((const int4 *)head + 1);
	run.count = head[PLAN_HEAD] - first;
	run.next = (const int4 *)(plan + PLAN_HEADS(blocks)) + first + (run.count > 1);
	return run;
}

/* Leaves the first unit of a run behind. The next one is loaded without a condition, since with one
 * the thread would wait for it here. */
static __device__ void plan_go_on(struct plan_run *run)
{
	run->ahead = plan_load(run->next);
	if (--run->count > 1)
		run->next++;
}

/* Sets the split that a unit stands for, after that of the unit before it in the run: the splits of
 * a KV head follow each other, so that the next index means the same queries. */
static __device__ void split_of_unit(struct split *s, const struct split_launch *in,
				     const struct plan_unit *unit)
{
	int index = PLAN_INDEX(unit->place);

	s->same = index > 0 && s->index == index - 1;
	split_set(s, in, unit->row / in->Hkv, unit->row % in->Hkv, index, unit->begin, unit->end);
}

#endif
