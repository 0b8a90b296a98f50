/* check_access.c - checks one access: in bounds, aligned, initialized, and ordered with others.
 *
 * The rules of ordering are in check_race.c; check_shadow.c keeps the accesses recorded for each
 * word. Used by check_hooks.c.
 */
#include "config.h"

#include "sim/check/check_access.h"

#include <stdio.h>

#include "sim/check/check_cluster.h"
#include "sim/check/check_early.h"
#include "sim/check/check_find.h"
#include "sim/check/check_look.h"
#include "sim/check/check_order.h"
#include "sim/check/check_race.h"
#include "sim/check/check_reach.h"
#include "sim/check/check_region.h"
#include "sim/check/check_settle.h"
#include "sim/check/check_shadow.h"
#include "sim/check/check_space.h"
#include "sim/check/check_volatile.h"
#include "sim/check/counters.h"
#include "sim/exec/steps.h"
#include "sim/exec/worker.h"

/* --- outside of device memory --- */

static void report_outside(const struct access *a, const char *what)
{
	struct check_report report = check_report_of(a, CLASS_OOB);

	snprintf(report.detail, sizeof report.detail, "%s", what);
	check_report(a->check, &report);
}

/* Outside device memory only the thread's own stack is allowed. If the range is small, a wrong
 * index may reach memory of the simulator itself. */
static void check_outside(const struct access *a)
{
	const struct fiber *fiber = a->lane->fiber;

	if (a->address >= (uintptr_t)fiber->low && a->address < (uintptr_t)fiber->high)
		return;
	report_outside(a, a->address < 4096 ? "through a null pointer"
		       : "at an address that is not device memory");
	if (a->kind != CHECK_READ && !check_space_is_full(a->check))
		worker_abort_at(worker_self, 700, a->pc, "a write outside of device memory");
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
	} else if (region->kind == REGION_HEAP && a->address - region->at < region->bytes) {
		snprintf(text, size, "in the kernels' heap, but in no memory that malloc() or new "
			 "returned, or in such that was freed");
	} else if (region->kind == REGION_BUFFER && !region->freed
		   && a->address - region->at < region->bytes) {
		snprintf(text, size, "inside another allocation: byte %zu of %s, which no "
			 "argument points to", (size_t)(a->address - region->at), region->name);
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
	struct check_report report = check_report_of(a, CLASS_OOB);

	describe_place(a, report.detail, sizeof report.detail);
	check_report(a->check, &report);
}

static void report_uninit(const struct access *a)
{
	struct check_report report = check_report_of(a, CLASS_UNINIT);

	check_report(a->check, &report);
}

/* --- the access --- */

unsigned check_mask_of(uintptr_t at, uintptr_t end)
{
	unsigned first = at & 3, last = end - (at - first) >= 4 ? 4 : (unsigned)(end & 3);

	return ((1u << last) - 1) & ~((1u << first) - 1);
}

/* As on a GPU, a misaligned access ends the launch. */
static void check_alignment(const struct access *a)
{
	struct check_report report;

	if (a->bytes > 16 || !(a->address & (a->bytes - 1)))
		return;
	report = check_report_of(a, CLASS_MISALIGNED);
	snprintf(report.detail, sizeof report.detail,
		 "%zu bytes at an address that is %u past a multiple of %zu", a->bytes,
		 (unsigned)(a->address & (a->bytes - 1)), a->bytes);
	check_report(a->check, &report);
	worker_abort_at(worker_self, 716, a->pc, report.detail);
}

/* Whether the address is of a __constant__ variable, or of data that the compiler put beside the
 * code because it is const. */
static bool is_constant(const struct check_hot *hot, uintptr_t address)
{
	return address - hot->constants < hot->constant_bytes
		|| (address - hot->code < hot->code_bytes
		    && address - hot->data >= hot->data_bytes);
}

/* Ends the launch, so that later ones find the value that the host wrote. */
static void refuse_constant(const struct access *a)
{
	struct check_report report = check_report_of(a, CLASS_CONSTANT_WRITE);

	check_report(a->check, &report);
	worker_abort_at(worker_self, 700, a->pc, "a write to a __constant__ variable");
}

/* Whether all bytes are allocated. Also reports a read of unwritten bytes. */
static bool check_state(const struct access *a)
{
	const struct check_hot *hot = &a->check->hot;
	uintptr_t end = a->shadow + a->bytes;
	unsigned missing = 0, unwritten = 0;

	for (uintptr_t at = a->shadow; at < end; at = (at | 3) + 1) {
		unsigned mask = check_mask_of(at, end), state = hot->state[(at - hot->base) >> 2];

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

/* The address whose shadow an access uses; 0: none. */
static uintptr_t shadow_of(uintptr_t address)
{
	if (address - check_hot.base < check_hot.span)
		return address;
	if (check_hot.image && address - check_hot.data < check_hot.data_bytes)
		return check_hot.image + (address - check_hot.data);
	return address - check_hot.code < check_hot.code_bytes ? address : 0;
}

/* Compares the access with those recorded, and records it. */
static void judge(const struct access *a)
{
	const struct check_hot *hot = &a->check->hot;
	uintptr_t end = a->shadow + a->bytes;

	for (uintptr_t at = a->shadow; at < end; at = (at | 3) + 1) {
		size_t word = (at - hot->base) >> 2;
		unsigned mask = check_mask_of(at, end);

		if (!(ft_check_block.pending & PENDING_WRITE))
			check_judge(a, word, mask);
		check_note(a, word, mask);
		if (a->flags & RECORD_ATOMIC)
			check_look(a->check, a->lane, word);
	}
}

void check_access(uintptr_t address, size_t bytes, enum check_kind kind, unsigned flags,
		  uintptr_t pc)
{
	struct access a = {
		.check = check_hot.check, .lane = lane_current(), .address = address,
		.pc = pc, .shadow = shadow_of(address), .bytes = bytes, .kind = kind,
		.flags = flags,
	};
	const struct check_hot *hot = &check_hot;
	const struct block *other;

	if (!a.lane || !hot->span)
		return;
	if (kind == CHECK_READ)
		check_settle_write(a.check);
	else
		check_settle(a.check);
	if (hot->counters && kind != CHECK_ATOMIC)
		counters_access(hot->counters, a.lane, address, bytes, kind == CHECK_WRITE, pc);
	if (!a.shadow) {
		check_outside(&a);
		return;
	}
	check_alignment(&a);
	if (kind != CHECK_READ && is_constant(hot, address))
		refuse_constant(&a);
	if (a.shadow - hot->base >= hot->span)
		return;                 /* a constant, or a variable without shadow */
	other = check_cluster_block(a.check, a.lane, address);
	if (other && check_lifetime(&a, other))
		worker_abort_at(worker_self, 719, pc, "its block has exited");
	if (!access_of_variable(&a) && !check_state(&a))
		return;
	if (a.check->early)
		check_early_access(&a);
	if (record_is_volatile(flags) && kind == CHECK_READ)
		check_hold(&a);
	else
		judge(&a);
	/* A volatile access orders like an atomic; a read in shared memory only if it is a test. */
	if (record_is_volatile(flags)
	    && (kind == CHECK_WRITE || a.shadow - hot->base >= hot->shared_span))
		check_atomic(a.check, a.lane, address, kind == CHECK_WRITE, false);
}
