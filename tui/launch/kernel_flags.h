/* kernel_flags.h - the flags with which users' kernels are compiled for the simulator. */
#ifndef KERNEL_FLAGS_H
#define KERNEL_FLAGS_H

#include <stdbool.h>

#include "base/status.h"

struct arg_list;

struct kernel_flags {
	bool check;                     /* calls the checker */
	bool steps;                     /* counts steps, also for clock() */
	bool polls;                     /* has volatile accesses, which let other threads run */
	const char *text;               /* the path of the preprocessed text */
};

/* Adds them after those for the language. IO if the text cannot be read. */
enum status kernel_flags_add(struct arg_list *, const struct kernel_flags *);
/* What this processor has; fmaf() is a library call without FMA. */
void kernel_flags_add_processor(struct arg_list *);

/* nvcc's macros, as of the toolkit whose semantics the runtime has: files choose by them which
 * functions are for the device. */
extern const char *const kernel_nvcc_macros[];
/* nvcc's macro of device code: host functions get it too, as with nvcc. 9.0 is the capability of
 * the H200. */
#define KERNEL_ARCHITECTURE "-D__CUDA_ARCH__=900"

/* Finds the folder that has sim/cuda/user.h, which the caller frees. USAGE if it is missing. */
enum status kernel_flags_include(char **out);

/* How an object of kernels is linked: malloc(), new and the like are those of kernels. */
extern const char *const kernel_link_flags[];

#endif
