/* check_race.c - one access by the rules: is it inside, aligned, of written bytes, and ordered?
 *
 * Two accesses of the same bytes, one of them a write, race unless something orders them: the same
 * thread, a block barrier, __syncwarp() of a mask that holds both lanes, or an atomic with fences
 * (check_order.c). Blocks are concurrent whatever order they run in here. Two atomics never race,
 * nor do an atomic and a volatile access of global memory. Which accesses a word remembers is
 * check_shadow.c's part. Serves check_hooks.c.
 */
#include "config.h"

#include "sim/check/check_internal.h"

#include <stdio.h>
#include <string.h>

#include "sim/check/counters.h"

/* --- segments --- */

void check_new_slice(struct check *check, struct warp *warp, uint32_t lanes)
{
	const struct ft_block_view *view = &warp->block->view;
	uint32_t slice = check->next_slice;

	check->slices[slice] = (struct check_slice){
		.block = (uint32_t)(view->index.x + (uint64_t)view->grid.x
				    * (view->index.y + (uint64_t)view->grid.y * view->index.z)),
		.epoch = (uint16_t)warp->block->check_epoch, .warp = (uint8_t)warp->number,
	};
	/* With the last number all that comes later is one segment: misses, no mistakes. */
	if (check->next_slice < MAX_SLICES - 1)
		check->next_slice++;
	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);

		warp->lanes[lane].check.segment = slice << LANES_SHIFT | lane;
		warp->lanes[lane].check.record
			= ((uint64_t)(slice << LANES_SHIFT | lane) << 32) - check->hot.origin;
	}
}

static uint32_t lane_number(uint32_t segment)
{
	return segment & (WARP_LANES - 1);
}

static bool same_block(const struct check *check, const struct lane *lane, uint32_t segment)
{
	return segment >= lane->check.block_first
		&& check->slices[segment >> LANES_SHIFT].block
		   == check->slices[lane->check.segment >> LANES_SHIFT].block;
}

/* strong: a volatile read, which no cache answers, or a write, which waits for the atomic whose
 * value it depends on. Only plain reads need a fence of their own behind the atomic. */
bool check_ordered(const struct check *check, const struct lane *lane, uint32_t segment,
		   bool strong)
{
	const struct check_lane *mine = &lane->check;

	if (segment < check->hot.first)
		return true;
	if (same_block(check, lane, segment)) {
		if (segment < mine->bound)
			return true;
		if (check->slices[segment >> LANES_SHIFT].warp == lane->warp->number
		    && (1u << lane_number(segment) == lane->bit || segment < mine->warp_bound
			|| (mine->known && segment < mine->known[lane_number(segment)])))
			return true;
	}
	return check_acquired(check, lane, segment, strong);
}

/* --- reporting --- */

unsigned check_thread_number(const struct lane *lane)
{
	return lane->warp->number * WARP_LANES + (unsigned)__builtin_ctz(lane->bit);
}

static int64_t block_number(const struct lane *lane)
{
	const struct ft_block_view *view = lane->view.block;

	return (int64_t)(view->index.x + (uint64_t)view->grid.x
			 * (view->index.y + (uint64_t)view->grid.y * view->index.z));
}

void check_side_of_lane(const struct lane *lane, uintptr_t pc, const char *what,
			struct check_side *out)
{
	*out = (struct check_side){
		.pc = pc, .what = what, .block = block_number(lane),
		.thread = check_thread_number(lane), .epoch = lane->warp->block->check_epoch,
	};
}

static void side_of_record(const struct check *check, uint64_t record, bool write,
			   struct check_side *out)
{
	uint32_t segment = (uint32_t)(record >> 32);
	const struct check_slice *slice = check_slice_of(check, record);

	*out = (struct check_side){
		.pc = check->hot.origin + (record & RECORD_PLACE),
		.what = record & RECORD_ATOMIC ? "atomic" : write ? "write" : "read",
		.block = slice->block, .epoch = slice->epoch,
		.thread = (unsigned)slice->warp * WARP_LANES + lane_number(segment),
	};
}

static const char *const kind_names[] = { "read", "write", "atomic" };

/* Variables of the object with the kernel: __device__ and __constant__, never unwritten. */
static bool is_variable(const struct access *a)
{
	return a->shadow != a->address;
}

