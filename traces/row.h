/* row.h - the recorded events: plain structs passed between the recorder and the store.
 *
 * Pointers in them are owned by the caller and need to be valid only during the call. Independent
 * of devices: buffers and launches are numbers. "Not measured" is NAN in a double, stored as NULL,
 * never 0.
 */
#ifndef ROW_H
#define ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "traces/level.h"
#include "traces/op.h"

struct row_run {
	const char *device;             /* "sim", "cuda" */
	const char *device_name, *profile, *driver;
	int ordinal;
	uint64_t seed;
	const char *command;            /* "decode" */
	const char *path;               /* "flash-decoding" */
	const char *options;            /* JSON object: the command's options */
	enum log_level level;
	const char *log_at;             /* the windows recorded, "s0..s9" or "L4"; NULL: all */
	const char *version;            /* flashtwin's */
	const char *started;            /* ISO 8601, UTC: a clock column */
	const char *compute;            /* "9.0" */
};

/* What attention is computed with. 0: it has no such feature. */
struct row_attention {
	int64_t number;                 /* of those of the run, from 0 */
	const char *path;               /* "ladder" */
	int rung;                       /* of the path ladder; 0: another path */
	enum dtype kv_dtype;
	int queries;                    /* of a sequence in a step */
	int window, sinks;              /* in keys */
	uint32_t softcap_bits;          /* f32 */
	int page;                       /* in keys */
	bool lse;                       /* it can return log-sum-exps */
};

struct row_buffer {                   /* with an ALLOC */
	uint32_t id;                    /* of the run's device, 1.. */
	const char *name;
	enum dtype dtype;
	int rank;
	const int64_t *shape;
	uint64_t bytes;
	int ordinal;
};

/* An entry of UPLOAD_POINTERS, or a pointer field of a blob. */
struct row_pointer {
	uint64_t at;                    /* byte offset in the destination or blob */
	uint32_t buffer;                /* 0: null */
	uint64_t offset;
};

struct row_arg {
	const char *name, *type;        /* "scale", "float" */
	const char *kind;               /* i32 u32 i64 u64 f32 f64 pointer blob */
	uint64_t bits;                  /* value of a scalar, zero-extended */
	uint32_t buffer;                /* pointer: 0 is null */
	uint64_t offset;
	const void *blob;
	size_t blob_bytes;
	bool live;                      /* made by a live argument */
	const struct row_pointer *pointers;   /* in the blob */
	int pointer_count;
};

struct row_source {
	const char *file, *text;        /* "kernels/flash_decode_chunk.cu" */
};

struct row_kernel {                   /* one per run and kernel */
	const char *name;
	const char *params;             /* JSON array of {"name","type"} */
	const char *origin;             /* "cuda_c" */
	bool independent;               /* its blocks share nothing but inputs */
	const struct row_source *sources;     /* the .cu first, then headers with code */
	int source_count;
};

struct row_launch {
	int64_t number;                 /* in the whole run, as after L in addresses; ascending */
	const char *kernel;             /* already passed to store_kernel() */
	uint32_t grid[3], block[3], cluster[3];
	uint32_t shared_bytes;
	int layer;                      /* -1: none */
	const struct row_arg *args;
	int arg_count;
	const char *attributes;         /* JSON object, NULL when there are none */
};

/* How an operation concerns a graph: for GRAPH_NODE, GRAPH_INSTANTIATE, GRAPH_LAUNCH, GRAPH_UPLOAD,
 * and for events that are recorded or waited for in a capture. */
struct row_node {
	int graph;                      /* 1, 2, ... as captures begin and graphs are made */
	int node;                       /* GRAPH_NODE, GRAPH_UPLOAD: from 0 in the graph; else -1 */
	enum op_kind work;              /* GRAPH_NODE: what the node does */
	bool own;                       /* added by the recorder: saves what `node` overwrites */
	/* Of a node added by hand: its predecessors. NULL in a capture, where streams and events
	 * give the order. */
	const int *after;
	int after_count;
	int64_t launch;                 /* GRAPH_LAUNCH: number of its first launch; else -1 */
};

