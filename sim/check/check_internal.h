/* check_internal.h - what the files of the checker share and nobody else sees.
 *
 * Shadow memory lies in parallel arrays, indexed by the 4-byte word's place in the range of device
 * memory. state: low 4 bits say which bytes are written, high 4 bits which are allocated. An access
 * record is segment << 32 | flags | place of the code; 0 is none. Of a plain access of a whole word
 * no flag is set, so that one addition makes it.
 */
#ifndef CHECK_INTERNAL_H
#define CHECK_INTERNAL_H

#include "sim/check/check.h"
#include "sim/check/check_stream.h"
#include "sim/exec/schedule.h"

#define STATE_WHOLE 0xffu               /* allocated and written */
#define STATE_ALLOCATED 0xf0u
#define RECORD_PLACE 0x01ffffffu        /* bytes from check_hot.origin */
#define RECORD_PAIR 0x02000000u         /* of a reader: see sim/check/check_hooks.c */
#define RECORD_ATOMIC 0x04000000u
#define RECORD_VOLATILE 0x08000000u
#define RECORD_SPARES_SHIFT 28          /* which bytes of the word it did not touch */

/* Which bytes a record is of. */
static inline unsigned check_bytes_of(uint64_t record)
{
	return ~((uint32_t)record >> RECORD_SPARES_SHIFT) & 0xfu;
}

#define LANES_SHIFT 5                   /* segments of a slice */
#define MAX_SLICES (1u << 26)

/* What all segments of a slice have in common. */
struct check_slice {
	uint32_t block;                 /* linear index in the grid */
	uint16_t epoch;                 /* block barriers before it */
	uint8_t warp;
};

#define PENDING_WRITE 1u                /* judge a write that has happened */
/* Of every basic block while a launch runs: */
#define PENDING_STEP 4u                 /* take it off the step budget */
#define PENDING_COUNT 8u                /* count it */

/* Who touched a word last: records, and the segments in them. */
struct check_cell {
	union {
		uint64_t writer;
		struct { uint32_t writer_place, writer_segment; };
	};
	union {
		uint64_t reader;
		struct { uint32_t reader_place, reader_segment; };
	};
};
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the segment is the second half");

/* What hooks need at once. All of the running launch; span is 0 while none runs. */
struct check_hot {
	uintptr_t base;                 /* of device memory */
	size_t span;
	size_t shared_span;             /* the part of it, from base on, that is shared memory */
	uint8_t *state;
	struct check_cell *cell;
	uintptr_t cells;                /* that of address a is at cells + 4 * a */
	size_t words, shared_words;     /* in span and shared_span; 0 while counters want all */
	uint64_t *reader;               /* one before the last, of another block if any */
	const uint8_t *reached;         /* whether the launch may touch a granule of memory */
	unsigned granule;               /* log2 of its words */
	uint32_t first;                 /* segment of the launch */
	bool exact;                     /* see check.exact */
	uintptr_t origin;               /* of places */
	uintptr_t code;                 /* where the object with the kernel begins */
	size_t code_bytes;
	uintptr_t image;                /* its variables' shadow is that of memory here; 0: none */
	struct check *check;
	struct counters *counters;      /* NULL: nothing is counted */
};
extern struct check_hot check_hot;

/* Of the running thread; sim/cuda/cuda_c.h spells this out in assembly. */
struct ft_check_block {
	uintptr_t pc;                   /* of the basic block it entered last */
	unsigned pending;               /* what the next one is to do: PENDING_*; else 0 */
	uint32_t launch;                /* running, as cells of blocks know it (sim/check/lines.h) */
};
extern struct ft_check_block ft_check_block;

/* --- findings --- */