static struct check_report begin_report(const struct access *a, enum finding_class class)
{
	struct check_report report = { .class = class, .address = a->address, .bytes = a->bytes,
				       .other = NO_SIDE, .variable = is_variable(a) };

	check_side_of_lane(a->lane, a->pc, kind_names[a->kind], &report.side);
	return report;
}

/* A read that should have come after this write found bytes that were not written: the same bug. */
static void excuse_early_read(const struct access *a, uintptr_t reader)
{
	unsigned state = a->check->hot.state[(a->shadow - a->check->hot.base) >> 2];

	if (~state & 0xfu && !is_variable(a))
		check_excuse(a->check, reader, a->address & ~(uintptr_t)3);
}

/* A write that leaves what was there is told from one that does not when it has happened. */
void check_race(const struct access *a, uint64_t record, bool other_writes)
{
	struct check *check = a->check;
	enum finding_class class = a->shadow - check->hot.base < check->hot.shared_span
		? CLASS_RACE_SHARED
		: same_block(check, a->lane, (uint32_t)(record >> 32)) ? CLASS_RACE_BLOCK
		: CLASS_RACE_GRID;
	struct check_report report = begin_report(a, class);

	side_of_record(check, record, other_writes, &report.other);
	if (!other_writes && a->kind != CHECK_READ)
		excuse_early_read(a, report.other.pc);
	if (a->kind != CHECK_WRITE) {
		check_report(check, &report);
		return;
	}
	if (check->waiting_count == sizeof check->waiting / sizeof check->waiting[0])
		return;
	check->waiting[check->waiting_count++] = report;
	memcpy(check->old, (const void *)a->address, a->bytes);
	ft_check_block.pending |= PENDING_WRITE;
}

void check_settle(struct check *check)
{
	bool equal;

	if (!(ft_check_block.pending & PENDING_WRITE))
		return;
	ft_check_block.pending &= ~PENDING_WRITE;
	equal = memcmp(check->old, (const void *)check->waiting[0].address,
		       check->waiting[0].bytes) == 0;
	for (unsigned i = 0; i < check->waiting_count; i++) {
		if (equal)
			check->waiting[i].class = CLASS_EQUAL_VALUE_RACE;
		check_report(check, &check->waiting[i]);
	}
	check->waiting_count = 0;
}

/* --- outside of device memory --- */

static void report_outside(const struct access *a, const char *what)
{
	struct check_report report = begin_report(a, CLASS_OOB);

	snprintf(report.detail, sizeof report.detail, "%s", what);
	check_report(a->check, &report);
}

/* A thread's own stack is right. */
static void check_outside(const struct access *a)
{
	const struct fiber *fiber = a->lane->fiber;

	if (a->address >= (uintptr_t)fiber->low && a->address < (uintptr_t)fiber->high)
		return;
	report_outside(a, a->address < 4096 ? "through a null pointer"
		       : "at an address that is no device memory");
}

static void describe_place(const struct access *a, char *text, size_t size)
{
	const struct check_region *region = check_region_at(a->check, a->address);
	const struct check_region *next = region ? region + 1 : NULL;
	size_t past;

	if (next == a->check->regions + a->check->region_count)
		next = NULL;
	if (!region) {
		snprintf(text, size, "of memory that was never allocated");
	} else if (region->kind == REGION_BUFFER && !region->freed
		   && a->address - region->at < region->bytes) {
		snprintf(text, size, "inside another allocation: byte %zu of %s, to which no "
			 "argument leads", (size_t)(a->address - region->at), region->name);
	} else if (region->freed && a->address - region->at < region->bytes) {
		snprintf(text, size, "byte %zu of %s, which was freed",
			 (size_t)(a->address - region->at), region->name);
	} else if (a->address < region->at
		   || (next && next->kind == REGION_BUFFER && a->address - region->at
		       >= region->bytes && next->at - a->address < a->address - region->at
		       - region->bytes)) {
		if (a->address >= region->at)
			region = next;
		snprintf(text, size, "%zu bytes before the beginning of %s",
			 (size_t)(region->at - a->address), region->name);
	} else {
		past = a->address - region->at;
		past = region->kind == REGION_ARENA || past < region->bytes ? 0
			: past - region->bytes;
		if (region->kind == REGION_ARENA)
			snprintf(text, size, "outside of the block's %zu bytes of shared memory",
				 a->check->launch_shared);
		else
			snprintf(text, size, "%zu bytes past the end of %s (%zu bytes)", past,
				 region->name, region->bytes);
	}
}

