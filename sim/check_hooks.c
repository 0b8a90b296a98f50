/* check_hooks.c - what compilers call in checked kernels: -fsanitize=thread, bounds, trace-pc.
 *
 * No sanitizer runtime is linked; these are all there is of one. The common accesses, whole words
 * that raise no question, are settled here; all others go to check_race.c. Called on fibers.
 */
#include "config.h"

#include "sim/check_int.h"

#include <stdio.h>
#include <string.h>

#include "sim/counters.h"
#include "sim/steps.h"

struct check_hot check_hot;
struct ft_check_block ft_check_block;

/* Hooks are part of the program: its thread-local variables have fixed places. */
extern __thread const struct ft_thread_view *ft_self __attribute__((tls_model("local-exec")));

/* Hooks are called by name only. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define CALLER ((uintptr_t)__builtin_return_address(0))
#define LIKELY(x) __builtin_expect(!!(x), 1)

/* With --count: of accesses that are settled here. check_access() counts the others. */
#define COUNT(address, bytes, write, pc) \
	do { \
		if (!LIKELY(!check_hot.counters)) \
			counters_access(check_hot.counters, schedule_current(), address, bytes, \
					write, pc); \
	} while (0)

static inline uint64_t record(const struct check_lane *lane, uintptr_t pc)
{
	return (uint64_t)lane->segment << 32
		| (uint32_t)((pc - check_hot.code) << PLACE_SHIFT) | RECORD_MASK;
}

static inline uint32_t segment_of(uint64_t earlier)
{
	return (uint32_t)(earlier >> 32);
}

/* Earlier accesses in segments below are ordered. Of shared memory all records are the block's own,
 * or old; of global memory any block's. */
static inline uint32_t limit_at(size_t offset, const struct check_lane *lane)
{
	return offset < check_hot.shared_span ? lane->bound : check_hot.first;
}

/* Of two unordered readers the one of another block is kept rather than one of this. */
static __attribute__((noinline)) void keep_reader(size_t word, const struct check_lane *lane,
						  uint64_t last)
{
	uint32_t kept = segment_of(check_hot.reader[word]);

	if (kept >= lane->block_first || kept < check_hot.first)
		check_hot.reader[word] = last;
}

static inline __attribute__((always_inline)) void read_words(uintptr_t address, size_t words,
							     uintptr_t pc)
{
	const struct check_lane *lane = &schedule_current()->check;
	size_t offset = address - check_hot.base, word = offset >> 2;
	struct check_cell *cell = &check_hot.cell[word];
	uint32_t limit;

	if (!LIKELY(offset < check_hot.span && !(offset & (4 * words - 1))))
		goto question;
	limit = limit_at(offset, lane);
	for (size_t i = 0; i < words; i++) {
		uint32_t writer = segment_of(cell[i].writer);

		if (check_hot.state[word + i] != STATE_WHOLE
		    || (writer >= limit && writer != lane->segment))
			goto question;
	}
	for (size_t i = 0; i < words; i++) {
		uint64_t last = cell[i].reader;

		if (segment_of(last) == lane->segment)
			continue;
		cell[i].reader = record(lane, pc);
		if (segment_of(last) < limit)
			continue;
		if (segment_of(last) < lane->block_first)
			check_hot.reader[word + i] = last;
		else
			keep_reader(word + i, lane, last);
	}
	COUNT(address, 4 * words, false, pc);
	return;
question:
	check_access(address, 4 * words, CHECK_READ, 0, pc);
}

