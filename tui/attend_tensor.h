/* attend_tensor.h - checks the input tensors of `flashtwin attend`. */
#ifndef ATTEND_TENSOR_H
#define ATTEND_TENSOR_H

#include "base/npy.h"

/* Checks that a tensor is f32, has the given rank and shape (-1: any size), and that every
 * dimension fits the kernels' int. `option` and `path` name the tensor in messages. */
enum status attend_check_tensor(const char *option, const char *path, const struct npy *, int rank,
				const int64_t *shape);

#endif
