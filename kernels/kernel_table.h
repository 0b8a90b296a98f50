/* kernel_table.h - what the host knows about each kernel, the same for both devices.
 *
 * One struct kernel per __global__ function: its parameters, the bytes it reads and writes, whether
 * its blocks are independent, its limits and its code. cu2c generates parameter lists and simulator
 * code from the source; extents and limits are written by hand in kernels/kernel_*.c. Independent
 * of devices and traces.
 */
#ifndef KERNEL_TABLE_H
#define KERNEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/dim3.h"

enum param_kind {
	PARAM_I32, PARAM_U32, PARAM_I64, PARAM_U64, PARAM_F32, PARAM_F64, PARAM_POINTER, PARAM_BLOB
};

struct kernel_param {
	const char *name;       /* as in the source */
	const char *type;       /* as in the source: "const float *" */
	enum param_kind kind;
	size_t bytes, alignment;
	/* Of a user's kernel: what the compiler takes the value for, or what a pointer points to:
	 * "bf16", as in base/dtype.h. NULL: a struct, void, or not known. */
	const char *element;
};

/* A __device__ or __constant__ variable, in the simulator's build of a user's kernel. */
struct kernel_variable {
	const char *name;
	const char *type;       /* as in the source; NULL: not known */
	const char *element;    /* of one value; NULL: a struct, or not known */
	void *address;
	size_t bytes;
	bool managed;           /* the host uses it in place */
	const void *fatbin;     /* of its kernels, for a GPU; NULL: none was built */
	const char *fatbin_symbol;      /* its name there */
};

/* A static __shared__ variable, as the compiler sees it. `offset` is where a launch
 * puts it in the shared-memory arena of a block. Outside functions its name is also `function`. */
struct kernel_shared {
	const char *function, *name;
	size_t bytes, alignment;
	size_t *offset;
	const char *unit;               /* its build: functions of one name differ between builds */
};

/* A kernel compiled for the simulator. run() calls the kernel once, as one CUDA thread; args[i]
 * points to the value of parameter i. functions names all functions that it can call, and the
 * shared variables outside functions that they use. */
struct sim_code {
	const char *name, *file;
	const struct kernel_param *params;
	int param_count;
	unsigned max_threads;           /* from __launch_bounds__; 0 if there is none */
	const char *const *functions;   /* NULL-terminated; itself first */
	void (*run)(void *const *args);
	const char *unit;               /* its build, see struct kernel_shared */
	/* Lists the shared variables of a build loaded at run time; NULL for builds linked in. */
	size_t (*shared)(const struct sim_code *, struct kernel_shared **first);
	/* Its file has fences, barriers for only some lanes of a warp, or barriers of clusters, so
	 * parts of a warp or block may be ordered. */
	bool orders_some;
	/* It has these, or atomics or volatile accesses: values may order threads in one run. */
	bool orders_seen;
	const char *constants, *constants_end;  /* of the object with the kernel; NULL: none */
	size_t constant_bytes;          /* of them, without gaps; 0: unknown */
	struct dim3 cluster;            /* from __cluster_dims__; x of 0 if there is none */
};

/* The entry of a kernel of a whole program, a local static of the kernel's function
 * (sim/cuda/program.h). `signature` is gcc's: "void k(T *) [with T = float]". Names and types of
 * the parameters are separated by '\n'; the last one stands for all arguments of a pack. */
struct kernel_entry {
	const char *name, *signature, *file, *names, *types;
	const struct kernel_param *params;      /* without names and types */
	unsigned param_count, max_threads;
	void (*run)(void *const *args);
	bool orders_some, orders_seen;
	struct dim3 cluster;
};

/* The linker's names for the ends of the section with an object's __constant__ variables. */
extern const char __start_ft_constant[] __attribute__((weak, visibility("hidden")));
extern const char __stop_ft_constant[] __attribute__((weak, visibility("hidden")));

/* Values of one launch as the host knows them, for extents and limits. */
struct kernel_value {
	int64_t i;      /* integers; for a pointer: bytes from it to the end of its buffer */
	double f;
};
struct kernel_call {
	struct dim3 grid, block;
	unsigned shared_bytes;
	const struct kernel_value *values;      /* one per parameter */
	/* Reads the device memory that pointer parameter `param` points to; false if unknown. */
	bool (*read)(void *context, int param, uint64_t offset, size_t bytes, void *out);
	void *context;
};

/* Called for each byte range [offset, offset + bytes), relative to pointer parameter `param`. */
typedef void kernel_extent_fn(void *context, int param, uint64_t offset, uint64_t bytes);

/* The role of a kernel in a decode step, with which a trace is read as attention. */
enum kernel_role {
	ROLE_NONE,              /* not part of attention */
	ROLE_SCATTER,           /* writes K or V rows into a cache */
	ROLE_CHUNK,             /* writes partials */
	ROLE_REDUCE,            /* merges partials into the output */
	ROLE_ATTENTION          /* writes the output with no partials in between */
};

