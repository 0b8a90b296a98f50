/* attend_tensor.h - checks, converts and writes the tensors of `flashtwin attend`. */
#ifndef ATTEND_TENSOR_H
#define ATTEND_TENSOR_H

#include "base/npy.h"

/* Checks that a tensor has the given dtype, rank and shape (-1: any size), and that every
 * dimension fits the kernels' int. `option` and `path` name the tensor in messages. */
enum status attend_check_tensor(const char *option, const char *path, const struct npy *,
				enum dtype, int rank, const int64_t *shape);
/* Gives keys or values the type that --kv-dtype names, which also says what bytes without a type
 * of NumPy's are; NULL: their own. USAGE if they do not have it. */
enum status attend_take_dtype(const char *option, const char *path, struct npy *,
			      const char *kv_dtype);
/* The same for queries and --q-dtype; `*found` is set to the type. The elements become f32. */
enum status attend_take_q(const char *path, struct npy *, const char *q_dtype,
			  enum dtype *found);
/* Writes `values`, which change if there are NaNs, rounded to a type of 16 bits or as f32. */
enum status attend_write(const char *path, enum dtype, int rank, const int64_t *shape,
			 float *values, size_t count);
/* An element of a float type, exactly; one of f32 keeps its bits, those of a NaN too. */
float attend_element(const struct npy *, size_t i);

#endif
