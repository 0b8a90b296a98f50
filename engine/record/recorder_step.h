/* recorder_step.h - steps, and windows: the parts of a run that are stored.
 *
 * Used by the recorder.
 */
#ifndef RECORDER_STEP_H
#define RECORDER_STEP_H

#include <stdint.h>

#include "base/status.h"

struct device;
struct recorder;

enum status recorder_step_begin(struct device *, int64_t step);
enum status recorder_step_end(struct device *);
/* Ends the row of the current step, if any, and stores digests of the buffers written. */
enum status recorder_step_close(struct recorder *);
/* Opens or closes a window before step `number`, or before `count` launches from `number` on, which
 * are kept together. */
enum status recorder_window(struct recorder *, char unit, int64_t number, int64_t count);

#endif
