/* check_hooks.c - the hooks that compilers call in checked kernels.
 *
 * They belong to -fsanitize=thread and -fsanitize-coverage=trace-pc, and replace the sanitizer
 * runtime, which is not linked. Those for ordinary accesses of whole words are in check_words.c.
 * Called on fibers.
 */
#include "config.h"

#include <string.h>

#include "sim/check/check_access.h"
#include "sim/check/check_order.h"
#include "sim/check/check_settle.h"
#include "sim/check/check_state.h"
#include "sim/check/check_volatile.h"
#include "sim/check/counters.h"
#include "sim/check/lines.h"
#include "sim/exec/poll.h"
#include "sim/exec/steps.h"
#include "sim/exec/worker.h"

/* Hooks are part of the program, so its thread-local variables have fixed offsets. */
extern __thread const struct ft_thread_view *ft_self __attribute__((tls_model("local-exec")));

/* Only compilers call the hooks, by name, so they have no prototypes. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define CALLER ((uintptr_t)__builtin_return_address(0))

/* --- loads and stores --- */

void __tsan_init(void)
{
}

#define ODD(bytes) \
	void __tsan_read##bytes(void *p) \
		{ check_access((uintptr_t)p, bytes, CHECK_READ, 0, CALLER); } \
	void __tsan_write##bytes(void *p) \
		{ check_access((uintptr_t)p, bytes, CHECK_WRITE, 0, CALLER); }
ODD(1)
ODD(2)

/* For accesses whose alignment the compiler does not know, as in packed structs. */
#define UNALIGNED(bytes) \
	void __tsan_unaligned_read##bytes(void *p) \
		{ check_access((uintptr_t)p, bytes, CHECK_READ, 0, CALLER); } \
	void __tsan_unaligned_write##bytes(void *p) \
		{ check_access((uintptr_t)p, bytes, CHECK_WRITE, 0, CALLER); }
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

/* Also called by kernels that are not checked, to poll. */
static inline void access_volatile(const void *p, size_t bytes, enum check_kind kind, uintptr_t pc)
{
	if (check_hot.span)
		check_access((uintptr_t)p, bytes, kind, RECORD_VOLATILE, pc);
}

static void read_volatile(void *p, size_t bytes, uintptr_t pc)
{
	poll_read(p, bytes);
	access_volatile(p, bytes, CHECK_READ, pc);
}

#define VOLATILE(bytes) \
	void __tsan_volatile_read##bytes(void *p) { read_volatile(p, bytes, CALLER); } \
	void __tsan_volatile_write##bytes(void *p) \
		{ access_volatile(p, bytes, CHECK_WRITE, CALLER); } \
	void __tsan_unaligned_volatile_read##bytes(void *p) { read_volatile(p, bytes, CALLER); } \
	void __tsan_unaligned_volatile_write##bytes(void *p) \
		{ access_volatile(p, bytes, CHECK_WRITE, CALLER); }
VOLATILE(1)
VOLATILE(2)
VOLATILE(4)
VOLATILE(8)
VOLATILE(16)

/* Structs, memcpy() and memset(): any number of bytes, aligned like their elements. */
void __tsan_read_range(void *p, unsigned long bytes)
{
	for (size_t i = 0, n; i < bytes; i += n) {
		n = ((uintptr_t)p + i) & 3 || bytes - i < 4 ? 1 : 4;
		check_access((uintptr_t)p + i, n, CHECK_READ, 0, CALLER);
	}
}

void __tsan_write_range(void *p, unsigned long bytes)
{
	for (size_t i = 0, n; i < bytes; i += n) {
		n = ((uintptr_t)p + i) & 3 || bytes - i < 4 ? 1 : 4;
		check_access((uintptr_t)p + i, n, CHECK_WRITE, 0, CALLER);
	}
}

void __tsan_vptr_update(void **p, void *value)
{
	(void)value;
	check_access((uintptr_t)p, sizeof *p, CHECK_WRITE, 0, CALLER);
}

void __tsan_vptr_read(void **p)
{
	check_access((uintptr_t)p, sizeof *p, CHECK_READ, 0, CALLER);
}

void *ft_memcpy(void *to, const void *from, size_t bytes)
{
	__tsan_read_range((void *)(uintptr_t)from, bytes);
	__tsan_write_range(to, bytes);
	return memmove(to, from, bytes);
}

void *ft_memset(void *to, int value, size_t bytes)
{
	__tsan_write_range(to, bytes);
	return memset(to, value, bytes);
}

/* --- atomics: these hooks also perform the operation --- */

/* What an atomic's memory orders say about it: see FT_ATOMIC in sim/cuda/cuda_atomic.h. */
static unsigned atomic_flags(size_t bytes, bool for_block)
{
	return RECORD_ATOMIC | (bytes == 8 ? RECORD_WIDE : 0) | (for_block ? RECORD_BLOCK : 0);
}

