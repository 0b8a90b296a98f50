/* device.h - the one device interface of flashtwin.
 *
 * A device is a table of operations and its implementation: the simulator
 * (sim/device/device_sim.c), a GPU through the driver API (engine/cuda/device_cuda.c), or the
 * recorder (engine/record/recorder.c), which wraps one of these and turns every operation into a
 * trace event. Callers cannot tell them apart. One process can open several devices, also several
 * of the same kind (ordinals).
 *
 * Shapes are in elements, offsets and sizes in bytes unless a name says otherwise. Every operation
 * returns an enum status; error_code() is the CUDA error code, which the simulator sets too.
 * Objects belong to the device that created them; device_close() frees what is left.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel_table.h"       /* defines: struct kernel, struct dim3 */
#include "base/dtype.h"
#include "base/status.h"

#define MAX_RANK 5

struct attention_features;      /* engine/features.h */
struct host_softmax;    /* engine/host_softmax.h */
struct block_range;
struct row_counters;
struct row_finding;
struct row_memory;      /* traces/row.h */
struct stream;          /* NULL: the device's default stream */
struct event;
struct graph;
struct graph_exec;

/* Device memory. Callers read the fields and never write them. Memory that was never written holds
 * the 32-bit pattern DEVICE_POISON (a NaN) on the simulator, and on a GPU while a recorder is
 * attached. */
struct buffer {
	struct device *device;          /* the device that allocated it (never a recorder) */
	uint32_t id;                    /* 1, 2, ... per device, never reused */
	char name[48];                  /* "k_cache.3" */
	enum dtype dtype;
	int rank;
	int64_t shape[MAX_RANK];
	size_t bytes;
	uint64_t address;               /* of its first byte on the device */
	const void *variable;           /* `address` of its struct kernel_variable; NULL: none */
};
#define DEVICE_POISON 0x7fa0deadu

struct buffer_spec {
	const char *name;
	enum dtype dtype;
	int rank;
	int64_t shape[MAX_RANK];
};

/* The size of the specified buffer in bytes. SIZE_MAX on overflow, which device_alloc() rejects. */
size_t buffer_spec_bytes(const struct buffer_spec *);

/* One entry of a pointer table in device memory: the address of `buffer` + `offset`, or null. */
struct pointer_entry {
	const struct buffer *buffer;
	uint64_t offset;
};

/* The addresses that a table of these entries holds in device memory, [count]. The caller frees
 * them. */
uint64_t *pointer_addresses(const struct pointer_entry *, size_t count);

/* --- launches --- */

struct pointer_field {                  /* a device pointer inside a by-value blob */
	size_t at;                      /* byte offset in the blob */
	struct buffer *buffer;
	uint64_t offset;
};

/* A typed argument. `live`, if set, points to the variable that the value was read from, so that
 * the checker can find captured launches whose variable has changed since. It must stay valid as
 * long as the graph that captured it. */
struct arg {
	const char *name;               /* of the kernel's parameter; NULL: not checked */
	enum param_kind kind;
	union {
		int32_t i32; uint32_t u32; int64_t i64; uint64_t u64;
		float f32; double f64;
		const void *blob;       /* copied at launch */
	} value;
	/* PARAM_POINTER. Without a buffer, `offset` is the address itself: 0 for a null pointer, or
	 * one in no buffer, which is passed as it is and not recorded. */
	struct buffer *buffer;
	uint64_t offset;
	size_t bytes, alignment;        /* PARAM_BLOB: up to 128-byte alignment */
	const struct pointer_field *fields;
	int field_count;
	const void *live;
};

#define ARG_I32(x)       ((struct arg){ .kind = PARAM_I32, .value.i32 = (x) })
#define ARG_I64(x)       ((struct arg){ .kind = PARAM_I64, .value.i64 = (x) })
#define ARG_F32(x)       ((struct arg){ .kind = PARAM_F32, .value.f32 = (x) })
#define ARG_BUFFER(b)    ((struct arg){ .kind = PARAM_POINTER, .buffer = (b) })
#define ARG_AT(b, off)   ((struct arg){ .kind = PARAM_POINTER, .buffer = (b), .offset = (off) })
#define ARG_LIVE_I32(p)  ((struct arg){ .kind = PARAM_I32, .value.i32 = *(p), .live = (p) })

/* "i32"; "unknown" for an invalid kind. */
const char *param_kind_name(enum param_kind);

/* NONPORTABLE_CLUSTER, not 0: clusters of more than 8 blocks are allowed. As with
 * MAX_DYNAMIC_SHARED, the kernel keeps it for later launches. */