/* X(name, class, lint, why it is a hazard, what usually fixes it). Names are stored in traces. */
#define CLASS_LIST(X) \
	X(OOB, "oob", false, "the access is outside of what was allocated: on a GPU it faults or " \
	  "silently hits other data", \
	  "compare the index with the size before the access, and the launch with the arrays") \
	X(MISALIGNED, "misaligned", false, "the address is no multiple of the size of the " \
	  "access: a GPU ends the launch with error 716", \
	  "align the pointer, or access smaller elements") \
	X(UNINIT, "uninit", false, "nobody has written these bytes: the value is whatever " \
	  "was left there", \
	  "write before reading, or guard the read as the write is guarded") \
	X(RACE_SHARED, "race-shared", false, "no barrier orders these two accesses of shared " \
	  "memory: which one comes first is up to the warp scheduler", \
	  "put __syncthreads(), or __syncwarp() within one warp, between them") \
	X(RACE_BLOCK, "race-block", false, "no barrier orders these two accesses of global " \
	  "memory by threads of one block", \
	  "put __syncthreads() between them, or give each thread its own element") \
	X(RACE_GRID, "race-grid", false, "blocks run at the same time and nothing orders these " \
	  "two accesses", \
	  "use atomics, a second launch, or __threadfence() on both sides of an atomic flag") \
	X(RACE_STREAM, "race-stream", false, "no stream, event or edge of a graph orders these " \
	  "two operations, and the host waited for neither: on a GPU they overlap", \
	  "put both on one stream, wait for an event recorded behind the first, or add the edge") \
	X(STALE_GRAPH_ARG, "stale-graph-arg", false, "a graph launches with the values its nodes " \
	  "were made with, and this one has changed since", \
	  "keep the value in device memory and update it before each launch, or make the graph " \
	  "anew") \
	X(CAPTURE_FORBIDDEN, "capture-forbidden", false, "the operation is not allowed while a " \
	  "capture is under way, which it may also invalidate", \
	  "do it before the capture begins or after it ends; copy asynchronously on the " \
	  "capturing stream") \
	X(BARRIER_DIVERGENCE, "barrier-divergence", false, "not all threads of the block come " \
	  "to the same barrier: a GPU hangs or lets them pass unordered", \
	  "move the barrier out of the condition, and return only behind the last one") \
	X(DEADLOCK, "deadlock", false, "every thread waits and none can go on", \
	  "let all threads that a barrier or mask waits for come to it") \
	X(MASK, "mask", false, "the mask does not say which lanes take part: results are " \
	  "undefined", \
	  "compute the mask before the branch with __ballot_sync(), and give all its lanes the " \
	  "same") \
	X(LEAK, "leak", false, "the buffer was never freed", "free what was allocated") \
	X(EQUAL_VALUE_RACE, "equal-value-race", true, "two threads write the same value " \
	  "unordered: harmless only as long as the values stay equal", \
	  "let one thread write it") \
	X(NAN_BORN, "nan-born", true, "an operation on numbers gave a NaN here: inf - inf, " \
	  "0 * inf, 0 / 0 and the like", \
	  "guard the operand: exp(-inf - -inf) is meant to be 0, a sum of 0 divides nothing") \
	X(EMPTY_SPLIT_READ, "empty-split-read", true, "a chunk without keys leaves its " \
	  "accumulators as they were: 0 times whatever is there is NaN for NaN and inf", \
	  "skip the chunk when its sum is 0, before its accumulators are read")

enum finding_class {
#define X(name, ...) CLASS_##name,
	CLASS_LIST(X)
#undef X
	CLASS_COUNT
};

/* One side of a finding. */
struct check_side {
	uintptr_t pc;                   /* return address of the hook; 0: none */
	const struct ft_site *site;     /* or a collective */
	const char *what;               /* "read", "write", "atomic" */
	int64_t block;                  /* linear; -1: no thread */
	unsigned thread;                /* in the block */
	unsigned epoch;                 /* block barriers it had passed */
	char operation[96];             /* "upload on stream 2"; "": a thread of the launch */
	struct check_launch launch;     /* of the operation; code NULL: it is none */
};

struct check_report {
	enum finding_class class;
	struct check_side side, other;  /* other.block -1 with no pc and site: none */
	uintptr_t address;              /* 0: none */
	size_t bytes;
	bool variable;                  /* __device__ or __constant__: the address is its own */
	char detail[160];               /* "16 bytes past the end of out (f32 ...)" */
};
#define NO_SIDE ((struct check_side){ .block = -1 })

/* Adds a finding, or counts it with those of the same class and sites. */
void check_report(struct check *, const struct check_report *);
/* The read of this word at pc, found uninit, is explained by a race. */
void check_excuse(struct check *, uintptr_t pc, uintptr_t word);
void check_find_free(struct check *);

/* --- the checker of a device --- */

enum region_kind { REGION_BUFFER, REGION_ARENA };
struct check_region {                   /* in order of address */
	uintptr_t at;
	size_t bytes, room;             /* asked for; of the mapping */
	enum region_kind kind;
	uint32_t buffer;
	char name[48];
	bool freed;
};

/* Accesses of a word that its cell has no room for: of a word that thousands of threads touch without
 * order, the last of these must do. */
#define MOST_KEPT 16
struct check_kept {
	size_t word;
	unsigned count, room, next;
	struct check_kept_item {
		uint64_t record;
		bool write;
	} *items;
};

/* Of all words: a hash table of 2^(64 - shift) slots. */
struct check_more {
	struct check_kept **slots;
	size_t count;
	unsigned shift;
};

/* Addresses without memory, whose shadow is that of an object's variables. */
struct check_image {
	uintptr_t code, at;
	size_t bytes;
};

