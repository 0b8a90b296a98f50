/* attributes.h - attributes of a simulated device and its kernels: operations of device_ops. */
#ifndef SIM_ATTRIBUTES_H
#define SIM_ATTRIBUTES_H

#include "engine/device.h"

enum status sim_attribute(struct device *, int attribute, int *out);
enum status sim_function(struct device *, const struct kernel *, struct function_info *out);

#endif
