/* prepare.h - launches made ready to run later. Private to sim/. */
#ifndef SIM_PREPARE_H
#define SIM_PREPARE_H

#include "sim/device/simulated.h"

struct task;

/* Attributes and limits are checked, errors are CUDA's. */
enum status prepare_launch(struct device_simulated *, const struct launch *, struct task **out);
/* Forgets the kernels that the device knows. */
void prepare_close(struct device_simulated *);

#endif
