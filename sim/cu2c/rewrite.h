/* rewrite.h - turns preprocessed CUDA C into C for the simulator.
 *
 * gcc cannot give both `__shared__ float s[128];` and `extern __shared__ float s[];` a meaning by
 * macros alone: the first is a variable of a block, the second its dynamic memory. The rewriter
 * replaces both by pointers into the running block's arena, and appends one struct sim_code per
 * kernel. Every token stays on its line. Serves cu2c at build time and whoever compiles a .cu at
 * run time.
 */
#ifndef REWRITE_H
#define REWRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* text: `bytes` bytes of preprocessed C with sim/cuda/cuda_c.h in front, in which only __global__,
 * __shared__ and __launch_bounds__ are left. file: its name where no line marker gives one.
 * variant: a C identifier; the code of kernel K is `const struct sim_code ft_code_K_VARIANT`.
 * *out: a terminated string, the caller frees it. COMPILE with "FILE:LINE: TEXT" for what cannot
 * be rewritten; USAGE for a variant that is no identifier. */
enum status rewrite_kernels(const char *file, const char *text, size_t bytes, const char *variant,
			    char **out);

/* The same for anyone's file, with sim/cuda/user.h in front: host functions are taken out, and the only
 * kernel with a table is the one that `kernel` names; in C++ that may be an expression such as
 * "k<float, 64>". Its code is `const struct sim_code *const ft_user_code`, in C++ beside its address,
 * `void *const ft_user_entry`. USAGE when the file has no such kernel, with those it has. */
enum status rewrite_user(const char *file, const char *text, size_t bytes, bool cplusplus,
			 const char *kernel, char **out);

#endif
