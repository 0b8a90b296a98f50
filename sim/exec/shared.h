/* shared.h - placement of static shared variables. Private to sim/. */
#ifndef SIM_SHARED_H
#define SIM_SHARED_H

#include <stdbool.h>

#include "kernels/kernel_table.h"

/* Bytes of static shared memory of a kernel; `store` also writes every variable's offset, which must not
 * happen while a launch of the same build runs. */
size_t shared_place(const struct sim_code *, bool store);

/* The variable of a kernel that holds a byte of its static shared memory, where shared_place() put
 * it last; NULL: none does. */
const struct kernel_shared *shared_at(const struct sim_code *, size_t offset);

#endif