static void report_oob(const struct access *a)
{
	struct check_report report = begin_report(a, CLASS_OOB);

	describe_place(a, report.detail, sizeof report.detail);
	check_report(a->check, &report);
}

static void report_uninit(const struct access *a)
{
	struct check_report report = begin_report(a, CLASS_UNINIT);

	check_report(a->check, &report);
}

/* --- the access --- */

/* Bytes of the word that holds `at`, of an access that ends at `end`. */
static unsigned mask_of(uintptr_t at, uintptr_t end)
{
	unsigned first = at & 3, last = end - (at - first) >= 4 ? 4 : (unsigned)(end & 3);

	return ((1u << last) - 1) & ~((1u << first) - 1);
}

/* As on a GPU, the launch ends; the access would be one of bytes that nobody meant. */
static void check_alignment(const struct access *a)
{
	struct check_report report;
	char text[300];

	if (a->bytes > 16 || !(a->address & (a->bytes - 1)))
		return;
	report = begin_report(a, CLASS_MISALIGNED);
	snprintf(report.detail, sizeof report.detail,
		 "%zu bytes at an address that is %u past a multiple of %zu", a->bytes,
		 (unsigned)(a->address & (a->bytes - 1)), a->bytes);
	check_report(a->check, &report);
	snprintf(text, sizeof text, "misaligned address: %s", report.detail);
	schedule_abort(worker_self, 716, text);
}

/* Whether everything there is allocated and, where that matters, written. */
static bool check_state(const struct access *a)
{
	const struct check_hot *hot = &a->check->hot;
	uintptr_t end = a->shadow + a->bytes;
	unsigned missing = 0, unwritten = 0;

	for (uintptr_t at = a->shadow; at < end; at = (at | 3) + 1) {
		unsigned mask = mask_of(at, end), state = hot->state[(at - hot->base) >> 2];

		missing |= mask & ~(state >> 4);
		unwritten |= mask & ~state;
	}
	if (!missing && !hot->reached[((a->shadow - hot->base) >> 2) >> hot->granule])
		missing = !check_reach(a->check, a->address);
	if (missing)
		report_oob(a);
	else if (unwritten && a->kind != CHECK_WRITE)
		report_uninit(a);
	return !missing;
}

/* Where the shadow of an access is; 0: nowhere. */
static uintptr_t shadow_of(uintptr_t address)
{
	if (address - check_hot.base < check_hot.span)
		return address;
	if (address - check_hot.code < check_hot.code_bytes)
		return check_hot.image ? check_hot.image + (address - check_hot.code) : address;
	return 0;
}

void check_access(uintptr_t address, size_t bytes, enum check_kind kind, unsigned flags,
		  uintptr_t pc)
{
	struct access a = {
		.check = check_hot.check, .lane = schedule_current(), .address = address,
		.pc = pc, .shadow = shadow_of(address), .bytes = bytes, .kind = kind,
		.flags = flags,
	};
	const struct check_hot *hot = &check_hot;
	uintptr_t end = a.shadow + bytes;

	if (!a.lane || !hot->span)
		return;
	check_settle(a.check);
	if (hot->counters && kind != CHECK_ATOMIC)
		counters_access(hot->counters, a.lane, address, bytes, kind == CHECK_WRITE, pc);
	if (!a.shadow) {
		check_outside(&a);
		return;
	}
	if (a.shadow - hot->base >= hot->span)
		return;                 /* a variable without shadow */
	check_alignment(&a);
	if (!is_variable(&a) && !check_state(&a))
		return;
	for (uintptr_t at = a.shadow; at < end; at = (at | 3) + 1) {
		size_t word = (at - hot->base) >> 2;
		unsigned mask = mask_of(at, end);

		if (!(ft_check_block.pending & PENDING_WRITE))
			check_judge(&a, word, mask);
		check_note(&a, word, mask);
	}
	/* A flag that is no atomic, but as good as one. */
	if (flags & RECORD_VOLATILE && a.shadow - hot->base >= hot->shared_span)
		check_atomic(a.check, a.lane, address, kind == CHECK_WRITE);
}
