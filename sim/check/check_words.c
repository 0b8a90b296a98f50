/* check_words.c - the fast path for ordinary accesses of whole words, by hooks of the compiler.
 *
 * Nearly all accesses of a kernel end here. All others go to check_access.c. Called on fibers.
 *
 * Two readers of a word are kept here: the last one in its cell, another one in check_hot.reader.
 * They form a pair (RECORD_PAIR) if the word is fully written, its writer is ordered before all
 * possible readers, and a later unordered write races with at least one of the two if it races with
 * a reader that the pair covers. Further reads by those need no check and no record. A pair of two
 * lanes of one slice covers that slice. Readers in two warps of a block cover the block until its
 * next barrier, and readers in two blocks cover all blocks of the launch. In a cell, RECORD_PAIR of
 * the reader marks a pair; RECORD_PAIR of the writer says that the pair covers more than its slice:
 * in shared memory the block, in global memory all blocks. In all other cases check_shadow.c
 * decides which readers to keep.
 */
#include "config.h"

#include <stddef.h>

#include "sim/check/check_access.h"
#include "sim/check/check_shadow.h"
#include "sim/check/check_state.h"
#include "sim/check/counters.h"
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

/* Host code of an object (a constructor) has no lane, and touches no word that is checked. */
static INLINE const struct check_lane *lane_state(void)
{
	uintptr_t lane = (uintptr_t)lane_current();

	return (const struct check_lane *)(lane + offsetof(struct lane, check));
}

/* Accesses in lower segments are ordered before all accesses that can be made now. */
static INLINE uint32_t limit_of(size_t word, const struct check_lane *lane)
{
	return word < check_hot.shared_words ? lane->bound : check_hot.first;
}

static inline bool same_slice(uint32_t a, uint32_t b)
{
	return (a ^ b) < 1u << LANES_SHIFT;
}

static inline bool is_whole(uint32_t place)
{
	return place < RECORD_ATOMIC;
}

/* --- order within a block --- */

static const struct check_slice *slice_of(uint32_t segment)
{
	return &check_hot.check->slices[segment >> LANES_SHIFT];
}

/* Whether an access in a segment is ordered before the running lane's by barriers of its block or
 * whole warp, which are the only order in kernels with a fast path. */
static bool ordered(uint32_t segment, const struct check_lane *mine, bool shared)
{
	const struct check_slice *slice, *me;

	if (segment < (shared ? mine->bound : check_hot.first))
		return true;
	slice = slice_of(segment);
	me = slice_of(mine->segment);
	return slice->block == me->block
		&& (segment < mine->bound
		    || (slice->warp == me->warp && segment < mine->warp_bound));
}

/* Whether the cell and check_hot.reader have all records of a word. */
static bool is_all(size_t word)
{
	const struct check_kept *list = check_kept_of(check_hot.check, word);

	return !list || list->count == 0;
}

/* --- reads that need more than one look --- */

/* Makes the two readers of a word a pair. wide: it covers more than a slice; see above. */
static INLINE void pair(struct check_cell *cell, bool wide)
{
	cell->reader |= RECORD_PAIR;
	cell->writer = wide ? cell->writer | RECORD_PAIR : cell->writer & ~(uint64_t)RECORD_PAIR;
}

/* A read by `mine` of a word whose last reader is in the same block or ordered. early: the writer
 * is ordered before all possible readers. False: needs check_note(). */
static bool read_in_block(size_t word, struct check_cell *cell, const struct check_lane *mine,
			  uint64_t now, bool shared, bool early)
{
	uint32_t last = cell->reader_segment, other = (uint32_t)(check_hot.reader[word] >> 32);
	unsigned warp = slice_of(last)->warp, my_warp = slice_of(mine->segment)->warp;

	if (ordered(last, mine, shared)) {
		cell->reader = now;
		return true;
	}
	if (!ordered(other, mine, shared)) {
		if (early && slice_of(other)->warp != warp) {
			pair(cell, shared);
			return true;
		}
		/* Of two lanes of another warp, one is enough. */
		if (!early || warp == my_warp)
			return false;
	}
	check_hot.reader[word] = cell->reader;
	cell->reader = now;
	if (warp != my_warp && early)
		pair(cell, shared);
	else if (same_slice(last, mine->segment))
		pair(cell, false);
	return true;
}

/* The same in global memory. */
static bool read_in_grid(size_t word, struct check_cell *cell, const struct check_lane *mine,
			 uint64_t now, bool early)
{
	uint32_t last = cell->reader_segment, other = (uint32_t)(check_hot.reader[word] >> 32);
	uint32_t block = slice_of(mine->segment)->block;
	bool last_here = slice_of(last)->block == block;

	if (last_here && (other < check_hot.first || slice_of(other)->block == block))
		return read_in_block(word, cell, mine, now, false, early);
	if (!early)
		return false;
	if (!last_here) {
		check_hot.reader[word] = cell->reader;
		cell->reader = now;
	}
	pair(cell, true);
	return true;
}

