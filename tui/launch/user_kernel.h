/* user_kernel.h - compiles and loads a kernel of a user's .cu file at run time.
 *
 * The system's C++ compiler makes the simulator's code, nvcc that of a GPU: see
 * tui/launch/programs.h. Both write their messages to standard error, with the lines of the user's
 * file.
 */
#ifndef USER_KERNEL_H
#define USER_KERNEL_H

#include <stdbool.h>

#include "base/status.h"
#include "kernels/kernel_table.h"

struct sandbox;
struct kernel_list_visitor;
struct user_kernel;

struct user_source {
	const char *file;               /* as the user named it */
	const char *folder, *shown;     /* a prefix of file names, and its replacement; or NULL */
	const char *kernel;             /* "k", or in C++ "k<float, 64>" */
	const char *const *flags;       /* -D and -I for all compilers, NULL-terminated */
	struct sandbox *sandbox;        /* where compilers run; its scratch folder has the files */
	bool cuda;                      /* for a GPU too */
	bool check;                     /* the simulator's code calls the checker */
	bool steps;                     /* the simulator's code counts steps */
	bool points;                    /* also makes a probed build, if the file has POINTs */
};

/* USAGE if a header in the working folder would hide one of flashtwin's from a checked build. */
enum status user_kernel_check_folder(void);
/* Compiles. COMPILE if a compiler rejects the file; USAGE if there is no compiler, or no such
 * kernel; IO for the file; LIMIT or INTERRUPTED. Call user_kernel_free() on *out after a failure
 * too. */
enum status user_kernel_build(const struct user_source *, struct user_kernel **out);
/* Preprocesses only, and lists the file's kernels and device variables. */
enum status user_kernel_list(const struct user_source *, const struct kernel_list_visitor *);
/* "FILE:LINE" of volatile accesses that may rely on the threads of a warp running in lockstep; NULL
 * if there are none. */
const char *user_kernel_lockstep(const struct user_kernel *);
/* Loads what was compiled, which runs initialisers of the user's code. The user_kernel owns the
 * kernel. */
enum status user_kernel_load(struct user_kernel *, const struct kernel **out);
/* For struct kernel: how many points a thread of a user's kernel can record. */
unsigned user_kernel_count_points(const struct kernel_call *);
/* The temporary files stay until sandbox_close(). */
void user_kernel_free(struct user_kernel *);

#endif
