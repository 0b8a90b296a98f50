/* preprocess_cache.h - keeps preprocessed text for the next run, in the folder of compile_cache.h.
 *
 * Text is taken again if its command, working folder and source are the same, every file that it
 * was made from is, and no other file could take the place of one. It is not kept if one of them
 * changed while the compiler read. A source that tests for files or asks for the date or time is
 * preprocessed each time.
 */
#ifndef PREPROCESS_CACHE_H
#define PREPROCESS_CACHE_H

#include "base/status.h"

struct compile_step;

/* Makes `out` from the source `in`; errors as program_run(). */
enum status preprocess_cached(const struct compile_step *);

#endif
