/* npz.h - writes NumPy .npz files: compressed zip archives of .npy files.
 *
 * Arrays are written to a stream one by one; the same arrays give the same bytes. Does not read
 * .npz files. Used by `export --as npz`.
 */
#ifndef NPZ_H
#define NPZ_H

#include <stdint.h>
#include <stdio.h>

#include "base/dtype.h"
#include "base/status.h"

struct npz;

/* IO if writing fails. The caller keeps the stream and closes it. */
enum status npz_open(FILE *, struct npz **out);
/* Adds the array that numpy.load(...)[name] returns. Shapes are in elements. IO; INTERNAL for
 * DTYPE_POINTER or a rank above NPY_MAX_RANK. */
enum status npz_add(struct npz *, const char *name, enum dtype, int rank, const int64_t *shape,
		    const void *data);
/* The same of an array that `read` provides in pieces, in order: `count` bytes from byte `at`. */
typedef void npz_read_fn(void *context, size_t at, void *bytes, size_t count);
enum status npz_add_pieces(struct npz *, const char *name, enum dtype, int rank,
			   const int64_t *shape, npz_read_fn *read, void *context);
/* Writes the zip directory at the end. IO. Frees the npz even on an error. */
enum status npz_close(struct npz *);
/* Frees the npz without finishing it; what was written is not a valid zip file. NULL is allowed. */
void npz_discard(struct npz *);

#endif
