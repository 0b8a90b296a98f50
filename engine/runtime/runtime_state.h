/* runtime_state.h - the runtime's state, shared by the files of engine/runtime/ only.
 *
 * Functions that return cudaError_t do not set the thread's last error; API() around the call of an
 * exported function does, and takes the lock.
 */
#ifndef RUNTIME_STATE_H
#define RUNTIME_STATE_H

#include <pthread.h>
#include <stdint.h>

#include "engine/device.h"
#include "engine/runtime/runtime.h"
#include "sim/cuda/include/cuda_runtime_api.h"

/* Of enum cudaLimit. The limit of shared memory has a name only in the driver's API. */
#define LIMIT_SHARED 7
#define LIMITS 8

/* --- objects behind the handles of the API --- */

enum place_kind {
	PLACE_DEVICE,           /* cudaMalloc() */
	PLACE_PINNED,           /* cudaHostAlloc() */
	PLACE_MANAGED,
	PLACE_ARRAY,            /* cudaMallocArray() */
	PLACE_TEXTURE,          /* a texture or surface object */
	PLACE_REGISTERED,       /* cudaHostRegister(): no buffer */
	PLACE_VARIABLE          /* a __device__ variable */
};

struct allocation {
	uint64_t address;
	size_t bytes;
	enum place_kind kind;
	struct runtime_device *device;
	struct buffer *buffer;          /* NULL: memory that no device knows */
	struct CUmemPoolHandle_st *pool;
	unsigned flags;                 /* of cudaHostAlloc() and the like */
	const void *variable;           /* its place in the simulator's build; NULL: none */
	void *first;                    /* a variable's first value; NULL: zeros, or none */
	bool lasting;                   /* nodes of graphs use it: kept until the runtime ends */
	bool touched;                   /* the host may have written it: see memory_show() */
};

struct capture;                         /* runtime_graph.h */

struct CUstream_st {
	struct CUstream_st *next;
	struct runtime_device *device;
	struct stream *stream;          /* NULL: the device's default stream */
	unsigned flags;
	int priority;
	unsigned long long id;
	cudaLaunchAttributeValue attributes[3]; /* runtime_attribute.c */
	bool per_thread;
	pthread_t thread;               /* of a per-thread stream */
	struct event *tail;             /* for runtime_order.c, which uses the next four */
	bool busy;                      /* has work that the legacy stream has not waited for */
	uint64_t seen;                  /* the legacy stream's work it waited for */
	struct capture *capture;        /* NULL: none */
	struct CUgraphNode_st **ends;   /* while capturing: nodes before the next one */
	size_t end_count;
};

struct CUevent_st {
	struct CUevent_st *next;
	struct runtime_device *device;
	struct event *event;
	unsigned flags;
	bool recorded;
	int64_t ns;                     /* of the host's clock, when it was recorded */
	uint64_t capture;               /* number of the capture it was last recorded in; 0: none */
	struct CUgraphNode_st **ends;   /* the nodes before it there */
	size_t end_count;
};

struct CUmemPoolHandle_st {
	struct CUmemPoolHandle_st *next;
	struct runtime_device *device;
	uint64_t threshold, used, high;
	bool peers[RUNTIME_MAX_DEVICES];        /* that may access its memory, by ordinal */
	int reuse[3];
};

/* What is set for a kernel on a device. */
struct function {
	struct function *next;
	const struct kernel *kernel;
	struct function_info info;
	bool limited;                   /* dynamic_shared was set */
	bool wide_clusters;             /* of more than 8 blocks are allowed */
	int dynamic_shared, carveout;
};

struct runtime_device {
	struct device *device;
	int ordinal;
	struct device_info info;
	bool reads_host;                /* kernels may read any memory of the host */
	bool watched;                   /* a recorder or checker follows the program's memory */
	int sticky;                     /* CUDA error code that every call returns from now on */
	struct CUstream_st legacy, *streams;
	struct event *legacy_tail;
	uint64_t legacy_work;           /* pieces of work given to the legacy stream */
	bool legacy_busy;               /* some of it is not before legacy_tail */
	struct CUevent_st *events;
	struct CUmemPoolHandle_st *default_pool, *pool, *pools;
	struct function *functions;
	struct graph_block *graph_blocks;       /* runtime_graph_memory.c */
	size_t graph_bytes, graph_high;         /* of them; the most */
	struct buffer **freed;          /* by cudaFreeAsync(), until the device is waited for */
	size_t freed_count, freed_bytes;
	size_t used;                    /* bytes of its memory */
	size_t limits[LIMITS];
	unsigned flags;
	enum cudaFuncCache cache;
	bool peers[RUNTIME_MAX_DEVICES];
};

