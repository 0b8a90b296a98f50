/* compile_cache.h - keeps what compilers made of users' kernels, for the next run.
 *
 * A compiler that reads known files and writes one is not run again for the same bytes, arguments,
 * working folder and compiler: its output is copied from $XDG_CACHE_HOME/flashtwin/objects. Kept
 * files are at most COMPILE_CACHE_BYTES, those used last. FLASHTWIN_CACHE=no switches it off. A
 * folder that cannot be written, or a file in it that is damaged, only costs time.
 */
#ifndef COMPILE_CACHE_H
#define COMPILE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define COMPILE_CACHE_BYTES ((int64_t)256 << 20)

struct arg_list;
struct sandbox;

/* One step of a build. */
struct compile_step {
	const struct arg_list *args;    /* with `in` and `out` among them */
	const char *file;               /* the user's, for messages */
	/* All that the compiler reads and writes but its own files: `in` is preprocessed text or an
	 * object. Other arguments may name constant files in the folder of `out`, whose name is not
	 * part of what identifies the step. */
	const char *in, *out;
	struct sandbox *sandbox;
	bool quiet;                     /* if it fails, what the compiler says is not printed */
	const char *const *more;        /* more that it reads, up to NULL; NULL: nothing */
};

/* Makes `out`; errors as program_run(). A step that prints warnings is run each time. */
enum status compile_cached(const struct compile_step *);

#endif
