/* device.h - the one device interface of flashtwin.
 *
 * A device is a table of operations and whatever lies behind it: the simulator
 * (sim/device/device_sim.c), a GPU through the driver API (engine/cuda/device_cuda.c), or the
 * recorder (engine/record/recorder.c), which wraps one of these and turns every operation into a
 * trace event. Callers cannot tell them apart; one process can hold several, and several of a kind
 * (ordinals).
 *
 * Shapes are in elements, offsets and sizes in bytes unless a name says otherwise. Every operation
 * returns an enum status; a CUDA error code (the simulator gives the same ones) is in error_code().
 * Objects belong to the device that made them and die with device_close() at the latest.
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

struct row_counters;
struct row_finding;   /* traces/row.h */
struct stream;          /* NULL stands for the device's own default stream */
struct event;
struct graph;
struct graph_exec;

/* Device memory. Callers read the fields and never write them. What was never written holds the
 * 32-bit pattern DEVICE_POISON (a NaN) on the simulator, and on a GPU while a recorder is
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
};
#define DEVICE_POISON 0x7fa0deadu

struct buffer_spec {
	const char *name;
	enum dtype dtype;
	int rank;
	int64_t shape[MAX_RANK];
};

/* Of what is specified; SIZE_MAX when it does not fit, which device_alloc() refuses. */
size_t buffer_spec_bytes(const struct buffer_spec *);

/* One entry of a pointer table in device memory: the address of `buffer` + `offset`, or null. */
struct pointer_entry {
	const struct buffer *buffer;
	uint64_t offset;
};

/* What a table of these holds in device memory, [count]; the caller frees it. */
uint64_t *pointer_addresses(const struct pointer_entry *, size_t count);

/* --- launches --- */

struct pointer_field {                  /* a device pointer inside a by-value blob */
	size_t at;                      /* byte offset in the blob */
	struct buffer *buffer;
	uint64_t offset;
};

/* A typed argument. `live`, when set, is where the value came from: a captured launch whose live
 * source has changed since can then be found. It must stay valid as long as the graph that captured
 * it. */
struct arg {
	const char *name;               /* the kernel's parameter name, or NULL: by position */
	enum param_kind kind;
	union {
		int32_t i32; uint32_t u32; int64_t i64; uint64_t u64;
		float f32; double f64;
		const void *blob;       /* copied at launch */
	} value;
	struct buffer *buffer;          /* PARAM_POINTER; NULL is a null pointer */
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

/* "i32"; "unknown" for what is none. */
const char *param_kind_name(enum param_kind);

enum launch_attribute_id { ATTRIBUTE_MAX_DYNAMIC_SHARED = 1, ATTRIBUTE_COOPERATIVE };
#define ATTRIBUTE_COUNT 2
/* "max_dynamic_shared", as traces have it. */
const char *launch_attribute_name(enum launch_attribute_id);
struct launch_attribute {
	enum launch_attribute_id id;
	int64_t value;
};

#define MAX_ARGS 32
struct launch {
	const struct kernel *kernel;
	/* y and z of 0, and a cluster of 0, count as 1, and devices see them as 1. */
	struct dim3 grid, block, cluster;
	unsigned shared_bytes;                  /* dynamic */
	struct stream *stream;
	const struct launch_attribute *attributes;
	int attribute_count;
	const struct arg *args;                 /* exactly the kernel's parameters, in order */
	int arg_count;
	bool probed;                            /* run the probed build; set by the recorder only */
	void *ticket;                           /* for a device_observer; set by the recorder only */
	int layer;                              /* for the trace; -1: none */
};

/* --- what a device says of itself --- */

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

struct device_options {
	int ordinal;                    /* which GPU, or which simulated device */
	const char *profile;            /* simulator: NULL is "h200" */
	/* Simulator: picks the order of lanes, warps, blocks and streams; 0: in order. */
	uint64_t seed;
	int jobs;                       /* simulator: OS threads for independent blocks; 0 is 1 */
	bool check;                     /* simulator: kernels run under the checker, on one thread */
	bool count;                     /* with check: device_counters() has something to say */
	/* Simulator: basic blocks that the threads of a launch may enter before it ends with STEPS
	 * (error code 702); 0: any number. One thread too. */
	uint64_t steps;
	bool poison;                    /* a GPU fills new allocations with DEVICE_POISON too */
	bool untimed;                   /* a GPU spends no time on device_last_launch_us() */
};

enum capture_mode { CAPTURE_GLOBAL, CAPTURE_THREAD_LOCAL, CAPTURE_RELAXED };
enum capture_state { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED };

/* Told by a device that runs work after the call that asked for it (the simulator) when a launch
 * with a ticket begins and ends. Within these calls operations on the device act at once. */
struct device_observer {
	void *context;
	void (*before)(void *context, void *ticket);
	void (*after)(void *context, void *ticket, enum status);
};

/* What a recorder has beside. */
struct recorder_ops {
	/* What follows belongs to this step (0, 1, ...); the step is over. */
	enum status (*step_begin)(struct device *, int64_t step);
	enum status (*step_end)(struct device *);
};

/* What a device that checks a program has beside. */
struct checker_ops {
	size_t (*findings)(struct device *, const struct row_finding **out);
	size_t (*counters)(struct device *, const struct row_counters **out);
	/* NULL: it does not know the program's order by itself (a recorder around a checker). */
	enum status (*step_aside)(struct device *, bool aside);
};

/* The table each device fills. An operation a device does not have yet is NULL; the device_*()
 * calls below turn that into a USAGE error that names it. Uploads and downloads of host memory are
 * complete when the call returns, after the work before them on their stream; only those named
 * async are left to the stream. Error 900 because of a capture on another stream refuses that wait:
 * the copy itself is done. */
struct device_ops {
	const char *name;               /* "sim", "cuda", "recorder" */
	enum status (*open)(const struct device_options *, struct device **out);
	void (*close)(struct device *);
	enum status (*info)(struct device *, struct device_info *out);

