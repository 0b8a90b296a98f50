/* user_kernel.h - a kernel of anyone's .cu file, compiled and loaded at run time.
 *
 * The simulator's code is made by the system's C++ compiler, a GPU's by nvcc: see tui/launch/programs.h.
 * Both write their messages to standard error, with the lines of the user's file.
 */
#ifndef USER_KERNEL_H
#define USER_KERNEL_H

#include <stdbool.h>

#include "base/status.h"
#include "kernels/kernel_table.h"

struct user_kernel;

struct user_source {
	const char *file;               /* as the user named it */
	const char *folder, *shown;     /* how names in that folder begin, and are shown; or NULL */
	const char *kernel;             /* "k", or in C++ "k<float, 64>" */
	const char *const *flags;       /* -D and -I for all compilers, NULL-terminated */
	bool cuda;                      /* for a GPU too */
	bool check;                     /* the simulator's code calls the checker */
	bool steps;                     /* and counts steps */
	bool points;                    /* with a probed build, if the file has POINTs */
};

/* Compiles. COMPILE when a compiler finds fault with the file; USAGE when there is no compiler,
 * or no such kernel; IO for the file. *out is to be freed by user_kernel_free() after failure
 * too. */
enum status user_kernel_build(const struct user_source *, struct user_kernel **out);
/* Loads what was compiled: runs initialisers of the user's code. The kernel belongs to the
 * user_kernel. */
enum status user_kernel_load(struct user_kernel *, const struct kernel **out);
/* Removes the temporary files too. */
void user_kernel_free(struct user_kernel *);

#endif