/* Attention that the host computed from rows that it had downloaded. */
struct row_softmax {
	int layer;                      /* -1: none */
	int heads, keys, head_dim;
	uint32_t scale_bits;            /* f32 */
	uint32_t k_buffer, v_buffer;    /* of head 0: keys * head_dim f32 from the offset on */
	uint64_t k_offset, v_offset;
	uint64_t stride;                /* from one head to the next */
	const void *q;                  /* f32 [heads, head_dim] */
};

struct row_op {
	enum op_kind kind;
	int stream;                     /* 0 is the default stream */
	int ordinal;                    /* of the device */
	int code;                       /* CUDA error code, 0 is success */
	double start_us, duration_us;   /* measured device time, or NAN: clock columns */
	uint32_t buffer;                /* destination, or source of a DOWNLOAD; 0 none */
	uint64_t offset, bytes;         /* HEAP: its size */
	uint32_t from_buffer;           /* COPY */
	uint64_t from_offset;
	/* FILL; CAPTURE_BEGIN: the mode; CAPTURE_RELAX: 1 or 0; HEAP: 1 frees it first */
	uint32_t pattern;
	/* Number of an event, graph or executable graph. LAUNCH: the GRAPH_LAUNCH operation that
	 * made it. -1 none */
	int64_t object;
	/* UPLOAD, UPLOAD_ASYNC, GRAPH_UPLOAD, RESTORE, HOST_SOFTMAX: the bytes; DOWNLOAD from
	 * LEVEL_PARTIALS on. */
	const void *data;
	const struct row_pointer *pointers;   /* UPLOAD_POINTERS, RESTORE of a pointer table */
	int pointer_count;
	const struct row_launch *launch;      /* LAUNCH; GRAPH_NODE of a launch, number -1 */
	const struct row_node *node;          /* NULL: does not concern a graph */
	const struct row_buffer *alloc;       /* ALLOC */
	const struct row_softmax *softmax;    /* HOST_SOFTMAX; its output is `data` */
};

/* Digest of bytes [offset, offset + bytes) of a buffer: after a launch (what it wrote) or after a
 * step. */
struct row_digest {
	uint32_t buffer;
	uint64_t offset, bytes;
	uint64_t digest;                /* digest_bytes() in traces/digest.h */
	const void *data;               /* the bytes, if recorded; or NULL */
};

struct row_partial {                  /* one chunk of one row, after a chunk launch */
	int slot, head, kv_head, chunk;
	int64_t key_begin, key_end;     /* key_begin >= key_end: empty */
	uint32_t max_bits, sum_bits;    /* f32 bit patterns */
	double lse;                     /* max + ln(sum) in float64; NAN when empty */
	double share;                   /* of the row's softmax, in float64; 0 when empty */
	const void *acc;                /* D f32, un-normalised; NULL when empty */
	size_t acc_bytes;
};

/* One step of a reduction, decoded from the partials in float64. */
struct row_reduce {
	int slot, head, chunk, order;
	double factor, sum;             /* exp(chunk's max - row's max); running sum after it */
};

/* A row written into a cache, or copied out of it; or several of consecutive positions that are
 * next to each other in the operation. */
struct row_kv {
	char tensor;                    /* 'k' or 'v' */
	int layer, slot, kv_head;
	int64_t position;
	uint32_t buffer;
	uint64_t offset, bytes;         /* where it was written; of one row */
	/* Number of the upload the row came from, or -1. A launch rounds rows of f32 to a cache of
	 * f16, bf16 or e4m3. */
	int64_t source_op;
	uint64_t source_offset;         /* byte offset of the row in that upload */
	int more;                       /* further positions, up to KV_MORE */
};
#define KV_MORE 255

struct row_point {
	uint64_t block;                 /* linear */
	uint32_t thread;                /* linear in the block: warp * 32 + lane */
	uint32_t sequence;              /* 0, 1, ... per thread */
	const char *name;
	int count;
	uint32_t bits[4];
};

struct row_token {                    /* one byte of one sequence */
	int64_t step;
	int slot;
	int64_t position;
	int byte;
	bool prompt;
	uint32_t logit_bits;            /* f32, of the byte when chosen; prompt: NULL column */
};

