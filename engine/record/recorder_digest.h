/* recorder_digest.h - digests of what a launch wrote and of buffers after a step.
 *
 * Serves the recorder.
 */
#ifndef RECORDER_DIGEST_H
#define RECORDER_DIGEST_H

#include <stdbool.h>

#include "base/status.h"

struct recorder;
struct recording;
struct written;

/* One row for what the launch wrote. keep: its bytes too, if they are contiguous. */
enum status recorder_digest_written(const struct recording *, const struct written *, bool keep);
/* Digests of the buffers written since the last call; after_step rows. */
enum status recorder_digest_state(struct recorder *);

#endif
