/* recorder_wait.h - waiting for the device, and operations of the recorder's own.
 *
 * Used by the files of the recorder.
 */
#ifndef RECORDER_WAIT_H
#define RECORDER_WAIT_H

#include "base/status.h"

struct recorder;

/* Waits for all work and frees the bytes staged for it. */
enum status recorder_wait(struct recorder *);
/* Waits for all work. For a checker, this wait and the recorder's operations until
 * recorder_step_back() are not part of the program. Step back after a failure too. */
enum status recorder_step_aside(struct recorder *);
void recorder_step_back(struct recorder *);
/* Between these two calls, captures do not forbid the recorder's own operations. */
enum status recorder_own_begin(struct recorder *);
void recorder_own_end(struct recorder *);

#endif
