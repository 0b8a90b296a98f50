/* kernel_table.h - what the host knows about each kernel, the same for both devices.
 *
 * One struct kernel per __global__ function: its parameters, which bytes it reads and writes, whether
 * its blocks are independent, its limits and its code. Parameter lists and simulator code come from the
 * source itself (sim/cu2c/cu2c writes them); extents and limits are written by hand in kernels/kernel_*.c,
 * beside nothing else. Knows no device and no trace.
 */
#ifndef KERNEL_TABLE_H
#define KERNEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dim3 {
	unsigned x, y, z;
#ifdef __cplusplus                      /* as CUDA's, for users' files */
	dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) { }
	/* To uint3, which is what CUDA's threadIdx is. */
	template <class T, class = decltype(T{ 0u, 0u, 0u }.z)> operator T() const
	{
		static_assert(sizeof(T) == 3 * sizeof x, "a dim3 becomes a uint3 only");
		return T{ x, y, z };
	}
#endif
};

enum param_kind {
	PARAM_I32, PARAM_U32, PARAM_I64, PARAM_U64, PARAM_F32, PARAM_F64, PARAM_POINTER, PARAM_BLOB
};

struct kernel_param {
	const char *name;       /* as in the source */
	const char *type;       /* as in the source: "const float *" */
	enum param_kind kind;
	size_t bytes, alignment;
};

/* A static __shared__ variable, as the compiler sees it. `offset` is where a launch
 * puts it in the shared-memory arena of a block. */
struct kernel_shared {
	const char *function, *name;
	size_t bytes, alignment;
	size_t *offset;
	const char *unit;               /* the build it belongs to: functions are static in each */
};

/* A kernel compiled for the simulator. run() calls the kernel once, as one CUDA thread; args[i] points
 * to the value of parameter i. functions names every function it can reach (for its shared variables). */
struct sim_code {
	const char *name, *file;
	const struct kernel_param *params;
	int param_count;
	unsigned max_threads;           /* __launch_bounds__, 0 if none */
	const char *const *functions;   /* NULL-terminated; itself first */
	void (*run)(void *const *args);
	const char *unit;               /* the build it belongs to, see struct kernel_shared */
	/* Lists the shared variables of a build that was loaded at run time. NULL: those linked in. */
	size_t (*shared)(struct kernel_shared **first);
	/* Its file has fences, or barriers of some lanes of a warp: threads may be ordered otherwise
	 * than as whole warps and blocks. */
	bool orders_some;
};

/* Values of one launch as the host knows them, for extents and limits. */
struct kernel_value {
	int64_t i;              /* integers; for a pointer: bytes behind it in its buffer */
	double f;
};
struct kernel_call {
	struct dim3 grid, block;
	unsigned shared_bytes;
	const struct kernel_value *values;      /* one per parameter */
	/* Reads device memory behind pointer parameter `param`; false when it cannot be known. */
	bool (*read)(void *context, int param, uint64_t offset, size_t bytes, void *out);
	void *context;
};

/* Called for each byte range [offset, offset + bytes) behind pointer parameter `param`. */
typedef void kernel_extent_fn(void *context, int param, uint64_t offset, uint64_t bytes);

/* What a kernel is in a decode step, so that a trace can be read as attention. NONE for any other. */
enum kernel_role {
	ROLE_NONE,
	ROLE_SCATTER,           /* writes K or V rows into a cache */
	ROLE_CHUNK,             /* writes partials */
	ROLE_REDUCE,            /* merges them into the output */
	ROLE_ATTENTION          /* writes the output with no partials in between */
};

/* The text of a file that a kernel was built from. */
struct kernel_source {
	const char *file;               /* "kernels/flash_decode_chunk.cu" */
	const char *text;
};

/* What the build made of a source. A processor without AVX2 + FMA runs the baseline build, where fmaf is a
 * library call. Sizes are behind pointers because the embedded arrays are defined elsewhere. */
struct kernel_code {
	const struct sim_code *sim[2][2];       /* [plain, probed][baseline, AVX2 + FMA]; AVX2 may be NULL */
	const struct sim_code *checked;         /* plain and probed in one; NULL: none was built */
	const void *fatbin[2];                  /* [plain, probed]; NULL when built without CUDA */
	const unsigned long *fatbin_bytes[2];
	const struct kernel_source *sources;
};

struct kernel {
	const char *name, *summary;
	const char *symbol;             /* its name in the fatbin, as C++ mangles it; NULL: `name` */
	enum kernel_role role;
	bool independent;               /* blocks share nothing but inputs: they may run on several OS threads */
	unsigned max_threads;           /* per block, by its own design; 0: what the device takes */
	/* What it writes and reads. */
	void (*writes)(const struct kernel_call *, kernel_extent_fn *, void *context);
	void (*reads)(const struct kernel_call *, kernel_extent_fn *, void *context);
	/* Upper bound of POINTs one thread passes; NULL: it has none. */
	unsigned (*points)(const struct kernel_call *);
	/* Their names by number, NULL-terminated; NULL: those of kernels/points.h. */
	const char *const *point_names;
	/* A lint of its own, for the checker (kernels/kernel_lint.h); NULL: none. */
	const struct kernel_lint *lint;
	const char *origin;             /* "cuda_c" */
	const struct kernel_code *code;
};

/* Every kernel of the project, NULL-terminated. */
extern const struct kernel *const kernel_table[];

const struct kernel *kernel_find(const char *name);

/* Lets kernel_find() find a kernel that was compiled at run time, before all others, until the next
 * call; NULL: none. The kernel stays the caller's. For commands, before they start threads. */
void kernel_register(const struct kernel *);
const struct kernel *kernel_registered(void);

/* Parameter lists are the same for every build of a source; this is the plain simulator build's. */
const struct kernel_param *kernel_params(const struct kernel *, int *count);
int kernel_param_index(const struct kernel *, const char *name);        /* -1 when there is none */

/* Its .cu, then the .cuh files that includes; ends with a file of NULL. */
const struct kernel_source *kernel_sources(const struct kernel *);

/* The simulator builds of every kernel, for a baseline processor or AVX2 + FMA, plain or probed. */
const struct sim_code *kernel_sim_code(const struct kernel *, bool probed);

/* The build that calls the checker; NULL when there is none, or none for this processor. */
const struct sim_code *kernel_checked_code(const struct kernel *);

/* The embedded fatbin that holds the kernel; NULL when built without CUDA. */
const void *kernel_fatbin(const struct kernel *, bool probed, size_t *bytes);

#endif
