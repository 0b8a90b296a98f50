/* recorder_digest.h - digests of what a launch wrote and of buffers after a step.
 *
 * Used by recorder_results.c, recorder_step.c, and by every operation.
 */
#ifndef RECORDER_DIGEST_H
#define RECORDER_DIGEST_H

#include <stdbool.h>

#include "base/status.h"

struct device;
struct recorder;
struct recording;
struct written;

/* Stores one row for the bytes that the launch wrote to a buffer. keep: also stores the bytes, if
 * they are contiguous. */
enum status recorder_digest_written(const struct recording *, const struct written *, bool keep);
/* Stores digests of the buffers written since the last call, as after_step rows. In an expendable
 * trace, a thread computes those that the host can read in place, and the rows are stored by
 * recorder_digest_settle(), which has to be called before device memory changes. */
enum status recorder_digest_state(struct recorder *);
enum status recorder_digest_settle(struct recorder *);
/* Every operation that is passed to the inner device begins with this. An error is kept
 * (recorder_keep_error()). */
struct recorder *recorder_enter(struct device *);
void recorder_digest_free(struct recorder *);

#endif