enum launch_attribute_id {
	ATTRIBUTE_MAX_DYNAMIC_SHARED = 1, ATTRIBUTE_COOPERATIVE, ATTRIBUTE_NONPORTABLE_CLUSTER
};
#define ATTRIBUTE_COUNT 3
/* "max_dynamic_shared": the name in traces. */
const char *launch_attribute_name(enum launch_attribute_id);
struct launch_attribute {
	enum launch_attribute_id id;
	int64_t value;
};

#define MAX_ARGS 64
struct launch {
	const struct kernel *kernel;
	/* y and z of 0 mean 1, and a cluster of 0 that of the kernel's __cluster_dims__, or 1;
	 * devices get these. */
	struct dim3 grid, block;
	struct dim3 cluster;                    /* blocks of a cluster; it divides the grid */
	unsigned shared_bytes;                  /* dynamic */
	struct stream *stream;
	const struct launch_attribute *attributes;
	int attribute_count;
	const struct arg *args;                 /* exactly the kernel's parameters, in order */
	int arg_count;
	bool probed;                            /* run the probed build; set by the recorder only */
	void *ticket;                           /* for a device_observer; set by recorders only */
	int layer;                              /* for the trace; -1: none */
};

/* --- properties and options of a device --- */

struct device_info {
	char name[128];                 /* "NVIDIA H200", "flashtwin simulator" */
	char profile[32];               /* "h200": limits and error codes */
	char driver[64];                /* "CUDA 13.0, driver 580.159.04"; "" for the simulator */
	int compute_major, compute_minor;
	int multiprocessors;
	unsigned max_threads_per_block, warp_size;
	struct dim3 max_grid, max_block;
	size_t shared_per_block, shared_per_block_optin;
	size_t memory_bytes;
};

/* What a device knows about a kernel. A register count of 0 is unknown, as on the simulator. */
struct function_info {
	size_t static_shared, constant_bytes, local_bytes;
	unsigned max_threads;           /* per block: by __launch_bounds__ and the device */
	int registers;                  /* per thread */
};

struct device_options {
	int ordinal;                    /* which GPU, or which simulated device */
	const char *profile;            /* simulator: NULL is "h200" */
	/* Simulator: the seed for the order of lanes, warps, blocks and streams; 0: in order. */
	uint64_t seed;
	int jobs;                       /* simulator: OS threads for independent blocks; 0 is 1 */
	bool check;                     /* simulator: run kernels under the checker, one thread */
	/* With check: how many further seeds a launch is run under, on a copy of device memory, if
	 * its order came from atomics or flags. */
	int check_orders;
	bool count;                     /* with check: counts for device_counters() */
	/* With check: memory that is never freed is a lint, as for a program that leaves it to the
	 * end of its process. */
	bool leaks_are_lints;
	/* Simulator: basic blocks that the threads of a launch may enter before it ends with STEPS
	 * (error code 702); 0: no limit. Kernels then run on one thread. */
	uint64_t steps;
	/* Simulator: clock() of kernels has other values, to find what depends on them. */
	bool other_clock;
	bool poison;                    /* a GPU fills new allocations with DEVICE_POISON too */
	bool untimed;                   /* a GPU does not measure device_last_launch_us() */
};

enum capture_mode { CAPTURE_GLOBAL, CAPTURE_THREAD_LOCAL, CAPTURE_RELAXED };
enum capture_state { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED };

/* Callbacks of a device that runs work after the call that issued it (the simulator): before and
 * after each launch with a ticket. Within these calls, operations on the device act at once. */
struct device_observer {
	void *context;
	void (*before)(void *context, void *ticket);
	void (*after)(void *context, void *ticket, enum status);
};

/* Additional operations of a recorder. */
struct recorder_ops {
	/* Begin and end a step (0, 1, ...), to which the operations in between belong. */
	enum status (*step_begin)(struct device *, int64_t step);
	enum status (*step_end)(struct device *);
	/* Records what the host computed, and how long that took. */
	enum status (*host_softmax)(struct device *, const struct host_softmax *, double us);
	/* Records what attention is computed with. */
	enum status (*attends)(struct device *, const struct attention_features *);
};

/* Additional operations of a device that checks a program. */
struct checker_ops {
	size_t (*findings)(struct device *, const struct row_finding **out);
	size_t (*counters)(struct device *, const struct row_counters **out);
	/* NULL: it does not track the program's order itself (a recorder around a checker). */
	enum status (*step_aside)(struct device *, bool aside);
	/* NULL: buffers are always as far apart as the checker's manual says. */
	const char *(*spacing)(struct device *);
	/* NULL: it records no accesses, or a recorder does so itself. */
	enum status (*watch)(struct device *, const struct block_range *, size_t count);
	void (*memory)(struct device *, struct row_memory *out);
};

