/* rewrite.h - turns preprocessed CUDA C into C for the simulator.
 *
 * Macros alone cannot implement both `__shared__ float s[128];`, a variable of the block, and
 * `extern __shared__ float s[];`, its dynamic memory. The rewriter replaces both by pointers into
 * the running block's arena, and appends one struct sim_code per kernel. Every token stays on its
 * line. Used by cu2c at build time and by `launch` for .cu files.
 */
#ifndef REWRITE_H
#define REWRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* text: `bytes` bytes of preprocessed C with sim/cuda/cuda_c.h in front, in which only __global__,
 * __shared__ and __launch_bounds__ are left. file: its name until a line marker gives another.
 * variant: a C identifier; the code of kernel K is `const struct sim_code ft_code_K_VARIANT`. *out:
 * a NUL-terminated string that the caller frees. COMPILE with "FILE:LINE: TEXT" for source that
 * cannot be rewritten; USAGE for a variant that is not an identifier. */
enum status rewrite_kernels(const char *file, const char *text, size_t bytes, const char *variant,
			    char **out);

/* In the text of a kernel that has the form for whole blocks, and nowhere else. */
#define REWRITE_WHOLE_MARK "ft_whole_begin()) {"

struct rewrite_user {
	const char *kernel;
	bool cplusplus;
	bool whole;                     /* in C++: kernels may run whole blocks; rewrite_lanes.c */
};

/* The same for a user's file, with sim/cuda/user.h in front. Host functions are removed, and only
 * the kernel that `kernel` names gets a table; in C++ that may be an expression such as "k<float,
 * 64>". Its code is `const struct sim_code *const ft_user_code`; in C++ its address is also
 * written, as `void *const ft_user_entry`. USAGE, with a list of kernels, if the file has no such
 * kernel. */
enum status rewrite_user(const char *file, const char *text, size_t bytes, struct rewrite_user,
			 char **out);

enum rewrite_pass {
	REWRITE_DEVICE,
	REWRITE_LAUNCHED,               /* device code of other files launches its kernels */
	REWRITE_HOST
};

/* The same for one pass of a whole program's file, with sim/cuda/program.h in front: host functions
 * stay, and every kernel gets a stub or an entry. See sim/cu2c/unit_program.c. */
enum status rewrite_program(const char *file, const char *text, size_t bytes, enum rewrite_pass,
			    char **out);

#endif
