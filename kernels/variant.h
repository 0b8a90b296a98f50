/* variant.h - which of a kernel's builds for the simulator runs: the fastest, or the one that the
 * environment variable FLASHTWIN_KERNELS names. Used by the simulated device.
 */
#ifndef KERNEL_VARIANT_H
#define KERNEL_VARIANT_H

#include <stdbool.h>

#include "base/status.h"
#include "kernels/kernel_table.h"

/* STATUS_USAGE: FLASHTWIN_KERNELS names a variant that is unknown, not built, or not for this
 * processor. Unset or empty, it leaves the choice to the processor. */
enum status variant_choose(enum sim_variant *out);

/* Whether kernels built for AVX2 and FMA exist and run here. */
bool variant_has_avx2(void);

#endif
