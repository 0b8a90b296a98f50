/* device_cuda.h - declarations shared by the files of the CUDA device; no other file includes it.
 *
 *   device_cuda.c   opening, errors, owned objects, and the table of operations
 *   cuda_memory.c   buffers; uploads, downloads, copies, fills
 *   cuda_launch.c   modules, kernels, arguments, launches
 *   cuda_points.c   where probed kernels write
 *   cuda_stream.c   streams, events
 *   cuda_graph.c    capture, graphs
 *
 * Every operation begins with cuda_enter() and passes the driver's results through cuda_check().
 */
#ifndef DEVICE_CUDA_H
#define DEVICE_CUDA_H

#include <limits.h>

#include "engine/cuda/cuda_driver.h"
#include "engine/device.h"
#include "kernels/points.h"

/* First member of every object that a device creates, so that device_close() can free the rest. */
struct owned {
	struct owned *next, *previous;
	/* Releases the driver's object and whatever the struct points to, but not the struct. */
	CUresult (*release)(const struct cuda_driver *, struct owned *);
};

struct stream {
	struct owned owned;
	struct cuda_device *device;
	CUstream handle;
};

/* A loaded fatbin. Kernels of one source share it, and with it their __device__ variables. */
struct cuda_module {
	struct cuda_module *next;
	const void *image;
	CUmodule handle;
	CUdeviceptr points;             /* of flashtwin_points; 0 in a plain build */
	struct point_sink sink;         /* the value last written there, if it is known */
	bool sink_known;
};

#define DEFAULT_SHARED INT_MIN          /* dynamic shared memory is limited as CUDA does */

struct cuda_build {                     /* of a kernel, plain or probed; module NULL: not loaded */
	struct cuda_module *module;
	CUfunction function;
	int dynamic_shared;             /* limit set for this function, or DEFAULT_SHARED */
	bool nonportable;               /* the attribute set for this function */
};

struct cuda_kernel {
	struct cuda_kernel *next;
	const struct kernel *kernel;
	int dynamic_shared;             /* limit of the last attribute, for both builds */
	bool nonportable;               /* the last attribute, for both builds */
	struct cuda_build builds[2];    /* [probed] */
};

struct cuda_device {
	struct device base;
	const struct cuda_driver *cu;
	CUdevice handle;
	CUcontext context;              /* the primary one, current during each operation */
	bool poison;
	uint32_t buffers;               /* number allocated so far: the last id */
	struct owned *objects;          /* all but default_stream, newest first */
	struct stream default_stream;
	struct cuda_module *modules;
	struct cuda_kernel *kernels;
	struct point_sink sink;         /* records NULL: points are off */
	struct kept_sink *kept_sinks;   /* for launches in graphs */
	CUevent launch_begin, launch_end;
	bool launch_timed;              /* both events were recorded at the last launch */
	bool untimed;                   /* no launch is timed */
	bool programmatic;              /* launches can be: sm_90 */
	const char *last_kernel;        /* the likeliest cause of a fault; NULL: none yet */
	int fault;                      /* the error code that broke the context, else 0 */
	char fault_text[512];
};

/* --- device_cuda.c --- */

static inline struct cuda_device *cuda_device(struct device *device)
{
	return (struct cuda_device *)device;
}

/* Makes the context current. Returns the old error if the device has faulted. */
enum status cuda_enter(struct cuda_device *);
/* OK, or DEVICE with the text "WHAT: NAME (code): description". Keeps an error that breaks the
 * context in d->fault. */
enum status cuda_check(struct cuda_device *, CUresult, const char *what, ...)
	__attribute__((format(printf, 3, 4)));
/* NULL is the default stream. USAGE if the stream belongs to another device. */
enum status cuda_stream(struct cuda_device *, struct stream *, CUstream *out);

void cuda_own(struct cuda_device *, struct owned *,
	      CUresult (*release)(const struct cuda_driver *, struct owned *));
/* Releases and frees `what` ("a stream"). Keeps it if the driver fails, as during a capture. */
enum status cuda_destroy(struct cuda_device *, struct owned *, const char *what);

/* --- cuda_launch.c --- */

/* Loads the kernels of the project that are not loaded yet: a capture forbids loading. */
enum status cuda_load_all(struct cuda_device *);
void cuda_unload_all(struct cuda_device *);
/* USAGE if the variable is in no code for GPUs. */
enum status cuda_find_variable(struct cuda_device *, const struct kernel_variable *,
			       CUdeviceptr *address, size_t *bytes);
enum status cuda_launch(struct device *, const struct launch *);
enum status cuda_function(struct device *, const struct kernel *, struct function_info *out);
double cuda_last_launch_us(struct device *);