/* The table each device fills. An operation that a device does not have is NULL; the device_*()
 * calls below turn that into a USAGE error that names it. Uploads and downloads wait for earlier
 * work on their stream and are complete when the call returns; only those named async are left to
 * the stream. If a capture on another stream forbids this wait, the error is 900, but the copy
 * itself is done. */
struct device_ops {
	const char *name;               /* "sim", "cuda", "recorder" */
	enum status (*open)(const struct device_options *, struct device **out);
	void (*close)(struct device *);
	enum status (*info)(struct device *, struct device_info *out);
	enum status (*attribute)(struct device *, int attribute, int *out);
	enum status (*function)(struct device *, const struct kernel *, struct function_info *out);

	enum status (*alloc)(struct device *, const struct buffer_spec *, struct buffer **out);
	enum status (*alloc_managed)(struct device *, const struct buffer_spec *,
				     struct buffer **out);
	enum status (*alloc_variable)(struct device *, const struct buffer_spec *,
				      const struct kernel_variable *, struct buffer **out);
	enum status (*free)(struct device *, struct buffer *);
	enum status (*upload)(struct device *, struct stream *, struct buffer *, uint64_t offset,
			      const void *source, size_t bytes);
	enum status (*upload_pointers)(struct device *, struct stream *, struct buffer *,
				       uint64_t offset, const struct pointer_entry *, size_t count);
	enum status (*download)(struct device *, struct stream *, const struct buffer *,
				uint64_t offset, void *destination, size_t bytes);
	enum status (*upload_async)(struct device *, struct stream *, struct buffer *,
				    uint64_t offset, const void *source, size_t bytes);
	enum status (*download_async)(struct device *, struct stream *, const struct buffer *,
				      uint64_t offset, void *destination, size_t bytes);
	enum status (*copy)(struct device *, struct stream *, struct buffer *to, uint64_t to_offset,
			    const struct buffer *from, uint64_t from_offset, size_t bytes);
	enum status (*fill)(struct device *, struct stream *, struct buffer *, uint64_t offset,
			    uint32_t pattern, size_t words);

	enum status (*launch)(struct device *, const struct launch *);
	enum status (*set_heap)(struct device *, size_t bytes, bool reset);
	enum status (*sync)(struct device *, struct stream *);  /* NULL: the whole device */

	enum status (*stream_create)(struct device *, struct stream **out);
	enum status (*stream_destroy)(struct device *, struct stream *);
	enum status (*event_create)(struct device *, struct event **out);
	enum status (*event_destroy)(struct device *, struct event *);
	enum status (*event_record)(struct device *, struct event *, struct stream *);
	enum status (*event_wait)(struct device *, struct stream *, struct event *);
	enum status (*event_sync)(struct device *, struct event *);
	enum status (*event_elapsed)(struct device *, struct event *from, struct event *to,
				     double *us);

	enum status (*capture_begin)(struct device *, struct stream *, enum capture_mode);
	enum status (*capture_end)(struct device *, struct stream *, struct graph **out);
	enum status (*capture_state)(struct device *, struct stream *, enum capture_state *out);
	enum status (*capture_relax)(struct device *, bool relaxed);
	enum status (*graph_create)(struct device *, struct graph **out);
	enum status (*graph_add_launch)(struct device *, struct graph *, const struct launch *,
					const int *after, int after_count, int *node);
	enum status (*graph_add_copy)(struct device *, struct graph *, struct buffer *to,
				      uint64_t to_offset, const struct buffer *from,
				      uint64_t from_offset, size_t bytes, const int *after,
				      int after_count, int *node);
	enum status (*graph_instantiate)(struct device *, struct graph *, struct graph_exec **out);
	enum status (*graph_launch)(struct device *, struct graph_exec *, struct stream *);
	enum status (*graph_destroy)(struct device *, struct graph *);
	enum status (*graph_exec_destroy)(struct device *, struct graph_exec *);

	/* Waits for the last launch to end and returns its device time in microseconds. Negative:
	 * not measured (the simulator; a captured launch). */
	double (*last_launch_us)(struct device *);
	/* Only for devices that run work after the call. NULL removes the observer. */
	enum status (*observe)(struct device *, const struct device_observer *);
	/* Sets the buffers of this device to which probed launches write their points, for launches
	 * issued, captured or added to a graph from now on. An observer may change them before each
	 * launch. NULL: no points. */
	enum status (*set_points)(struct device *, const struct buffer *records,
				  const struct buffer *counts, unsigned capacity);

