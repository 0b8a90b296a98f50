/* attend_tensor.h - what every tensor given to `flashtwin attend` has to be. */
#ifndef ATTEND_TENSOR_H
#define ATTEND_TENSOR_H

#include "base/npy.h"

/* Of the rank and shape that are wanted (-1: any), with sizes that fit the kernels' ints. */
enum status attend_check_tensor(const char *option, const char *path, const struct npy *, int rank,
				const int64_t *shape);

#endif
