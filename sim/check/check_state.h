/* check_state.h - what a checker holds: the state that its files share and nobody else sees.
 *
 * Shadow memory lies in parallel arrays, indexed by the 4-byte word's place in the range of device
 * memory. state: low 4 bits say which bytes are written, high 4 bits which are allocated. An access
 * record is segment << 32 | flags | place of the code; 0 is none. Of a plain access of a whole word
 * no flag is set, so that one addition makes it.
 */
#ifndef CHECK_STATE_H
#define CHECK_STATE_H

#include "sim/check/finding.h"
#include "sim/check/operation.h"
#include "sim/exec/lane.h"

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

/* --- the checker of a device --- */

/* Memory lies in slots of whole granules, so that each granule has one buffer at most. */
#define GRANULES 8192

enum region_kind { REGION_BUFFER, REGION_ARENA };
struct check_region {                   /* in order of address */
	uintptr_t at;
	size_t bytes, mapped;           /* requested; size of the mapping */
	enum region_kind kind;
	uint32_t buffer;
	char name[48];
	bool freed;
};

/* Accesses of a word that its cell has no room for: of a word that thousands of threads touch
 * without order, the last of these must do. */
#define MAX_KEPT 16
struct check_kept {
	size_t word;
	unsigned count, capacity, next;
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
	struct listener listener;       /* first: what launches tell */
	struct check_hot hot;           /* span: of the reservation */
	void *reserved;                 /* and the shadow */
	size_t reserved_bytes;
	uint8_t *reached;               /* [GRANULES] */
	bool reach_known;               /* what pointers in memory lead to is in there, too */
	uintptr_t data;                 /* variables of the object with the kernel */
	size_t data_bytes;
	size_t used, arenas_used;       /* of base + shared_span, of base */
	struct check_region *regions;
	size_t region_count, region_capacity;
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

/* The checker that told itself to a launch. */
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
	uintptr_t shadow;               /* the address whose shadow it has: its own, or an image's */
	size_t bytes;
	enum check_kind kind;
	unsigned flags;                 /* RECORD_ATOMIC, RECORD_VOLATILE */
};

/* Variables of the object with the kernel: __device__ and __constant__, never unwritten. */
static inline bool access_of_variable(const struct access *a)
{
	return a->shadow != a->address;
}

#endif
