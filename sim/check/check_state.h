/* check_state.h - the state of a checker. Private to its files.
 *
 * Shadow memory consists of parallel arrays, indexed by a 4-byte word's offset in the range of
 * device memory. state: the low 4 bits say which bytes are written, the high 4 bits which are
 * allocated. An access record is segment << 32 | flags | place of the code; 0 means none. A plain
 * access of a whole word has no flags, so its record can be computed by one addition.
 */
#ifndef CHECK_STATE_H
#define CHECK_STATE_H

#include "sim/check/finding.h"
#include "sim/check/operation.h"
#include "sim/exec/lane.h"

#define STATE_WHOLE 0xffu               /* allocated and written */
#define STATE_ALLOCATED 0xf0u
#define RECORD_PLACE 0x00ffffffu        /* bytes from check_hot.origin */
#define RECORD_WATCHED 0x01000000u      /* of a writer: see sim/check/check_async.c */
#define RECORD_PAIR 0x02000000u         /* in a cell: see sim/check/check_words.c */
#define RECORD_ATOMIC 0x04000000u
#define RECORD_VOLATILE 0x08000000u
#define RECORD_BLOCK RECORD_PAIR        /* of an atomic: its scope is its block */
#define RECORD_WIDE RECORD_VOLATILE     /* of an atomic: of 8 bytes */
#define RECORD_SPARES_SHIFT 28          /* mask of the bytes that it did not touch */

static inline bool record_is_volatile(uint64_t record)
{
	return (record & (RECORD_ATOMIC | RECORD_VOLATILE)) == RECORD_VOLATILE;
}

/* The bytes that a recorded access touched, as a mask. */
static inline unsigned check_bytes_of(uint64_t record)
{
	return ~((uint32_t)record >> RECORD_SPARES_SHIFT) & 0xfu;
}

#define LANES_SHIFT 5                   /* segments of a slice */

/* The data that all segments of a slice share. */
struct check_slice {
	uint32_t block;                 /* linear index in the grid */
	uint16_t epoch;                 /* block barriers before it */
	uint8_t warp;
};

/* The last accesses of a word, as records or as the halves of records. */
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

/* State that hooks use directly, all about the running launch; span is 0 while none runs. */
struct check_hot {
	uintptr_t base;                 /* of device memory */
	size_t span;
	size_t shared_span;             /* the part of it, starting at base, for shared memory */
	uint8_t *state;
	struct check_cell *cell;
	uintptr_t cells;                /* the cell of address a is at cells + 4 * a */
	size_t words, shared_words;     /* in span and shared_span; 0: no fast path */
	uint64_t *reader;               /* an earlier reader, of another block if possible */
	const uint8_t *reached;         /* by granule: whether the launch can access it */
	unsigned granule;               /* log2 of the words in a granule: check_space.h */
	uint32_t first;                 /* first segment of the launch */
	size_t again_words;             /* in span: reads that may take the second fast path */
	uintptr_t origin;               /* code address of place 0 */
	uintptr_t code;                 /* start of the object with the kernel */
	size_t code_bytes;
	uintptr_t data;                 /* its variables */
	size_t data_bytes;
	uintptr_t image;                /* address whose shadow they use; 0: none */
	uintptr_t constants;            /* those of them that are __constant__ */
	size_t constant_bytes;
	struct check *check;
	struct counters *counters;      /* NULL: not counting */
};
extern struct check_hot check_hot;

/* --- the checker of a device --- */

enum region_kind { REGION_BUFFER, REGION_ARENA, REGION_HEAP };
struct check_region {                   /* in order of address */
	uintptr_t at;
	size_t bytes, mapped;           /* requested; size of the mapping */
	enum region_kind kind;
	uint32_t buffer;
	char name[48];
	bool freed;
};

/* Accesses of a word that do not fit in its cell. If thousands of threads touch a word without
 * order, only the last of them are kept. */
#define MAX_KEPT 16
struct check_kept {
	size_t word;
	uint64_t writer_time;           /* strong_time of the word's last strong write */
	unsigned count, capacity;
	struct check_kept_item {        /* oldest first */
		uint64_t record, time;
		bool write;
	} *items;
};

