/* recorder_digest.h - digests of what a launch wrote and of buffers after a step.
 *
 * Used by recorder_results.c and recorder_step.c.
 */
#ifndef RECORDER_DIGEST_H
#define RECORDER_DIGEST_H

#include <stdbool.h>

#include "base/status.h"

struct buffer;
struct recorder;
struct recording;
struct written;

/* Stores one row for the bytes that the launch wrote to a buffer. keep: also stores the bytes, if
 * they are contiguous. */
enum status recorder_digest_written(const struct recording *, const struct written *, bool keep);
/* Stores digests of the buffers written since the last call, as after_step rows. */
enum status recorder_digest_state(struct recorder *);

/* Whether the buffer holds any bytes, as that of a program: no type is known. */
bool recorder_is_plain(const struct buffer *);

#endif
