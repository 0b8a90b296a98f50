/* framework.h - headers of PyTorch and pybind11 that users' files include for host code.
 *
 * Where the compiler finds no other, it takes almost empty ones (sim/cuda/framework/).
 */
#ifndef FRAMEWORK_H
#define FRAMEWORK_H

#include <stdbool.h>

#include "tui/launch/programs.h"

/* Adds the folder, which the compiler searches last. The caller frees *folder after the command. */
void framework_add(struct arg_list *, const char *include, char **folder);
/* The same for nvcc, which passes it on. */
void framework_add_nvcc(struct arg_list *, const char *include, char **folder);
/* Names on standard error those that the preprocessed text of `file` has. Returns whether it has
 * one. */
bool framework_warn(const char *file, const char *preprocessed);

#endif
