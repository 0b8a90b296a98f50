/* nan.h - the NaN that a GPU's arithmetic makes. */
#ifndef NAN_H
#define NAN_H

#include <stddef.h>

#include "base/dtype.h"

/* Replaces every quiet NaN among `count` values by the GPU's; types without a NaN stay as they are.
 * Signalling NaNs, such as DEVICE_POISON, were copied and not computed, and stay too. */
void nan_as_gpu(enum dtype, void *values, size_t count);

#endif