/* When the last reader is ordered, so are those before it. */
static inline __attribute__((always_inline)) void write_words(uintptr_t address, size_t words,
							      uintptr_t pc)
{
	const struct check_lane *lane = &schedule_current()->check;
	size_t offset = address - check_hot.base, word = offset >> 2;
	struct check_cell *cell = &check_hot.cell[word];
	uint32_t limit;

	if (!LIKELY(offset < check_hot.span && !(offset & (4 * words - 1))))
		goto question;
	limit = limit_at(offset, lane);
	for (size_t i = 0; i < words; i++) {
		uint32_t writer = segment_of(cell[i].writer);

		if (check_hot.state[word + i] < STATE_ALLOCATED
		    || segment_of(cell[i].reader) >= limit
		    || (writer >= limit && writer != lane->segment))
			goto question;
	}
	for (size_t i = 0; i < words; i++) {
		check_hot.state[word + i] = STATE_WHOLE;
		cell[i].writer = record(lane, pc);
	}
	COUNT(address, 4 * words, true, pc);
	return;
question:
	check_access(address, 4 * words, CHECK_WRITE, 0, pc);
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

/* The compiler knows of no alignment, as in packed structs: each byte is an access of its own. */
#define UNALIGNED(bytes) \
	void __tsan_unaligned_read##bytes(void *p) \
		{ check_access((uintptr_t)p, bytes, CHECK_READ, 0, CALLER); } \
	void __tsan_unaligned_write##bytes(void *p) \
		{ check_access((uintptr_t)p, bytes, CHECK_WRITE, 0, CALLER); }
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

#define VOLATILE(bytes) \
	void __tsan_volatile_read##bytes(void *p) \
		{ check_access((uintptr_t)p, bytes, CHECK_READ, RECORD_VOLATILE, CALLER); } \
	void __tsan_volatile_write##bytes(void *p) \
		{ check_access((uintptr_t)p, bytes, CHECK_WRITE, RECORD_VOLATILE, CALLER); } \
	void __tsan_unaligned_volatile_read##bytes(void *p) \
		{ check_access((uintptr_t)p, bytes, CHECK_READ, RECORD_VOLATILE, CALLER); } \
	void __tsan_unaligned_volatile_write##bytes(void *p) \
		{ check_access((uintptr_t)p, bytes, CHECK_WRITE, RECORD_VOLATILE, CALLER); }
VOLATILE(1)
VOLATILE(2)
VOLATILE(4)
VOLATILE(8)
VOLATILE(16)

/* Structs, memcpy() and memset(): any number of bytes, of the alignment of their elements. */
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

/* --- atomics: the compiler leaves the operation itself to us --- */

/* Threads of a checked launch take turns on one OS thread: nothing comes between. */
static void note_atomic(void *p, size_t bytes, bool changed, uintptr_t pc)
{
	check_access((uintptr_t)p, bytes, CHECK_ATOMIC, RECORD_ATOMIC, pc);
	if (check_hot.span)
		check_atomic(check_hot.check, schedule_current(), (uintptr_t)p, changed);
	if (check_hot.counters)
		counters_atomic(check_hot.counters, (uintptr_t)p);
}

#define FETCH(bits, type, operation, new_value) \
	type __tsan_atomic##bits##_fetch_##operation(volatile type *p, type value, int order) \
	{ \
		type old = *p, changed = (type)(new_value); \
		(void)order; \
		note_atomic((void *)(uintptr_t)p, sizeof *p, changed != old, CALLER); \
		*p = changed; \
		return old; \
	}

/* A load begins a compare-and-swap loop (sim/cuda_c.h), which is one atomic of its line. */
#define ATOMIC(bits, type) \
	type __tsan_atomic##bits##_load(const volatile type *p, int order) \
	{ \
		(void)order; \
		check_access((uintptr_t)p, sizeof *p, CHECK_ATOMIC, RECORD_ATOMIC, CALLER); \
		return *p; \
	} \
	int __tsan_atomic##bits##_compare_exchange_strong(volatile type *p, type *expected, \
							  type desired, int order, int fail_order) \
	{ \
		type old; \
		(void)order, (void)fail_order; \
		note_atomic((void *)(uintptr_t)p, sizeof *p, desired != *expected, CALLER); \
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
		(void)order; \
		note_atomic((void *)(uintptr_t)p, sizeof *p, true, CALLER); \
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
		(void)order; \
		note_atomic((void *)(uintptr_t)p, sizeof *p, true, CALLER); \
		*p = value; \
	}
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

/* --- basic blocks and array bounds --- */

/* Where the compiler's calls are not inlined, each basic block comes here. */
void __sanitizer_cov_trace_pc(void)
{
	ft_check_block.pc = CALLER;
	if (ft_check_block.pending & PENDING_STEP && schedule_current())
		steps_take(CALLER);
	/* The simulator asks objects for their tables, too. */
	if (!ft_check_block.pending || !check_hot.span || !schedule_current())
		return;
	if (ft_check_block.pending & PENDING_COUNT)
		counters_block(check_hot.counters, schedule_current(), CALLER);
	check_settle(check_hot.check);
	if (ft_check_block.pending & PENDING_TRAP) {
		ft_check_block.pending &= ~PENDING_TRAP;
		check_watch_nan(true);
	}
}

/* As in GCC's and Clang's run-time interface. */
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

/* The value of an index, signed or not, passed in place when it fits in a word. */
static long long index_value(const struct type_descriptor *type, uintptr_t value)
{
	unsigned bits = 1u << (type->info >> 1);

	if (bits > 64)
		return 0;
	if (!(type->info & 1))
		return (long long)value;
	return (long long)(value << (64 - bits)) >> (64 - bits);
}

/* Beyond an array of a thread's own memory nothing is known to be there: the launch ends. */
void __ubsan_handle_out_of_bounds(struct out_of_bounds *data, uintptr_t index)
{
	struct lane *lane = schedule_current();
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
	schedule_abort(worker_self, 700, text);
}
