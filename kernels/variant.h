/* variant.h - selects the simulator build of a kernel to run.
 *
 * This is the fastest one, or the one named by the environment variable FLASHTWIN_KERNELS. Used by
 * the simulated device.
 */
#ifndef KERNEL_VARIANT_H
#define KERNEL_VARIANT_H

#include <stdbool.h>

#include "base/status.h"
#include "kernels/kernel_table.h"

/* Selects a variant. If FLASHTWIN_KERNELS is unset or empty, the processor determines it.
 * STATUS_USAGE if the named variant is unknown, not built, or not supported by this processor. */
enum status variant_choose(enum sim_variant *out);

/* The instructions that the selected variant of plain kernels is built for: "AVX2 and FMA". */
const char *variant_text(void);

/* Whether this processor has AVX2 and FMA. */
bool processor_has_avx2(void);

/* Whether kernels built for AVX2 and FMA exist and run here. */
bool variant_has_avx2(void);

#endif
