/* check_launch.c - begins and ends a checked launch: sets and clears the state that hooks use.
 *
 * Finds the object that holds the kernel: places in records are offsets from it, and its variables
 * get shadow memory. The rules themselves are in check_access.c.
 */
#include "config.h"

#include <link.h>
#include <sys/mman.h>

#include "sim/check/accesses.h"
#include "sim/check/check_early.h"
#include "sim/check/check_lint.h"
#include "sim/check/check_nan.h"
#include "sim/check/check_op.h"
#include "sim/check/check_order.h"
#include "sim/check/check_reach.h"
#include "sim/check/check_region.h"
#include "sim/check/check_segment.h"
#include "sim/check/check_settle.h"
#include "sim/check/check_shadow.h"
#include "sim/check/check_space.h"
#include "sim/check/check_state.h"
#include "sim/check/counters.h"
#include "sim/check/lines.h"
#include "sim/exec/steps.h"

#define DATA_ALIGNMENT 256

/* The mapped range of the object that contains the address `within`, and its writable range. */
struct object {
	uintptr_t within, begin, end, data, data_end;
};

static int find_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct object *object = context;
	uintptr_t begin = UINTPTR_MAX, end = 0, data = 0, data_end = 0, fixed_end = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
			fixed_end = at + info->dlpi_phdr[i].p_memsz;
		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		begin = at < begin ? at : begin;
		end = at + info->dlpi_phdr[i].p_memsz > end ? at + info->dlpi_phdr[i].p_memsz : end;
		if (info->dlpi_phdr[i].p_flags & PF_W) {
			data = at;
			data_end = at + info->dlpi_phdr[i].p_memsz;
		}
	}
	if (object->within < begin || object->within >= end)
		return 0;
	/* Const data with addresses lies first, and is read-only when the program runs. */
	if (fixed_end > data && fixed_end < data_end)
		data = fixed_end;
	*object = (struct object){ object->within, begin, end, data, data_end };
	return 1;
}

/* Forgets all accesses if so many segments are used that the next launch could run out of
 * numbers. */
static void renumber(struct check *check)
{
	const struct check_hot *hot = &check->hot;

	if (!check_slices_used_up(check))
		return;
	check_ops_collect(check);
	check_forget(check);
	madvise(hot->cell, hot->span * 4, MADV_DONTNEED);
	madvise(hot->reader, hot->span * 2, MADV_DONTNEED);
	check->next_slice = 1;
}

/* Finds the kernel's object and its variables. */
static bool find_code(struct check *check)
{
	struct object object = { .within = (uintptr_t)check->launch.code->run };
	struct check_hot *hot = &check->hot;

	dl_iterate_phdr(find_object, &object);
	hot->code = object.begin;
	hot->code_bytes = object.end - object.begin;
	/* In a large object, places cover only the part around the kernel. */
	hot->origin = hot->code_bytes <= RECORD_PLACE ? object.begin
		: object.within - RECORD_PLACE / 2;
	/* Variables are aligned as in their image. */
	hot->data = object.data / DATA_ALIGNMENT * DATA_ALIGNMENT;
	hot->data_bytes = object.data_end - hot->data;
	hot->constants = (uintptr_t)check->launch.code->constants;
	hot->constant_bytes = (uintptr_t)check->launch.code->constants_end - hot->constants;
	return check_image_of(check, hot->data, hot->data_bytes, &hot->image);
}

enum status check_launch_begin(struct check *check, const struct check_launch *launch,
			       struct listener **out)
{
	renumber(check);
	check->launch = *launch;
	check->begun++;
	check->hot.first = check->next_slice << LANES_SHIFT;
	check->order_happened = false;
	/* The blocks of a cluster access the same shared memory, and no barrier of one of them
	 * orders the others. */
	check->exact = launch->code->orders_some || launch->clusters;
	if (!find_code(check) || !check_reach_begin(check))
		return fail_device(2, "--check: out of memory: to record the accesses of %s%s",
				   launch->code->name, check_space_limit());
	check->needed_from = check_ops_needed(check);
	if (check->needed_from == UINT32_MAX)
		check_forget(check);
	check->hot.counters = check->counting
		|| accesses_watching(counters_accesses(check->counters)) ? check->counters : NULL;
	check_hot = check->hot;
	ft_check_block = (struct ft_check_block){ .launch = lines_begin() };
	check_op_launched(check, false);
	check_early_begin(check);
	counters_launch_begin(check->counters, launch);
	/* Turn off the fast path: its accesses would be neither kept nor counted. */
	if (check->exact || check_hot.counters)
		check_hot.words = check_hot.shared_words = 0;
	check_hot.again_words = check->exact ? 0
		: check->early ? check_hot.shared_span / 4 : check_hot.span / 4;
	if (check->early && check_hot.words > 0)
		check_hot.words = check_hot.shared_words;
	if (check_hot.counters)
		ft_check_block.pending = PENDING_COUNT;
	check_watch_nan(true);
	*out = &check->listener;
	return STATUS_OK;
}

bool check_order_happened(const struct check *check)
{
	return check->order_happened;
}

void check_launch_end(struct check *check, bool good)
{
	check_watch_nan(false);
	check_settle(check);
	counters_launch_end(check->counters, check->counting);
	ft_check_block.pending = 0;
	check_hot = (struct check_hot){ 0 };
	check_early_end(check);
	check_op_launched(check, true);
	check_alloc_end(check);
	if (good)
		check_lints(check);
}
