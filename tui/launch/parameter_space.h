/* parameter_space.h - what a kernel's parameters may have together. */
#ifndef PARAMETER_SPACE_H
#define PARAMETER_SPACE_H

#include "base/status.h"

struct sim_code;

/* As with nvcc from CUDA 12.1 on, for GPUs from Volta on. */
#define PARAMETER_SPACE 32764

/* COMPILE with "FILE: " if the kernel's parameters, each at its alignment, have more bytes. */
enum status parameter_space_check(const struct sim_code *);

#endif