/* A launch prepared for the driver: for cuLaunchKernelEx() or a graph node. */
struct cuda_call {
	struct cuda_build *build;
	CUlaunchConfig config;          /* without a stream */
	CUlaunchAttribute attributes[3];
	void *params[MAX_ARGS];         /* point into the launch's arguments and the two below */
	uint64_t addresses[MAX_ARGS];
	unsigned char *blobs;           /* copies of by-value blobs with their pointers filled in */
};
/* The launch's arguments must outlive the call. Free the call also after an error. */
enum status cuda_call_prepare(struct cuda_device *, const struct launch *, struct cuda_call *);
void cuda_call_free(struct cuda_call *);

/* --- the operations of device_ops of the same names: cuda_memory.c --- */

enum status cuda_alloc(struct device *, const struct buffer_spec *, struct buffer **out);
enum status cuda_alloc_managed(struct device *, const struct buffer_spec *, struct buffer **out);
enum status cuda_alloc_variable(struct device *, const struct buffer_spec *,
				const struct kernel_variable *, struct buffer **out);
enum status cuda_free(struct device *, struct buffer *);
enum status cuda_upload(struct device *, struct stream *, struct buffer *, uint64_t offset,
			const void *source, size_t bytes);
enum status cuda_upload_pointers(struct device *, struct stream *, struct buffer *, uint64_t offset,
				 const struct pointer_entry *, size_t count);
enum status cuda_download(struct device *, struct stream *, const struct buffer *, uint64_t offset,
			  void *destination, size_t bytes);
enum status cuda_upload_async(struct device *, struct stream *, struct buffer *, uint64_t offset,
			      const void *source, size_t bytes);
enum status cuda_download_async(struct device *, struct stream *, const struct buffer *,
				uint64_t offset, void *destination, size_t bytes);
enum status cuda_copy(struct device *, struct stream *, struct buffer *to, uint64_t to_offset,
		      const struct buffer *from, uint64_t from_offset, size_t bytes);
enum status cuda_fill(struct device *, struct stream *, struct buffer *, uint64_t offset,
		      uint32_t pattern, size_t words);

/* --- cuda_points.c --- */

enum status cuda_set_points(struct device *, const struct buffer *records,
			    const struct buffer *counts, unsigned capacity);
/* Sets the module's point buffers, on a stream that is captured or not, before a launch there. */
enum status cuda_send_points(struct cuda_device *, struct cuda_module *, CUstream, bool captured);
/* The same as a node of a graph, after an earlier node unless that is NULL. */
enum status cuda_add_points(struct cuda_device *, CUgraph, struct cuda_module *,
			    const CUgraphNode *after, CUgraphNode *node);
void cuda_forget_points(struct cuda_device *);  /* call at launches of graphs, which change them */
void cuda_free_points(struct cuda_device *);    /* call when no graph can run any more */

/* --- cuda_stream.c --- */

enum status cuda_sync(struct device *, struct stream *);
enum status cuda_stream_create(struct device *, struct stream **out);
enum status cuda_stream_destroy(struct device *, struct stream *);
enum status cuda_event_create(struct device *, struct event **out);
enum status cuda_event_destroy(struct device *, struct event *);
enum status cuda_event_record(struct device *, struct event *, struct stream *);
enum status cuda_event_wait(struct device *, struct stream *, struct event *);
enum status cuda_event_sync(struct device *, struct event *);
enum status cuda_event_elapsed(struct device *, struct event *from, struct event *to, double *us);

/* --- cuda_graph.c --- */

enum status cuda_capture_begin(struct device *, struct stream *, enum capture_mode);
enum status cuda_capture_end(struct device *, struct stream *, struct graph **out);
enum status cuda_capture_state(struct device *, struct stream *, enum capture_state *out);
enum status cuda_capture_relax(struct device *, bool relaxed);
enum status cuda_graph_create(struct device *, struct graph **out);
enum status cuda_graph_add_launch(struct device *, struct graph *, const struct launch *,
				  const int *after, int after_count, int *node);
enum status cuda_graph_add_copy(struct device *, struct graph *, struct buffer *to,
				uint64_t to_offset, const struct buffer *from, uint64_t from_offset,
				size_t bytes, const int *after, int after_count, int *node);
enum status cuda_graph_instantiate(struct device *, struct graph *, struct graph_exec **out);
enum status cuda_graph_launch(struct device *, struct graph_exec *, struct stream *);
enum status cuda_graph_destroy(struct device *, struct graph *);
enum status cuda_graph_exec_destroy(struct device *, struct graph_exec *);

#endif
