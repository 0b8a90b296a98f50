/* recorder_launch.h - records launches, and the observer of the device's work.
 *
 * Used by recorder.c.
 */
#ifndef RECORDER_LAUNCH_H
#define RECORDER_LAUNCH_H

#include "engine/device.h"

struct recorder;

enum status recorder_launch(struct device *, const struct launch *);
extern const struct device_observer recorder_observer;  /* its context is the recorder */
void recorder_launch_free(struct recorder *);   /* launches that never ran */

#endif