/* A read of a word that was read since the last synchronization, or written by this block. False:
 * needs the full check. */
static bool read_again(size_t word, struct lane *lane, uintptr_t pc)
{
	struct check_cell *cell = &check_hot.cell[word];
	const struct check_lane *mine = &lane->check;
	const struct access access = {
		.check = check_hot.check, .lane = lane, .pc = pc, .kind = CHECK_READ,
	};
	bool shared = word < check_hot.shared_span / 4, read = is_whole(cell->reader_place);
	uint32_t limit = shared ? mine->bound : check_hot.first;
	bool early = cell->writer_segment < limit;
	bool own = cell->writer_segment == mine->segment && is_whole(cell->writer_place);

	if (check_hot.state[word] != STATE_WHOLE || !reached(word)
	    || !(early || own || (ordered(cell->writer_segment, mine, shared) && is_all(word))))
		return false;
	if (cell->reader_segment == mine->segment && read)
		return true;
	if (own || !read || !is_whole((uint32_t)check_hot.reader[word])
	    || cell->reader_segment < limit
	    || !(shared ? read_in_block(word, cell, mine, record(mine, pc), true, early)
		 : read_in_grid(word, cell, mine, record(mine, pc), early)))
		check_note(&access, word, 0xf);
	return true;
}

static __attribute__((noinline)) void read_slowly(uintptr_t address, size_t bytes, uintptr_t pc)
{
	size_t word = word_at(address);
	bool done = word + bytes / 4 <= check_hot.again_words && !(address & (bytes - 1));

	for (size_t i = 0; i < bytes / 4 && done; i++)
		done = read_again(word + i, lane_current(), pc);
	if (!done)
		check_access(address, bytes, CHECK_READ, 0, pc);
	else if (check_hot.counters)
		counters_access(check_hot.counters, lane_current(), address, bytes, false, pc);
}

/* --- reads --- */

/* Whether pairs of readers cover the running lane. */
static INLINE bool covered(const struct check_cell *cell, size_t words,
			   const struct check_lane *lane, uint32_t limit)
{
	uint64_t pairs = ~(uint64_t)0, wide = ~(uint64_t)0;
	uint32_t differ = 0, lowest = UINT32_MAX;

	for (size_t i = 0; i < words; i++) {
		pairs &= cell[i].reader;
		wide &= cell[i].writer;
		differ |= cell[i].reader_segment ^ lane->segment;
		lowest = cell[i].reader_segment < lowest ? cell[i].reader_segment : lowest;
	}
	return pairs & RECORD_PAIR
		&& (differ < 1u << LANES_SHIFT || (wide & RECORD_PAIR && lowest >= limit));
}

/* The first read of words since the last synchronization. */
static INLINE bool read_first(size_t word, struct check_cell *cell, size_t words,
			      const struct check_lane *lane, uint32_t limit, uintptr_t pc)
{
	bool first = reached(word);

	for (size_t i = 0; i < words && first; i++)
		first = cell[i].reader_segment < limit && cell[i].writer_segment < limit
			&& check_hot.state[word + i] == STATE_WHOLE;
	for (size_t i = 0; i < words && first; i++)
		cell[i].reader = record(lane, pc);
	return first;
}

/* A second read by the same thread. */
static INLINE bool read_same(size_t word, const struct check_cell *cell,
			     const struct check_lane *lane, uint32_t limit)
{
	return cell->reader_segment == lane->segment && cell->writer_segment < limit
		&& is_whole(cell->reader_place) && check_hot.state[word] == STATE_WHOLE;
}

/* A second reader that makes a pair with the last one: another block, or another lane of the slice
 * if the cell has the only reader. */
static INLINE bool read_second(size_t word, struct check_cell *cell, const struct check_lane *lane,
			       uint32_t limit, uintptr_t pc)
{
	bool wide = word >= check_hot.shared_words && cell->reader_segment < lane->block_first;

	if (cell->reader_segment < limit || cell->reader_segment == lane->segment
	    || cell->writer_segment >= limit || !is_whole(cell->reader_place)
	    || check_hot.state[word] != STATE_WHOLE
	    || !(wide || (same_slice(cell->reader_segment, lane->segment)
			  && check_hot.reader[word] >> 32 < limit)))
		return false;
	check_hot.reader[word] = cell->reader;
	cell->reader = record(lane, pc);
	pair(cell, wide);
	return true;
}

