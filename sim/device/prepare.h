/* prepare.h - prepares launches to run later. Private to sim/. */
#ifndef SIM_PREPARE_H
#define SIM_PREPARE_H

#include "sim/device/simulated.h"

struct task;

/* Checks attributes and limits; errors are those of CUDA. */
enum status prepare_launch(struct device_simulated *, const struct launch *, struct task **out);
/* Frees the data about the device's kernels. */
void prepare_close(struct device_simulated *);

#endif