struct check {
	struct check_hot hot;           /* span: of the reservation */
	void *reserved;                 /* and the shadow */
	size_t reserved_bytes;
	uint8_t *reached;               /* [GRANULES] */
	bool reach_known;               /* what pointers in memory lead to is in there, too */
	uintptr_t data;                 /* variables of the object with the kernel */
	size_t data_bytes;
	size_t used, arenas_used;       /* of base + shared_span, of base */
	struct check_region *regions;
	size_t region_count, region_room;
	struct check_image *images;
	size_t image_count;
	struct check_slice *slices;
	uint32_t next_slice;
	struct check_launch launch;
	size_t launch_shared;           /* bytes of shared memory of a block */
	struct check_sync_variable **variables; /* of the launch */
	size_t variable_count;
	struct check_arena *arena;      /* small memory of the launch */
	/* How a write races, unless it leaves what was there. */
	struct check_report waiting[3];
	unsigned waiting_count;
	unsigned char old[16];
	struct check_finding *findings;
	size_t finding_count;
	struct row_finding *events;   /* made for check_findings() */
	char **texts;
	size_t text_count;
	struct check_ops ops;
	bool exact;                     /* of the launch: not only whole warps and blocks meet */
	uint32_t needed_from;           /* segments of launches whose bytes may be asked for yet */
	struct check_more more;
	struct counters *counters;      /* and lines; hot.counters is it, or NULL */
};

static inline const struct check_slice *check_slice_of(const struct check *check, uint64_t record)
{
	return &check->slices[record >> (32 + LANES_SHIFT)];
}

/* --- check_map.c --- */

/* The region an address belongs to, the nearest one below otherwise, else the first. */
const struct check_region *check_region_at(const struct check *, uintptr_t address);

/* Memory lies in slots of whole granules, so that each granule has one buffer at most. */
#define GRANULES 8192

/* Addresses for the shadow of the variables of an object; 0: there are none left. */
uintptr_t check_image_of(struct check *, uintptr_t code, size_t bytes);

/* --- check_reach.c --- */

/* The launch may touch what its arguments point to, and what pointers there lead to. */
void check_reach_begin(struct check *);
/* Whether that holds for an address in device memory whose granule is not known to be reached. */
bool check_reach(struct check *, uintptr_t address);

/* --- check_nan.c --- */

/* Whether operations that make a NaN trap from now on. */
void check_watch_nan(bool on);

/* --- check_race.c --- */

enum check_kind { CHECK_READ, CHECK_WRITE, CHECK_ATOMIC };
struct access {
	struct check *check;
	struct lane *lane;
	uintptr_t address, pc;
	uintptr_t shadow;               /* the address whose shadow it has: its own, or an image's */
	size_t bytes;
	enum check_kind kind;
	unsigned flags;                 /* RECORD_ATOMIC, RECORD_VOLATILE */
};
/* An access by the running lane, by the rules. */
void check_access(uintptr_t address, size_t bytes, enum check_kind, unsigned flags, uintptr_t pc);
/* Whether what `lane` does now comes behind a segment. strong: it is a write or a volatile read. */
bool check_ordered(const struct check *, const struct lane *, uint32_t segment, bool strong);
/* The access races with that of a record. */
void check_race(const struct access *, uint64_t record, bool other_writes);
/* Judges the write that is waiting. */
void check_settle(struct check *);
void check_side_of_lane(const struct lane *, uintptr_t pc, const char *what,
			struct check_side *out);
unsigned check_thread_number(const struct lane *);
/* Every lane of the warp that is in `lanes` begins a segment. */
void check_new_slice(struct check *, struct warp *, uint32_t lanes);

/* --- check_shadow.c --- */

/* Tells races of the access with others of these bytes of a word; remembers the access. */
void check_judge(const struct access *, size_t word, unsigned mask);
void check_note(const struct access *, size_t word, unsigned mask);
/* What is remembered of a word beside its cell; NULL: nothing. */
const struct check_kept *check_kept_of(const struct check *, size_t word);
void check_forget(struct check *);

/* --- check_order.c --- */

void *check_alloc(struct check *, size_t bytes);        /* zeroed, until the launch ends */
void check_alloc_end(struct check *);
/* Whether what `lane` learned through atomics and fences orders a segment before it. */
bool check_acquired(const struct check *, const struct lane *, uint32_t segment, bool strong);
/* An atomic of `lane` at an address. changed: it wrote another value. */
void check_atomic(struct check *, struct lane *, uintptr_t address, bool changed);
void check_order_barrier(struct check *, struct block *);
void check_order_warp(struct check *, struct warp *, uint32_t lanes);

#endif
