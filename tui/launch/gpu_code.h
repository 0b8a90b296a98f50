/* gpu_code.h - a fatbin, and the names that kernels and device variables have in it. */
#ifndef GPU_CODE_H
#define GPU_CODE_H

#include <stddef.h>

#include "base/status.h"

struct gpu_code;

/* Reads a fatbin whose PTX is plain text. IO if the file cannot be read, INTERNAL if there is no
 * PTX in it. */
enum status gpu_code_read(const char *path, struct gpu_code **out);
const void *gpu_code_image(const struct gpu_code *);
const unsigned long *gpu_code_bytes(const struct gpu_code *);
/* The name of the kernel that the system's compiler calls `symbol`; NULL if there is none. Both
 * compilers use the same scheme, but name what is only visible in its file otherwise. */
const char *gpu_code_kernel(const struct gpu_code *, const char *symbol);
/* The name of a device variable, given that in the source, "a::x". */
const char *gpu_code_variable(const struct gpu_code *, const char *name);
void gpu_code_free(struct gpu_code *);

#endif
