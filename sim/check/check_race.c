/* check_race.c - decides whether two accesses are ordered, and reports a race if they are not.
 *
 * Two accesses of the same bytes, at least one of them a write, race unless something orders them:
 * the same thread, a block barrier, a barrier of its cluster (check_cluster.c), __syncwarp() with
 * both lanes in its mask, or an atomic with fences (check_order.c). Blocks are concurrent in
 * whatever order they run here. Two atomics never race, nor do an atomic and a volatile access of
 * global memory. check_shadow.c records accesses and selects those to compare.
 */
#include "config.h"

#include "sim/check/check_race.h"

#include "sim/check/check_cluster.h"
#include "sim/check/check_find.h"
#include "sim/check/check_order.h"
#include "sim/check/check_segment.h"
#include "sim/check/check_settle.h"
#include "sim/check/check_state.h"

static uint32_t lane_number(uint32_t segment)
{
	return segment & (WARP_LANES - 1);
}

/* strong: a volatile read, which bypasses caches, or a write, which waits for the atomic whose
 * value it depends on. Only plain reads need their own fence after the atomic. */
bool check_ordered(struct check *check, const struct lane *lane, uint32_t segment,
		   bool strong)
{
	const struct check_lane *mine = &lane->check;

	if (segment < check->hot.first)
		return true;
	if (check_same_block(check, lane, segment)) {
		if (segment < mine->bound)
			return true;
		if (check->slices[segment >> LANES_SHIFT].warp == lane->warp->number
		    && (1u << lane_number(segment) == lane->bit || segment < mine->warp_bound
			|| (mine->known && segment < mine->known[lane_number(segment)])))
			return true;
	}
	if (mine->phase && check_phase_orders(check, mine->phase, segment))
		return true;
	if (!check_acquired(check, lane, segment, strong))
		return false;
	check->order_happened = true;
	return true;
}

/* --- reporting --- */

static const char *const kind_names[] = { "read", "write", "atomic" };

struct check_report check_report_of(const struct access *a, enum finding_class class)
{
	struct check_report report = { .class = class, .address = a->address, .bytes = a->bytes,
				       .other = NO_SIDE, .variable = access_of_variable(a) };

	check_side_of_lane(a->lane, a->pc, kind_names[a->kind], &report.side);
	return report;
}

/* If the reader found unwritten bytes because it ran before this write, that is the same bug. */
static void excuse_early_read(const struct access *a, uintptr_t reader)
{
	unsigned state = a->check->hot.state[(a->shadow - a->check->hot.base) >> 2];

	if (~state & 0xfu && !access_of_variable(a))
		check_excuse(a->check, reader, a->address & ~(uintptr_t)3);
}

/* Reports a plain write that races with another only after it has happened, when it is known
 * whether it changed the value. Readers race with it whatever it writes. */
void check_race(const struct access *a, uint64_t record, bool other_writes)
{
	struct check *check = a->check;
	bool shared = a->shadow - check->hot.base < check->hot.shared_span;
	bool home = check_same_block(check, a->lane, (uint32_t)(record >> 32));
	enum finding_class class = shared ? home ? CLASS_RACE_SHARED : CLASS_RACE_CLUSTER
		: home ? CLASS_RACE_BLOCK : CLASS_RACE_GRID;
	struct check_report report = check_report_of(a, class);

	check_side_of_record(check, record, other_writes, &report.other);
	if (!other_writes && a->kind != CHECK_READ)
		excuse_early_read(a, report.other.pc);
	if (a->kind != CHECK_WRITE || !other_writes || record & RECORD_ATOMIC) {
		check_report(check, &report);
		return;
	}
	check_wait(a, &report);
}