/* One of the two accesses, or other places, of a finding of the checker. */
struct row_side {
	const char *what;               /* "read", "atomic", "__syncthreads" ...; NULL: none */
	const char *file;               /* NULL: not known */
	int line;
	uint32_t block[3], thread[3];
	uint64_t place;                 /* the thread, counted through the whole grid */
	unsigned epoch;                 /* block barriers it had passed */
	const char *operation;          /* "upload on stream 2"; NULL: a thread of the launch */
	int64_t launch;                 /* -1: not a launch, and no thread is known */
};

struct row_finding {
	const char *class;              /* "race-shared" */
	bool lint;                      /* worth a look, but not a bug by itself */
	uint64_t count;                 /* how often, with these sites */
	int64_t launch;                 /* the first time; -1: of no launch */
	const char *kernel;
	uint64_t seed;                  /* of a further order that shows it; 0: none */
	struct row_side sides[2];     /* the one that was found, and the one before it */
	uint32_t buffer;                /* 0: none, or shared memory */
	uint64_t offset, bytes;
	const char *detail;             /* specific to this finding; may be "" */
	const char *why, *fix;          /* one sentence each */
};

/* How often threads reached a line of source. */
struct row_line_count {
	const char *file;
	int line;
	uint64_t hits;
};

/* What one launch did, as counted on the simulator (--count); defined in doc/counters.md. */
struct row_counters {
	int64_t launch;
	const char *kernel;
	bool counted;                   /* false: only lines below are known */
	/* Global memory; requests of warps, and the 32-byte sectors they touched. */
	uint64_t load_bytes, store_bytes, load_distinct_bytes;
	uint64_t load_requests, load_sectors, store_requests, store_sectors;
	uint64_t atomics, shared_atomics;       /* by threads */
	uint64_t shared_load_requests, shared_load_conflicts;
	uint64_t shared_store_requests, shared_store_conflicts;
	uint64_t barriers, shuffles;            /* by blocks, by warps */
	uint64_t divergent_branches;            /* by warps */
	uint64_t basic_blocks;                  /* entered by threads: steps */
	uint64_t left_out;                      /* accesses not counted as requests */
	const struct row_line_count *lines;   /* by file and line */
	size_t line_count;
};

/* A range of the blocks of a launch, both ends included. */
struct block_range {
	int64_t first, last;            /* linear */
};

/* Of what a bulk copy reads and writes, up to 32 pieces of 16 bytes are one request, and `lane` is
 * the number of the piece. */
enum access_kind {
	ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_BULK_READ, ACCESS_BULK_WRITE
};
enum access_space { SPACE_GLOBAL, SPACE_SHARED };

/* What one lane loads or stores. */
struct row_access {
	uint8_t lane, bytes;
	bool known;                     /* its bits; only of values of at most 8 bytes */
	uint64_t address;               /* of the device that ran it */
	uint32_t buffer;                /* 0: shared memory, or memory in no buffer */
	uint64_t offset;                /* in the buffer, or the block's or the device's memory */
	uint64_t bits;                  /* loaded, stored, or found by an atomic */
};

/* What the lanes of a warp load or store at a time, as --count combines them. */
struct row_request {
	uint64_t block;                 /* linear */
	uint32_t warp, number;          /* in the block; 0, 1, ... in the warp */
	enum access_kind kind;
	enum access_space space;
	bool counted;                   /* in --count's sums */
	const char *file;               /* NULL: not known */
	int line;
	const struct row_access *accesses;      /* [count] by lane */
	unsigned count;
};

/* A line of source that a thread reached. */
struct row_reach {
	uint64_t block;                 /* linear */
	uint32_t thread, sequence;      /* in the block; 0, 1, ... in the order first reached */
	const char *file;
	int line;
};

/* What the blocks of a launch that were to be recorded did, by block, warp and request, and by
 * thread. */
struct row_memory {
	struct row_request *requests;
	size_t request_count;
	struct row_access *accesses;    /* of all requests */
	uint64_t access_count;          /* also of those past ACCESS_LIMIT, which have no rows */
	struct row_reach *lines;
	uint64_t line_count;            /* the same */
};
/* Rows of accesses, and of lines, that a run can have. */
#define ACCESS_LIMIT 2000000

struct row_model {                    /* one per run that ran a model */
	const char *directory, *config; /* config.json as read */
	int layers, heads, kv_heads, head_dim, hidden, vocabulary, max_positions;
	int max_len, chunk, max_chunks, slots;  /* of the attention path */
};

#endif
