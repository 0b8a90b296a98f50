/* check_hooks.c - the hooks that compilers call in checked kernels.
 *
 * They belong to -fsanitize=thread, -fsanitize=bounds and -fsanitize-coverage=trace-pc.
 * They replace the sanitizer runtime, which is not linked. The fast path for ordinary accesses of
 * whole words is here; all others go to check_access.c. Called on fibers.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "sim/check/check_access.h"
#include "sim/check/check_find.h"
#include "sim/check/check_order.h"
#include "sim/check/check_segment.h"
#include "sim/check/check_settle.h"
#include "sim/check/check_shadow.h"
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
#define INLINE inline __attribute__((always_inline))
#define LIKELY(x) __builtin_expect(!!(x), 1)

static INLINE uint64_t record(const struct check_lane *lane, uintptr_t pc)
{
	return lane->record + pc;
}

/* The word's index; too large for any limit if the address is outside device memory or
 * unaligned. */
static INLINE size_t word_at(uintptr_t address)
{
	size_t offset = address - check_hot.base;

	return offset >> 2 | offset << (sizeof offset * 8 - 2);
}

static INLINE struct check_cell *cell_at(uintptr_t address)
{
	return (struct check_cell *)(check_hot.cells + 4 * address);
}

/* Whether the launch can access the word. */
static INLINE bool reached(size_t word)
{
	return check_hot.reached[word >> check_hot.granule];
}

/* --- reads ---
 *
 * Two readers of a word are kept here: the last one in its cell, another one in check_hot.reader.
 * They form a pair (RECORD_PAIR) if the word is fully written, its writer is ordered before all
 * possible readers, and any later unordered write races with at least one of the two. In shared
 * memory a pair covers the lanes of one slice; in global memory its readers are in two blocks, and
 * it covers all blocks. Further reads by those covered need no check and no record. In all other
 * cases check_shadow.c decides which readers to keep.
 */

static inline bool same_slice(uint32_t a, uint32_t b)
{
	return (a ^ b) < 1u << LANES_SHIFT;
}

static inline bool is_whole(uint32_t place)
{
	return place < RECORD_ATOMIC;
}

/* A read of a word that may have been read since the last synchronization. False: needs the full
 * check. */
static bool read_again(size_t word, struct lane *lane, uintptr_t pc)
{
	const struct check_cell *cell = &check_hot.cell[word];
	const struct access access = {
		.check = check_hot.check, .lane = lane, .pc = pc, .kind = CHECK_READ,
	};
	uint32_t limit = word < check_hot.shared_span / 4 ? lane->check.bound : check_hot.first;

	if (check_hot.state[word] != STATE_WHOLE || !reached(word)
	    || (cell->writer_segment >= limit && (cell->writer_segment != lane->check.segment
						  || !is_whole(cell->writer_place))))
		return false;
	if (cell->reader_segment != lane->check.segment || !is_whole(cell->reader_place))
		check_note(&access, word, 0xf);
	return true;
}

static __attribute__((noinline)) void read_slowly(uintptr_t address, size_t bytes, uintptr_t pc)
{
	size_t word = word_at(address);
	bool done = !check_hot.exact && word + bytes / 4 <= check_hot.span / 4
		&& !(address & (bytes - 1));

	for (size_t i = 0; i < bytes / 4 && done; i++)
		done = read_again(word + i, lane_current(), pc);
	if (!done)
		check_access(address, bytes, CHECK_READ, 0, pc);
	else if (check_hot.counters)
		counters_access(check_hot.counters, lane_current(), address, bytes, false, pc);
}

/* False: needs read_slowly(). */
static INLINE bool read_ordered(size_t word, struct check_cell *cell, const struct check_lane *lane,
				uint32_t limit, uintptr_t pc)
{
	if (cell->writer_segment >= limit || check_hot.state[word] != STATE_WHOLE)
		return false;
	cell->reader = record(lane, pc);
	return true;
}

static INLINE bool read_shared(size_t word, struct check_cell *cell, const struct check_lane *lane,
			       uintptr_t pc)
{
	if (cell->reader_segment < lane->bound)
		return read_ordered(word, cell, lane, lane->bound, pc);
	return same_slice(cell->reader_segment, lane->segment) && cell->reader_place & RECORD_PAIR;
}

static INLINE bool read_global(size_t word, struct check_cell *cell, const struct check_lane *lane,
			       uintptr_t pc)
{
	if (cell->reader_segment < check_hot.first)
		return reached(word) && read_ordered(word, cell, lane, check_hot.first, pc);
	if (cell->reader_place & RECORD_PAIR)
		return true;
	/* The second block. */
	if (cell->reader_segment >= lane->block_first || cell->writer_segment >= check_hot.first
	    || check_hot.state[word] != STATE_WHOLE)
		return false;
	check_hot.reader[word] = cell->reader;
	cell->reader = record(lane, pc) | RECORD_PAIR;
	return true;
}

/* Host code of an object (a constructor) has no lane, and touches no word that is checked. */
static INLINE const struct check_lane *lane_state(void)
{
	return &lane_current()->check;
}

static INLINE void read_words(uintptr_t address, size_t words, uintptr_t pc)
{
	size_t word = word_at(address);
	struct check_cell *cell = cell_at(address);
	bool done = words == 1 || !(address & (4 * words - 1));

	if (word < check_hot.shared_words)
		for (size_t i = 0; i < words && done; i++)
			done = read_shared(word + i, cell + i, lane_state(), pc);
	else if (word < check_hot.words)
		for (size_t i = 0; i < words && done; i++)
			done = read_global(word + i, cell + i, lane_state(), pc);
	else
		done = false;
	if (!LIKELY(done))
		read_slowly(address, 4 * words, pc);
}

