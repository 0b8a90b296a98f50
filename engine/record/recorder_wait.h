/* recorder_wait.h - waiting for the device, and operations of the recorder's own.
 *
 * Serves the parts of the recorder.
 */
#ifndef RECORDER_WAIT_H
#define RECORDER_WAIT_H

#include "base/status.h"

struct recorder;

/* Waits for all work, and lets go of the bytes it needed. */
enum status recorder_wait(struct recorder *);
/* The same, and what the recorder does until it steps back, as no part of the program: to a checker
 * nobody has waited. Step back after a failure too. */
enum status recorder_step_aside(struct recorder *);
void recorder_step_back(struct recorder *);
/* The recorder's own operations are allowed whatever is being captured. */
enum status recorder_own_begin(struct recorder *);
void recorder_own_end(struct recorder *);

#endif
