/* nvcc.h - compiles a user's .cu file with nvcc, for the GPU of this machine. */
#ifndef NVCC_H
#define NVCC_H

#include <stdbool.h>

#include "base/status.h"

struct compiler;
struct sandbox;

struct nvcc_step {
	const struct compiler *nvcc;
	const char *file;               /* the user's: for messages, and for headers beside it */
	const char *in, *out;           /* CUDA C++; a fatbin that has its PTX as plain text too */
	const char *standard;           /* "c++17", "gnu++20"; NULL: C++17 */
	/* Flags for the file, as for the host's compiler; NULL-terminated lists, or NULL. */
	const char *const *flags, *const *more;
	char *const *points;            /* names of points to record; NULL: none */
	int capability;                 /* 90 for 9.0; 0: that of the GPU of this machine */
	struct sandbox *sandbox;
};

/* Errors as program_run(). Without a GPU, the code is for compute capability 9.0. With points,
 * "OUT.h" is written too. */
enum status nvcc_run(const struct nvcc_step *);

#endif
