/* rewrite_cache.h - keeps rewritten text for the next run, in the folder of compile_cache.h.
 *
 * A text is taken again if the preprocessed one, the rewriting and this program are the same. */
#ifndef REWRITE_CACHE_H
#define REWRITE_CACHE_H

#include "base/status.h"

struct rewriting {
	const char *what;               /* says all that the result depends on but the text */
	const char *text;
	const char *folder;             /* of temporary files, whose name changes with each run */
	enum status (*rewrite)(const void *context, const char *text, char **out);
	const void *context;
};

/* *out is what rewrite() gives; the caller frees it. Errors are those of rewrite(). */
enum status rewrite_cached(const struct rewriting *, char **out);

#endif