/* The text of a file that a kernel was built from. */
struct kernel_source {
	const char *file;               /* "kernels/flash_decode_chunk.cu" */
	const char *text;
};

/* The builds of a source for the simulator, which all give the same bits. A processor without AVX2
 * and FMA runs the baseline build, where fmaf is a library call; debuggers get the debug build. */
enum sim_variant { SIM_BASELINE, SIM_AVX2, SIM_DEBUG, SIM_VARIANTS };

/* The builds of a kernel; the simulator's baseline is always there. Sizes are pointers because the
 * embedded arrays are defined elsewhere. */
struct kernel_code {
	const struct sim_code *sim[2][SIM_VARIANTS];    /* [plain, probed]; NULL if not built */
	const struct sim_code *checked;         /* plain and probed in one; NULL if not built */
	const void *fatbin[2];                  /* [plain, probed]; NULL when built without CUDA */
	const unsigned long *fatbin_bytes[2];
	const char *fatbin_symbol;              /* its name there; NULL: the kernel's symbol */
	const struct kernel_source *sources;
};

struct kernel {
	const char *name, *summary;
	const char *symbol;             /* its mangled C++ name in the fatbin; NULL: `name` */
	enum kernel_role role;
	bool independent;               /* blocks share only inputs: several threads may run them */
	bool programmatic;              /* may begin while the launch before ends, on sm_90 */
	unsigned max_threads;           /* per block, by design; 0: only the device's limit */
	/* How many i32 parameters at the end were added when traces with launches without them had
	 * been recorded already: 1 is as if there were none, and is not recorded. */
	int later_params;
	/* The byte ranges that it writes and reads. */
	void (*writes)(const struct kernel_call *, kernel_extent_fn *, void *context);
	void (*reads)(const struct kernel_call *, kernel_extent_fn *, void *context);
	/* Upper bound of the POINTs that one thread passes; NULL if it has none. */
	unsigned (*points)(const struct kernel_call *);
	/* The names of its points by number, NULL-terminated; NULL: those of kernels/points.h. */
	const char *const *point_names;
	/* A lint of its own, for the checker (kernels/kernel_lint.h); NULL: none. */
	const struct kernel_lint *lint;
	const char *origin;             /* "cuda_c" */
	const struct kernel_code *code;
	/* Of a user's kernel: device variables that it may access; ends with a name of NULL. NULL:
	 * none is known. */
	const struct kernel_variable *variables;
};

/* Every kernel of the project, NULL-terminated. */
extern const struct kernel *const kernel_table[];

const struct kernel *kernel_find(const char *name);

/* Makes kernel_find() look at a kernel compiled at run time before all others, until the next call;
 * NULL removes it. The caller keeps ownership. Called by commands before they start threads. */
void kernel_register(const struct kernel *);
const struct kernel *kernel_registered(void);

/* The kernels and device variables of a whole program, by the names that traces have. */
struct kernel_set {
	void *context;
	const struct kernel *(*find)(void *context, const char *name);          /* or NULL */
	const struct kernel_variable *(*variable)(void *context, const char *name);
	/* Whether one of the kernels has this point; `name` has `length` characters. */
	bool (*point)(void *context, const char *name, size_t length);
};
/* The same for all kernels of a program. */
void kernel_register_set(const struct kernel_set *);
/* Whether one of the kernels that are registered has this point. */
bool kernel_registered_point(const char *name, size_t length);
/* A device variable of what is registered; NULL if there is none of that name. */
const struct kernel_variable *kernel_find_variable(const char *name);

/* Taken from the baseline build; parameters are the same in all builds of a source. */
const struct kernel_param *kernel_params(const struct kernel *, int *count);
/* Its __cluster_dims__; (1,1,1) if it has none. */
struct dim3 kernel_cluster(const struct kernel *);
struct dim3 kernel_code_cluster(const struct sim_code *);
int kernel_param_index(const struct kernel *, const char *name);        /* -1 if not found */

/* Its .cu file, then the .cuh files that the .cu file includes; ends with a file of NULL. */
const struct kernel_source *kernel_sources(const struct kernel *);

/* The simulator build, plain or probed; the baseline build if the variant does not exist: kernels
 * compiled at run time have one variant, and debug has no probed build. */
const struct sim_code *kernel_sim_code(const struct kernel *, enum sim_variant, bool probed);

/* The build that calls the checker; NULL if there is none for this processor. */
const struct sim_code *kernel_checked_code(const struct kernel *);

/* The embedded fatbin that holds the kernel; NULL when built without CUDA. */
const void *kernel_fatbin(const struct kernel *, bool probed, size_t *bytes);

#endif
