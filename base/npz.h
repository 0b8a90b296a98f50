/* npz.h - NumPy .npz files out: a zip of .npy files, compressed.
 *
 * Written to a stream, array by array; the same arrays give the same bytes. Reading is NumPy's.
 */
#ifndef NPZ_H
#define NPZ_H

#include <stdint.h>
#include <stdio.h>

#include "base/dtype.h"
#include "base/status.h"

struct npz;

/* IO when it cannot be begun. The stream stays the caller's. */
enum status npz_open(FILE *, struct npz **out);
/* numpy.load(...)[name]. Shapes are in elements. IO; INTERNAL for a dtype that NumPy does not have
 * or a rank above NPY_MAX_RANK. */
enum status npz_add(struct npz *, const char *name, enum dtype, int rank, const int64_t *shape,
		    const void *data);
/* Writes the directory at the end; IO. Frees it either way. */
enum status npz_close(struct npz *);
/* Frees it; what was written is no zip file. NULL is fine. */
void npz_discard(struct npz *);

#endif