	enum status (*alloc)(struct device *, const struct buffer_spec *, struct buffer **out);
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

	/* Microseconds of device time the last launch took, waiting for its end; negative: not
	 * measured (the simulator; a captured launch). */
	double (*last_launch_us)(struct device *);
	/* Devices that run work later only; NULL takes the observer away. */
	enum status (*observe)(struct device *, const struct device_observer *);
	/* Probed launches write their points here (memory of this device): those asked for from now
	 * on, captured or added to a graph. An observer may say otherwise before each. NULL
	 * switches off. */
	enum status (*set_points)(struct device *, const struct buffer *records,
				  const struct buffer *counts, unsigned capacity);

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
extern const struct device_ops device_cuda;     /* NO_GPU when there is no driver or GPU */

/* --- calls: check arguments common to all devices, then go through the table --- */

/* `name` is one of device_list.c: "sim" or "cuda". */
enum status device_open(const char *name, const struct device_options *, struct device **out);
void device_close(struct device *);
enum status device_info(struct device *, struct device_info *out);

enum status device_alloc(struct device *, const struct buffer_spec *, struct buffer **out);
enum status device_free(struct device *, struct buffer *);
enum status device_upload(struct device *, struct stream *, struct buffer *, uint64_t offset,
			  const void *source, size_t bytes);
enum status device_upload_pointers(struct device *, struct stream *, struct buffer *,
				   uint64_t offset, const struct pointer_entry *, size_t count);
enum status device_download(struct device *, struct stream *, const struct buffer *,
			    uint64_t offset, void *destination, size_t bytes);
/* The host memory belongs to the stream until it was waited for, and to a graph that captured the
 * call for as long as that is launched: it is read or written at each launch. */
enum status device_upload_async(struct device *, struct stream *, struct buffer *, uint64_t offset,
				const void *source, size_t bytes);
enum status device_download_async(struct device *, struct stream *, const struct buffer *,
				  uint64_t offset, void *destination, size_t bytes);
enum status device_copy(struct device *, struct stream *, struct buffer *to, uint64_t to_offset,
			const struct buffer *from, uint64_t from_offset, size_t bytes);
enum status device_fill(struct device *, struct stream *, struct buffer *, uint64_t offset,
			uint32_t pattern, size_t words);
/* USAGE for arguments that are not the kernel's and more threads than the kernel takes; error 1
 * (invalid value) for limits the device has, 720 for a cooperative grid that the device cannot hold
 * at once, 700 and others when the kernel faults, from this call or one that waits for it. A
 * faulted device answers every later operation with the same error, as CUDA does. */
enum status device_launch(struct device *, const struct launch *);
enum status device_sync(struct device *, struct stream *);
/* The observer lives until it is taken away; USAGE on a device that ends work before it returns. */
enum status device_observe(struct device *, const struct device_observer *);
/* Waits for the whole device. On one that checks a program this wait, and all operations from then
 * until it is told false, are no part of the program: they order nothing, and act at once. */
enum status device_step_aside(struct device *, bool aside);
/* Whether it is such a device. */
bool device_can_step_aside(const struct device *);
/* Negative: not measured. */
double device_last_launch_us(struct device *);
/* What the checker found so far, buffers that are still allocated among it: none without a checker.
 * Good until the next operation. */
size_t device_findings(struct device *, const struct row_finding **out);
/* What each launch so far did, in order: none without the option `count`. Good until the next
 * operation. */
size_t device_counters(struct device *, const struct row_counters **out);
/* Both do nothing on a device that is no recorder. */
enum status device_step_begin(struct device *, int64_t step);
enum status device_step_end(struct device *);
/* records and counts: this device's, both or none. */
enum status device_set_points(struct device *, const struct buffer *records,
			      const struct buffer *counts, unsigned capacity);

/* Work on a stream is in order; streams are unordered but for events. Destroying a stream or an
 * event leaves the work asked for alone. */
enum status device_stream_create(struct device *, struct stream **out);
enum status device_stream_destroy(struct device *, struct stream *);
enum status device_event_create(struct device *, struct event **out);
enum status device_event_destroy(struct device *, struct event *);
enum status device_event_record(struct device *, struct event *, struct stream *);
/* An event stands for the work before its last record in that record's stream: a wait is for the
 * record that is the last one at the call, and for nothing when there is none. */
enum status device_event_wait(struct device *, struct stream *, struct event *);
/* Returns when the work before the event's last record has ended. */
enum status device_event_sync(struct device *, struct event *);
/* Error 400 for an event that was never recorded, 600 for one that is not reached. Negative: not
 * measured (the simulator has no clock). */
enum status device_event_elapsed(struct device *, struct event *from, struct event *to, double *us);

/* Until the end, work on the stream becomes nodes of a graph, and so does that of streams that wait
 * for an event recorded in it. What CUDA forbids meanwhile fails with its codes, 401 and 9xx. */
enum status device_capture_begin(struct device *, struct stream *, enum capture_mode);
enum status device_capture_end(struct device *, struct stream *, struct graph **out);
enum status device_capture_state(struct device *, struct stream *, enum capture_state *out);
/* Lets this thread allocate and the like although a capture is under way that forbids it (CUDA's
 * cuThreadExchangeStreamCaptureMode), until it is called with false. */
enum status device_capture_relax(struct device *, bool relaxed);
enum status device_graph_create(struct device *, struct graph **out);
/* A launch as for device_launch(); `after` are earlier nodes of the graph, `node` is its number. */
enum status device_graph_add_launch(struct device *, struct graph *, const struct launch *,
				    const int *after, int after_count, int *node);
enum status device_graph_add_copy(struct device *, struct graph *, struct buffer *to,
				  uint64_t to_offset, const struct buffer *from,
				  uint64_t from_offset, size_t bytes, const int *after,
				  int after_count, int *node);
/* What the graph is now; later nodes and its end make no difference. */
enum status device_graph_instantiate(struct device *, struct graph *, struct graph_exec **out);
/* Behind what the stream has to do and behind earlier launches of the same executable graph. */
enum status device_graph_launch(struct device *, struct graph_exec *, struct stream *);
enum status device_graph_destroy(struct device *, struct graph *);
enum status device_graph_exec_destroy(struct device *, struct graph_exec *);

/* Name of a CUDA driver error code: "CUDA_ERROR_ILLEGAL_ADDRESS" for 700. */
const char *cuda_error_name(int code);

#endif