	/* NULL: the host cannot read its memory. */
	const void *(*peek)(struct device *, const struct buffer *);

	const struct recorder_ops *recorder;    /* NULL: it records nothing */
	const struct checker_ops *checker;      /* NULL: it checks nothing */
};

/* First member of every device. */
struct device {
	const struct device_ops *ops;
	struct device *inner;           /* the device a recorder wraps; else NULL */
	int ordinal;
};

extern const struct device_ops device_sim;
extern const struct device_ops device_cuda;     /* NO_GPU without a driver or GPU */
/* The compute capability of a GPU, 90 for 9.0, without opening it. NO_GPU if there is none. */
enum status device_cuda_capability(int ordinal, int *out);

/* --- calls: do the checks common to all devices, then call through the table --- */

/* `name` is "sim" or "cuda" (device_list.c). */
enum status device_open(const char *name, const struct device_options *, struct device **out);
void device_close(struct device *);
enum status device_info(struct device *, struct device_info *out);
/* The size of the heap that malloc() in device code uses. Waits for earlier work. Error 1 after a
 * kernel allocated. A larger heap than the device's memory is reduced to that.
 * reset: frees all memory of the heap first, if the device can. */
enum status device_set_heap(struct device *, size_t bytes, bool reset);
/* The attribute that CUDA's cudaDeviceAttr numbers. Error 1 for an unknown one. */
enum status device_attribute(struct device *, int attribute, int *out);
/* Some of these numbers. */
enum {
	DEVICE_CLOCK_KHZ = 13, DEVICE_MEMORY_KHZ = 36, DEVICE_MEMORY_BITS = 37,
	DEVICE_L2_BYTES = 38,
};
enum status device_function(struct device *, const struct kernel *, struct function_info *out);

enum status device_alloc(struct device *, const struct buffer_spec *, struct buffer **out);
/* A buffer that the host too reads and writes in place, at its address: CUDA's managed memory. A
 * recorder and a checker learn of what the host wrote from an upload of the buffer to itself. */
enum status device_alloc_managed(struct device *, const struct buffer_spec *, struct buffer **out);
/* A buffer whose memory is a device variable of a kernel (kernels/kernel_table.h), as it is; the
 * name is the variable's. Freeing the buffer leaves the variable. USAGE if the variable is not in
 * code for the device. */
enum status device_alloc_variable(struct device *, const struct buffer_spec *,
				  const struct kernel_variable *, struct buffer **out);
/* NULL frees nothing, but a capture may forbid it too. */
enum status device_free(struct device *, struct buffer *);
enum status device_upload(struct device *, struct stream *, struct buffer *, uint64_t offset,
			  const void *source, size_t bytes);
enum status device_upload_pointers(struct device *, struct stream *, struct buffer *,
				   uint64_t offset, const struct pointer_entry *, size_t count);
enum status device_download(struct device *, struct stream *, const struct buffer *,
			    uint64_t offset, void *destination, size_t bytes);
/* The caller must not change or free the host memory until the stream was waited for. A graph that
 * captured the call reads or writes the memory at each launch. */
enum status device_upload_async(struct device *, struct stream *, struct buffer *, uint64_t offset,
				const void *source, size_t bytes);
enum status device_download_async(struct device *, struct stream *, const struct buffer *,
				  uint64_t offset, void *destination, size_t bytes);
enum status device_copy(struct device *, struct stream *, struct buffer *to, uint64_t to_offset,
			const struct buffer *from, uint64_t from_offset, size_t bytes);
enum status device_fill(struct device *, struct stream *, struct buffer *, uint64_t offset,
			uint32_t pattern, size_t words);
/* USAGE if the arguments do not match the kernel's parameters or a block has more threads than the
 * kernel allows. Error 1 (invalid value) if the launch exceeds a limit of the device, 720 for a
 * cooperative grid that the device cannot hold at once, 700 and others if the kernel faults, from
 * this call or one that waits for it. After a fault every later operation returns the same error,
 * as on CUDA. */
enum status device_launch(struct device *, const struct launch *);
enum status device_sync(struct device *, struct stream *);
/* The observer must stay valid until it is removed. USAGE on a device that finishes work before it
 * returns. */