/* Reads whose words differ, or are in none of the most common cases. */
static INLINE void read_each(uintptr_t address, size_t words, uintptr_t pc)
{
	const struct check_lane *lane = lane_state();
	size_t word = word_at(address);
	struct check_cell *cell = cell_at(address);
	bool done = word < check_hot.words && !(address & (4 * words - 1));
	uint32_t limit = done ? limit_of(word, lane) : 0;

	for (size_t i = 0; i < words && done; i++)
		done = read_same(word + i, cell + i, lane, limit)
			|| read_second(word + i, cell + i, lane, limit, pc)
			|| covered(cell + i, 1, lane, limit)
			|| read_first(word + i, cell + i, 1, lane, limit, pc);
	if (!done)
		read_slowly(address, 4 * words, pc);
}

static __attribute__((noinline)) void read_one(uintptr_t address, uintptr_t pc)
{
	read_each(address, 1, pc);
}

static __attribute__((noinline)) void read_several(uintptr_t address, size_t words, uintptr_t pc)
{
	read_each(address, words, pc);
}

static INLINE void read_words(uintptr_t address, size_t words, uintptr_t pc)
{
	const struct check_lane *lane = lane_state();
	size_t word = word_at(address);
	struct check_cell *cell = cell_at(address);

	if (LIKELY(word < check_hot.words && (words == 1 || !(address & (4 * words - 1))))) {
		uint32_t limit = limit_of(word, lane);

		if (cell->reader_segment < limit ? read_first(word, cell, words, lane, limit, pc)
		    : covered(cell, words, lane, limit))
			return;
	}
	if (words == 1)
		read_one(address, pc);
	else
		read_several(address, words, pc);
}

/* --- writes --- */

/* A write to a word that this block has accessed since the launch began, or the last barrier.
 * False: needs the full check. */
static bool write_again(size_t word, const struct check_lane *mine, uintptr_t pc)
{
	struct check_cell *cell = &check_hot.cell[word];
	uint32_t other = (uint32_t)(check_hot.reader[word] >> 32);
	bool shared = word < check_hot.shared_words;

	if (check_hot.state[word] < STATE_ALLOCATED || !is_all(word)
	    || !(ordered(cell->writer_segment, mine, shared)
		 || (cell->writer_segment == mine->segment && is_whole(cell->writer_place)))
	    || !(ordered(cell->reader_segment, mine, shared)
		 || cell->reader_segment == mine->segment)
	    || !(ordered(other, mine, shared) || other == mine->segment))
		return false;
	check_hot.state[word] = STATE_WHOLE;
	cell->writer = record(mine, pc);
	cell->reader &= ~(uint64_t)RECORD_PAIR;
	return true;
}

static __attribute__((noinline)) void write_more(uintptr_t address, size_t words, uintptr_t pc)
{
	size_t word = word_at(address);
	bool done = word < check_hot.words && !(address & (4 * words - 1)) && reached(word);

	for (size_t i = 0; i < words && done; i++)
		done = write_again(word + i, lane_state(), pc);
	if (!done)
		check_access(address, 4 * words, CHECK_WRITE, 0, pc);
}

/* If the last reader is ordered before this write, so are all earlier readers. */
static INLINE bool may_write(size_t word, const struct check_cell *cell,
			     const struct check_lane *lane, uint32_t limit)
{
	return check_hot.state[word] >= STATE_ALLOCATED && cell->reader_segment < limit
		&& (cell->writer_segment < limit || (cell->writer_segment == lane->segment
						     && is_whole(cell->writer_place)));
}

static INLINE void write_words(uintptr_t address, size_t words, uintptr_t pc)
{
	const struct check_lane *lane = lane_state();
	size_t word = word_at(address);
	struct check_cell *cell = cell_at(address);
	bool may = word < check_hot.words && (words == 1 || !(address & (4 * words - 1)))
		&& reached(word);

	for (size_t i = 0; i < words && may; i++)
		may = may_write(word + i, cell + i, lane, limit_of(word, lane));
	if (!LIKELY(may)) {
		write_more(address, words, pc);
		return;
	}
	for (size_t i = 0; i < words; i++) {
		check_hot.state[word + i] = STATE_WHOLE;
		cell[i].writer = record(lane, pc);
	}
}

/* --- the hooks --- */

void __tsan_read4(void *p) { read_words((uintptr_t)p, 1, CALLER); }
void __tsan_read8(void *p) { read_words((uintptr_t)p, 2, CALLER); }
void __tsan_read16(void *p) { read_words((uintptr_t)p, 4, CALLER); }
void __tsan_write4(void *p) { write_words((uintptr_t)p, 1, CALLER); }
void __tsan_write8(void *p) { write_words((uintptr_t)p, 2, CALLER); }
void __tsan_write16(void *p) { write_words((uintptr_t)p, 4, CALLER); }
