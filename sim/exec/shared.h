/* shared.h - placement of static shared variables. Private to sim/. */
#ifndef SIM_SHARED_H
#define SIM_SHARED_H

#include <stdbool.h>

#include "kernels/kernel_table.h"

/* Bytes of static shared memory of a kernel. With `store`, also sets every variable's offset; do
 * not do this while a launch of the same build runs. */
size_t shared_place(const struct sim_code *, bool store);

/* The variable at this offset of a kernel's static shared memory, as shared_place() last stored it;
 * NULL: none. */
const struct kernel_shared *shared_at(const struct sim_code *, size_t offset);

#endif