enum status device_observe(struct device *, const struct device_observer *);
/* true: waits for the whole device. If the device checks a program, this wait and all operations
 * until the call with false are not part of the program: they order nothing and act at once. */
enum status device_step_aside(struct device *, bool aside);
/* The memory of a buffer, to be read in place between device_step_aside() with true and false, or
 * by an observer. NULL: only a download can read it. */
const void *device_peek(struct device *, const struct buffer *);
/* Whether the device checks a program and can exclude operations from it. */
bool device_can_step_aside(const struct device *);
/* Negative: not measured. */
double device_last_launch_us(struct device *);
/* The checker's findings so far, including buffers that are still allocated; none without a
 * checker. Valid until the next operation. */
size_t device_findings(struct device *, const struct row_finding **out);
/* The counters of each launch so far, in order; none without the option `count`. Valid until the
 * next operation. */
size_t device_counters(struct device *, const struct row_counters **out);
/* Records the loads and stores of these blocks of the launch that is about to run, for an observer
 * that is called before it; the ranges must stay valid until the launch has ended. On a device
 * that was opened with device_options.check; else USAGE. */
enum status device_watch(struct device *, const struct block_range *, size_t count);
/* What was recorded of the launch that has just ended, of a device that device_watch() accepted;
 * valid until the next one begins. */
void device_memory(struct device *, struct row_memory *out);
/* A message if limits on memory make the checker place buffers close together, so that it misses
 * more; else NULL. Valid until the next call. */
const char *device_spacing(struct device *);
/* Both do nothing on a device that is not a recorder. */
enum status device_step_begin(struct device *, int64_t step);
enum status device_step_end(struct device *);
/* records and counts: buffers of this device, or both NULL. */
enum status device_set_points(struct device *, const struct buffer *records,
			      const struct buffer *counts, unsigned capacity);

/* Work on one stream runs in order; only events order streams. Destroying a stream or an event does
 * not affect work issued before. */
enum status device_stream_create(struct device *, struct stream **out);
enum status device_stream_destroy(struct device *, struct stream *);
enum status device_event_create(struct device *, struct event **out);
enum status device_event_destroy(struct device *, struct event *);
enum status device_event_record(struct device *, struct event *, struct stream *);
/* Makes the stream wait for the work that was on the event's stream when the event was last
 * recorded before this call. Waits for nothing if it was never recorded. */
enum status device_event_wait(struct device *, struct stream *, struct event *);
/* Returns when the work before the event's last record has ended. */
enum status device_event_sync(struct device *, struct event *);
/* Error 400 for an event that was never recorded, 600 for one that is not reached yet. Negative:
 * not measured (the simulator has no clock). */
enum status device_event_elapsed(struct device *, struct event *from, struct event *to, double *us);

/* Until the capture ends, work on the stream becomes nodes of a graph, and so does work on streams
 * that wait for an event recorded in the capture. Operations that CUDA forbids during a capture
 * fail with CUDA's codes, 401 and 9xx. */
enum status device_capture_begin(struct device *, struct stream *, enum capture_mode);
enum status device_capture_end(struct device *, struct stream *, struct graph **out);
enum status device_capture_state(struct device *, struct stream *, enum capture_state *out);
/* true: allows this thread to allocate and the like even while a capture forbids it, as CUDA's
 * cuThreadExchangeStreamCaptureMode does. false: no longer. */
enum status device_capture_relax(struct device *, bool relaxed);
enum status device_graph_create(struct device *, struct graph **out);
/* The launch is as for device_launch(). `after` lists the earlier nodes that this one waits for;
 * *node is its number. */
enum status device_graph_add_launch(struct device *, struct graph *, const struct launch *,
				    const int *after, int after_count, int *node);
enum status device_graph_add_copy(struct device *, struct graph *, struct buffer *to,
				  uint64_t to_offset, const struct buffer *from,
				  uint64_t from_offset, size_t bytes, const int *after,
				  int after_count, int *node);
/* Instantiates the graph's current nodes. Adding nodes or destroying the graph later has no
 * effect on the executable graph. */
enum status device_graph_instantiate(struct device *, struct graph *, struct graph_exec **out);
/* Runs after earlier work on the stream and after earlier launches of the same executable graph. */
enum status device_graph_launch(struct device *, struct graph_exec *, struct stream *);
enum status device_graph_destroy(struct device *, struct graph *);
enum status device_graph_exec_destroy(struct device *, struct graph_exec *);

/* Name of a CUDA driver error code: "CUDA_ERROR_ILLEGAL_ADDRESS" for 700. */
const char *cuda_error_name(int code);

#endif
