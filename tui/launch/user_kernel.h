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
/* Loads what was compiled, which runs initialisers of the user's code. The user_kernel owns the
 * kernel. */
enum status user_kernel_load(struct user_kernel *, const struct kernel **out);
/* The temporary files stay until sandbox_close(). */
void user_kernel_free(struct user_kernel *);

#endif
