/* program.h - for tests of the runtime: a program whose kernels are those of the project.
 *
 * A kernel's host function is the address of a tag. The runtime runs over simulated devices.
 */
#ifndef TESTS_RUNTIME_PROGRAM_H
#define TESTS_RUNTIME_PROGRAM_H

#include "tests/support.h"

#include "engine/device.h"
#include "engine/runtime/runtime.h"
#include "sim/cuda/include/cuda_runtime_api.h"
#include "tests/words.h"

#define CUDA_IS(call, expected) \
	do { \
		cudaError_t cuda_is_ = (call); \
		ck_assert_msg(cuda_is_ == (expected), "%s: %d (%s), not %d", #call, (int)cuda_is_, \
			      cudaGetErrorName(cuda_is_), (int)(expected)); \
	} while (0)
#define CUDA(call) CUDA_IS(call, cudaSuccess)

struct tag {
	const char *kernel;
	const char *start;      /* a stub that calls ft_stub(); NULL: the tag itself */
};

extern struct tag tag_copy, tag_indices, tag_store, tag_trap, tag_bounded, tag_static, tag_table,
	tag_by_value;
extern int shadow_variable;     /* of device_variable */
extern int device_variable[4];

/* Opens `count` simulated devices with the seed and begins the runtime. */
void program_begin(int count, uint64_t seed);
/* The same over one device, which the caller opened; program_end() closes it. */
void program_begin_on(struct device *);
/* Ends it and closes the devices. Returns what runtime_end() did. */
enum status program_end(void);
struct device *program_device(int ordinal);

/* to = from, words, as one launch of kv_scatter. */
cudaError_t copy_words(const void *from, void *to, int words, cudaStream_t);
/* The same by ft_configure() and a stub. */
int stub_words(const void *from, void *to, int words, cudaStream_t);

/* Device memory with `count` times the value; the value there. */
int *equal_ints(int count, int value);
int device_int(const int *memory);

/* What a host function of a stream saw in `memory`; calls of the runtime fail there. */
struct noted {
	const int *memory;
	int seen, calls;
	cudaError_t nested;
};

/* The host function. data: struct noted */
void note_host(void *data);

#endif
