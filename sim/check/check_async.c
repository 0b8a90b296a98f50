/* check_async.c - asynchronous copies to shared memory: checks when one begins and completes. */
#include "config.h"

#include "sim/check/check_async.h"

#include "sim/check/check_access.h"
#include "sim/check/check_region.h"
#include "sim/check/counters.h"

static bool is_memory(const struct check *check, const void *at, size_t bytes)
{
	uintptr_t offset = (uintptr_t)at - check->hot.base;

	return offset < check->hot.span && bytes <= check->hot.span - offset;
}

/* Only allocated bytes have a state that can be written. */
static size_t allocated(const struct check *check, const void *to, size_t bytes)
{
	return check_is_allocated(check, (uintptr_t)to, bytes);
}

/* The write is checked now, but its bytes count as unwritten until the copy completes. */
void check_async_begin(struct listener *listener, void *to, const void *from, size_t bytes,
		       size_t copied, uintptr_t pc)
{
	struct check *check = check_of(listener);
	struct counters *counters = check_hot.counters;

	/* Counted as one load, although its words are checked one by one. */
	if (counters && copied > 0)
		counters_access(counters, lane_current(), (uintptr_t)from, copied, false, pc);
	check_hot.counters = NULL;
	for (size_t i = 0, n; i < copied; i += n) {
		n = copied - i < 4 ? 1 : 4;
		check_access((uintptr_t)from + i, n, CHECK_READ, 0, pc);
	}
	check_hot.counters = counters;
	check_access((uintptr_t)to, bytes, CHECK_WRITE, 0, pc);
	check_unwritten(check, to, allocated(check, to, bytes));
}

/* The store was counted when the copy began. */
void check_async_end(struct listener *listener, void *to, const void *from, size_t bytes,
		     size_t copied, uintptr_t pc)
{
	struct check *check = check_of(listener);
	struct counters *counters = check_hot.counters;

	check_hot.counters = NULL;
	check_access((uintptr_t)to, bytes, CHECK_WRITE, 0, pc);
	check_hot.counters = counters;
	if (is_memory(check, from, copied))
		check_copied(check, to, from, allocated(check, to, copied));
}