/* The lists of all words: a hash table of 2^(64 - shift) slots. */
struct check_more {
	struct check_kept **slots;
	size_t count;
	unsigned shift;
};

/* Addresses without memory, whose shadow is used for an object's variables. */
struct check_image {
	uintptr_t data, at;
	size_t bytes;
};

struct check {
	struct listener listener;       /* must be first: see check_of() */
	struct check_hot hot;           /* copied to check_hot for each launch */
	void *reserved;                 /* device memory and its shadow */
	size_t reserved_bytes;
	uint8_t *reached;               /* [MAX_GRANULES] */
	uint8_t *granules;              /* [MAX_GRANULES]: enum granule_use */
	bool reach_known;               /* pointers in memory have been followed, too */
	size_t used, arenas_used;       /* bytes used after base + shared_span, after base */
	struct check_region *regions;
	size_t region_count, region_capacity;
	struct check_image *images;
	size_t image_count;
	struct check_slice *slices;
	uint32_t next_slice, slice_capacity;
	uint32_t slices_kept;           /* forget them at the next launch if there are more */
	int64_t begun;                  /* launches so far, with those by device code */
	struct check_launch launch;
	size_t launch_shared;           /* bytes of shared memory of a block */
	struct check_sync_variable **variables; /* of the launch */
	size_t variable_count;
	bool fenced_in_block;           /* a __threadfence_block() was executed */
	uint32_t released_until;        /* segments from here on began after the last release */
	struct check_arena *arena;      /* allocations freed at the end of the launch */
	uint64_t strong_time;           /* counts the atomics and volatile writes of words */
	struct check_copy *copies;      /* asynchronous copies to be used again */
	struct check_cluster *clusters; /* the same for clusters and phases */
	struct check_phase *phases;
	uintptr_t *copy_calls;          /* where asynchronous copies were made */
	size_t copy_call_count;
	/* Reports on the last write, and the bytes before it: see check_settle.c. */
	struct check_report waiting[3];
	unsigned waiting_count;
	unsigned char old[16];
	struct check_finding *findings;
	size_t finding_count;
	struct row_finding *events;     /* results of check_findings() */
	char **texts;
	size_t text_count;
	struct check_ops ops;
	struct heap *heap;              /* of kernels; NULL until one allocates */
	uintptr_t heap_at;
	bool order_happened;            /* see check_order_happened() */
	bool leaks_are_lints;
	bool exact;                     /* not only barriers of whole warps and blocks order */
	uint32_t needed_from;           /* first segment not collected yet: check_op.c */
	/* The launch may have begun early (check_early.c): segments in which threads waited for the
	 * one before, and blocks that have waited before they let the next one begin. */
	bool early;
	uint32_t *waits;
	size_t wait_count, wait_capacity, waits_first;
	uint64_t *against;              /* operations with which what it does early may conflict */
	size_t against_count;
	struct check_more more;
	bool counting;                  /* every launch */
	struct counters *counters;      /* and lines; hot.counters is NULL if not in use */
};

static inline const struct check_slice *check_slice_of(const struct check *check, uint64_t record)
{
	return &check->slices[record >> (32 + LANES_SHIFT)];
}

/* The checker whose listener a launch has. */
static inline struct check *check_of(struct listener *listener)
{
	return (struct check *)listener;
}

/* --- an access --- */

enum check_kind { CHECK_READ, CHECK_WRITE, CHECK_ATOMIC };
struct access {
	struct check *check;
	struct lane *lane;
	uintptr_t address, pc;
	uintptr_t shadow;               /* address whose shadow it uses: its own, or an image's */
	size_t bytes;
	enum check_kind kind;
	unsigned flags;                 /* RECORD_ATOMIC, RECORD_VOLATILE, RECORD_BLOCK */
};

/* Whether it is of a __device__ or __constant__ variable of the kernel's object, always written. */
static inline bool access_of_variable(const struct access *a)
{
	return a->shadow != a->address;
}

#endif