struct runtime {
	struct runtime_device devices[RUNTIME_MAX_DEVICES];
	int device_count;
	const struct runtime_program *program;
	const char *repeats_on;         /* runtime_repeats_on(); NULL: nowhere */
	struct allocation *allocations; /* by address */
	size_t allocation_count;
	unsigned long long ids;         /* streams made so far */
	unsigned names[PLACE_TEXTURE + 1];      /* buffers named so far, by kind */
	void **kept;                    /* freed in the end */
	size_t kept_count;
	enum status failed;             /* the first error that is not an error of the program */
	struct error_record failure;
	bool refused;                   /* runtime_refused() */
	struct error_record refusal;
};
extern struct runtime runtime;

/* --- calls (runtime.c) --- */

bool runtime_enter(void);
cudaError_t runtime_refusal(void);
cudaError_t runtime_leave(cudaError_t);
#define API(call) runtime_leave(runtime_enter() ? (call) : runtime_refusal())
/* Around a host function, which runs without the lock and must not call the API. */
void runtime_host_begin(void);
void runtime_host_end(void);

/* The thread's current device. */
struct runtime_device *runtime_current(void);
void runtime_select(int ordinal);
/* The same if it still works; else its sticky error. */
cudaError_t runtime_live(struct runtime_device **out);
/* Sets the limits that a device has at first and after a reset. */
void runtime_default_limits(struct runtime_device *);
/* The error for the program that a device's status is. */
cudaError_t runtime_error(struct runtime_device *, enum status);
/* The same for a launch: a fault of the kernel itself is only returned by later calls. */
cudaError_t runtime_launch_error(struct runtime_device *, enum status);
cudaError_t runtime_last_error(bool clear);
/* A launch by <<<>>> was refused (runtime_refused.c). has_text: error_text() says why. */
void refused_note(const char *kernel, struct dim3 grid, struct dim3 block, cudaError_t,
		  bool has_text);
/* The thread's last error was read. */
void refused_asked(void);
/* Frees what refused_note() kept. Whether the program never asked for one of them: the first. */
bool refused_end(struct error_record *);
/* Frees the memory when the runtime ends, because work may still read it. Returns it. */
void *runtime_keep(void *);

#define TRY_CUDA(call) \
	do { \
		cudaError_t try_error_ = (call); \
		if (try_error_ != cudaSuccess) \
			return try_error_; \
	} while (0)
#define TRY_DEVICE(device, call) TRY_CUDA(runtime_error(device, call))

/* --- addresses and memory (runtime_address.c, runtime_memory.c, runtime_symbol.c) --- */

/* The allocation that holds the address; NULL if none does. */
struct allocation *address_find(const void *);
void address_add(struct allocation);
void address_remove(struct allocation *);

cudaError_t memory_new(struct runtime_device *, enum place_kind, size_t bytes, unsigned flags,
		       void **out);
cudaError_t memory_free(struct allocation *);
/* Device memory for nodes of graphs, also during a capture. */
cudaError_t memory_new_lasting(struct runtime_device *, size_t bytes, void **out);
/* Frees the memory that graphs used. */
void memory_end(struct runtime_device *);
/* Frees what cudaFreeAsync() left, after all work of the device has ended. */
void memory_waited(struct runtime_device *);
/* Lets a recorder or checker see what the host wrote into memory that a kernel will read. */
cudaError_t memory_show(struct runtime_device *, struct stream *, struct allocation *);
/* device_upload(), for bytes among which may be pointers (runtime_pointers.c). */
enum status pointers_upload(struct runtime_device *, struct stream *, struct buffer *,
			    uint64_t offset, const void *from, size_t bytes);
/* The host may write memory from now on: a call that waited for the device has returned. */
void memory_host_turn(void);
void pools_free(struct runtime_device *);
/* The variable's memory, which is known as an allocation from now on. */
cudaError_t runtime_symbol(const void *shadow, struct allocation **out);
/* Gives the device's variables the values that they had in the beginning. */
cudaError_t runtime_reset_variables(struct runtime_device *);

/* --- streams, events and their order (runtime_stream.c, runtime_order.c) --- */

cudaError_t runtime_stream(cudaStream_t, struct CUstream_st **out);
cudaError_t runtime_event(cudaEvent_t, struct CUevent_st **out);
void runtime_streams_close(struct runtime_device *);

/* Before work on a stream: the legacy stream and blocking streams wait for each other. `waited`:
 * the call returns after the work. */
cudaError_t order_before(struct CUstream_st *, bool waited);
/* Waits for the work of a stream. */
cudaError_t order_sync(struct CUstream_st *);

/* --- kernels (runtime_function.c) --- */

cudaError_t function_of(const void *func, const struct kernel **out);
cudaError_t function_record(struct runtime_device *, const struct kernel *, struct function **out);

#endif