/* --- writes --- */

/* If the last reader is ordered before this write, so are all earlier readers. */
static INLINE bool may_write(size_t word, const struct check_cell *cell,
			     const struct check_lane *lane, uint32_t limit)
{
	if (check_hot.state[word] < STATE_ALLOCATED || !reached(word)
	    || (cell->writer_segment >= limit && (cell->writer_segment != lane->segment
						  || !is_whole(cell->writer_place))))
		return false;
	return LIKELY(cell->reader_segment < limit)
		|| (cell->reader_segment == lane->segment
		    && (uint32_t)(check_hot.reader[word] >> 32) < limit);
}

static INLINE void write_words(uintptr_t address, size_t words, uintptr_t pc)
{
	size_t word = word_at(address);
	struct check_cell *cell = cell_at(address);
	uint32_t limit = word < check_hot.shared_words ? lane_state()->bound : check_hot.first;
	bool may = word < check_hot.words && (words == 1 || !(address & (4 * words - 1)));

	for (size_t i = 0; i < words && may; i++)
		may = may_write(word + i, cell + i, lane_state(), limit);
	if (!LIKELY(may)) {
		check_access(address, 4 * words, CHECK_WRITE, 0, pc);
		return;
	}
	for (size_t i = 0; i < words; i++) {
		check_hot.state[word + i] = STATE_WHOLE;
		cell[i].writer = record(lane_state(), pc);
	}
}

/* --- loads and stores --- */

void __tsan_init(void)
{
}

void __tsan_read4(void *p) { read_words((uintptr_t)p, 1, CALLER); }
void __tsan_read8(void *p) { read_words((uintptr_t)p, 2, CALLER); }
void __tsan_read16(void *p) { read_words((uintptr_t)p, 4, CALLER); }
void __tsan_write4(void *p) { write_words((uintptr_t)p, 1, CALLER); }
void __tsan_write8(void *p) { write_words((uintptr_t)p, 2, CALLER); }
void __tsan_write16(void *p) { write_words((uintptr_t)p, 4, CALLER); }

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

static void read_volatile(void *p, size_t bytes, uintptr_t pc)
{
	poll_read(p, bytes);
	check_access((uintptr_t)p, bytes, CHECK_READ, RECORD_VOLATILE, pc);
}

#define VOLATILE(bytes) \
	void __tsan_volatile_read##bytes(void *p) { read_volatile(p, bytes, CALLER); } \
	void __tsan_volatile_write##bytes(void *p) \
		{ check_access((uintptr_t)p, bytes, CHECK_WRITE, RECORD_VOLATILE, CALLER); } \
	void __tsan_unaligned_volatile_read##bytes(void *p) { read_volatile(p, bytes, CALLER); } \
	void __tsan_unaligned_volatile_write##bytes(void *p) \
		{ check_access((uintptr_t)p, bytes, CHECK_WRITE, RECORD_VOLATILE, CALLER); }
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
static void note_atomic(void *p, size_t bytes, bool changed, int order, int failed, uintptr_t pc)
{
	check_access((uintptr_t)p, bytes, CHECK_ATOMIC,
		     atomic_flags(bytes, order == __ATOMIC_ACQ_REL), pc);
	if (check_hot.span)
		check_atomic(check_hot.check, lane_current(), (uintptr_t)p, changed,
			     failed == __ATOMIC_ACQUIRE);
	if (check_hot.counters)
		counters_atomic(check_hot.counters, (uintptr_t)p);
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
 * the load itself is not counted. */
#define ATOMIC(bits, type) \
	type __tsan_atomic##bits##_load(const volatile type *p, int order) \
	{ \
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
		note_atomic((void *)(uintptr_t)p, sizeof *p, true, order, 0, CALLER); \
		*p = value; \
	}
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

/* --- basic blocks and array bounds --- */

static void enter_block(uintptr_t pc)
{
	ft_check_block.pc = pc;
	if (ft_check_block.pending & PENDING_STEP && lane_current())
		steps_take(pc);
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

/* The same layout as in the run-time interface of GCC and Clang. */
struct source_location {
	const char *file;
	uint32_t line, column;
};
struct type_descriptor {
	uint16_t kind, info;
	char name[];
};
struct out_of_bounds {
	struct source_location location;
	const struct type_descriptor *array, *index;
};

/* The value of an index, signed or not; it is passed by value if it fits in a word. */
static long long index_value(const struct type_descriptor *type, uintptr_t value)
{
	unsigned bits = 1u << (type->info >> 1);

	if (bits > 64)
		return 0;
	if (!(type->info & 1))
		return (long long)value;
	return (long long)(value << (64 - bits)) >> (64 - bits);
}

/* Ends the launch, because the memory after an array on a thread's stack is not known. */
void __ubsan_handle_out_of_bounds(struct out_of_bounds *data, uintptr_t index)
{
	struct lane *lane = lane_current();
	struct check_report report = { .class = CLASS_OOB, .other = NO_SIDE };
	char text[300];

	if (!lane || !check_hot.span)
		return;
	check_side_of_lane(lane, CALLER, "access", &report.side);
	snprintf(report.detail, sizeof report.detail, "index %lld of an array %s",
		 index_value(data->index, index), data->array->name);
	check_report(check_hot.check, &report);
	snprintf(text, sizeof text, "%s, %s:%u", report.detail, data->location.file,
		 (unsigned)data->location.line);
	worker_abort(worker_self, 700, text);
}
