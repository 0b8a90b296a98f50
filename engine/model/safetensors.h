/* safetensors.h - named tensors of one .safetensors file, converted to f32 as they are read.
 *
 * The file is mapped and its header checked in full at open: nothing in it is trusted. Independent
 * of any model: the caller (engine/model/llama.c) gives the names and shapes of the tensors.
 */
#ifndef SAFETENSORS_H
#define SAFETENSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct safetensors;

/* IO if the file cannot be read or mapped; USAGE, with the tensor and the values, if it is cut
 * short or its header is invalid. */
enum status safetensors_open(const char *path, struct safetensors **out);
void safetensors_close(struct safetensors *);           /* NULL is allowed */

/* Converts the tensor to a new f32 array, which the caller frees. The dtypes BF16, F16 and F32 are
 * supported. USAGE if the tensor does not exist or has another dtype or shape. */
enum status safetensors_load(const struct safetensors *, const char *name, int rank,
			     const int64_t *shape, float **out);

#endif
