/* plan_rule.h - the layout of a plan, and what a split costs in it. Included by kernels and by the
 * host; split_plan.cuh says what a plan is.
 */
#ifndef PLAN_RULE_H
#define PLAN_RULE_H

#include "kernels/split_rule.h"

#define PLAN_THREADS 128        /* of a block of flash_decode_plan */
#define PLAN_HEAD 8             /* values of a block */
#define PLAN_HEADS(blocks) (PLAN_HEAD * ((blocks) + 1)) /* values before the units */
#define PLAN_UNIT 4             /* values of a unit */
/* Split `index` of the `used` splits of its sequence that have keys; at least 1 counts as used. */
#define PLAN_PLACE(index, used) ((index) | (used) << 8)
#define PLAN_INDEX(place) ((place) & 0xff)
#define PLAN_USED(place) ((place) >> 8)

/* What a split of `keys` keys costs, in keys: its own, and those that a block could read while it
 * begins a split and publishes its partials. */
#define PLAN_OVERHEAD 32
#define PLAN_COST(keys) ((long long)(keys) + PLAN_OVERHEAD)
/* Units of a sequence of `n` keys and one KV head. */
#define PLAN_UNITS(n) ((n) > 0 ? SPLITS_USED(n) : 1)

#endif
