/* safetensors.h - named tensors of one .safetensors file, converted to f32 as they are read.
 *
 * The file is mapped and its header checked in full at open: nothing in it is trusted. Knows no
 * model; which tensors there must be, and their shapes, are the caller's business (engine/model/llama.c).
 */
#ifndef SAFETENSORS_H
#define SAFETENSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct safetensors;

/* IO when the file cannot be read or mapped; USAGE, with the tensor and the values, when it is cut
 * short or its header does not describe it. */
enum status safetensors_open(const char *path, struct safetensors **out);
void safetensors_close(struct safetensors *);           /* NULL is fine */

/* The tensor as a new f32 array, the caller frees it. BF16, F16 and F32 are read. USAGE when there
 * is no such tensor, or its dtype or shape is another. */
enum status safetensors_load(const struct safetensors *, const char *name, int rank,
			     const int64_t *shape, float **out);

#endif