/* Threads of a checked launch take turns on one OS thread, so no other access can intervene. */
static void note(void *p, size_t bytes, enum check_kind kind, bool changed, int order, int failed,
		 uintptr_t pc)
{
	check_access((uintptr_t)p, bytes, kind, atomic_flags(bytes, order == __ATOMIC_ACQ_REL), pc);
	if (check_hot.span)
		check_atomic(check_hot.check, lane_current(), (uintptr_t)p, changed,
			     failed == __ATOMIC_ACQUIRE);
	if (check_hot.counters)
		counters_atomic(check_hot.counters, lane_current(), (uintptr_t)p, bytes,
				kind == CHECK_ATOMIC, pc);
}

static void note_atomic(void *p, size_t bytes, bool changed, int order, int failed, uintptr_t pc)
{
	note(p, bytes, CHECK_ATOMIC, changed, order, failed, pc);
}

/* Only this atomic does not read what was there. */
static void note_store(void *p, size_t bytes, int order, uintptr_t pc)
{
	note(p, bytes, CHECK_WRITE, true, order == __ATOMIC_RELEASE ? __ATOMIC_ACQ_REL : order, 0,
	     pc);
}

#define FETCH(bits, type, operation, new_value) \
	type __tsan_atomic##bits##_fetch_##operation(volatile type *p, type value, int order) \
	{ \
		type old = *p, changed = (type)(new_value); \
		note_atomic((void *)(uintptr_t)p, sizeof *p, changed != old, order, 0, CALLER); \
		*p = changed; \
		return old; \
	}

/* A load begins a compare-and-swap loop (sim/cuda/cuda_atomic.h). The loop counts as one atomic, so
 * the load itself is not counted, unless its order says that it is an access of its own. */
#define ATOMIC(bits, type) \
	type __tsan_atomic##bits##_load(const volatile type *p, int order) \
	{ \
		if (order == __ATOMIC_SEQ_CST) \
			note_atomic((void *)(uintptr_t)p, sizeof *p, false, order, 0, CALLER); \
		else \
			check_access((uintptr_t)p, sizeof *p, CHECK_ATOMIC, \
				     atomic_flags(sizeof *p, order == __ATOMIC_ACQUIRE), CALLER); \
		return *p; \
	} \
	int __tsan_atomic##bits##_compare_exchange_strong(volatile type *p, type *expected, \
							  type desired, int order, int failed) \
	{ \
		type old; \
		note_atomic((void *)(uintptr_t)p, sizeof *p, desired != *expected, order, failed, \
			    CALLER); \
		old = *p; \
		if (old != *expected) { \
			*expected = old; \
			return 0; \
		} \
		*p = desired; \
		return 1; \
	} \
	type __tsan_atomic##bits##_exchange(volatile type *p, type value, int order) \
	{ \
		type old; \
		note_atomic((void *)(uintptr_t)p, sizeof *p, true, order, __ATOMIC_ACQUIRE, \
			    CALLER); \
		old = *p; \
		*p = value; \
		return old; \
	} \
	FETCH(bits, type, add, old + value) \
	FETCH(bits, type, sub, old - value) \
	FETCH(bits, type, and, old & value) \
	FETCH(bits, type, or, old | value) \
	FETCH(bits, type, xor, old ^ value) \
	void __tsan_atomic##bits##_store(volatile type *p, type value, int order) \
	{ \
		note_store((void *)(uintptr_t)p, sizeof *p, order, CALLER); \
		*p = value; \
	}
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

/* --- basic blocks --- */

static void enter_block(uintptr_t pc)
{
	ft_check_block.pc = pc;
	if (ft_check_block.pending & PENDING_STEP && lane_current())
		steps_take(pc);
	if (ft_check_block.pending & PENDING_CLOCK && lane_current())
		worker_self->clock++;
	/* The simulator also runs code of these objects outside launches, to get their tables. */
	if (!ft_check_block.pending || !check_hot.span || !lane_current())
		return;
	if (ft_check_block.pending & PENDING_COUNT)
		counters_block(check_hot.counters, lane_current(), pc);
	check_release_held(true);
	check_settle(check_hot.check);
}

/* Called at each basic block where the compiler's calls are not inlined. */
void __sanitizer_cov_trace_pc(void)
{
	enter_block(CALLER);
}

/* The slow path of the inlined call (sim/cuda/cuda_c.h). */
void ft_basic_block(struct ft_cell *cell, struct ft_cell *first, struct ft_cell *last)
{
	/* There is no current lane while the simulator gets an object's tables. */
	if (cell->launch != ft_check_block.launch && lane_current())
		lines_visit(cell, first, last);
	/* Like a return address, which is after the code it identifies. */
	if (ft_check_block.pending)
		enter_block(lines_code(cell) + 1);
}
