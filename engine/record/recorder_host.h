/* recorder_host.h - records what the host computed from downloaded bytes.
 *
 * Used by recorder.c.
 */
#ifndef RECORDER_HOST_H
#define RECORDER_HOST_H

#include "base/status.h"

struct device;
struct host_softmax;

enum status recorder_host_softmax(struct device *, const struct host_softmax *, double us);

#endif
