/* npy.h - reads and writes NumPy .npy files (format 1.0 to 3.0, C order, little endian). */
#ifndef NPY_H
#define NPY_H

#include <stdint.h>

#include "base/dtype.h"
#include "base/status.h"

#define NPY_MAX_RANK 8

struct npy {
	enum dtype dtype;
	int rank;
	int64_t shape[NPY_MAX_RANK];
	size_t count;                   /* elements */
	void *data;                     /* 64-byte aligned; owned */
};

/* USAGE or IO with the file name, what was expected and what was found: not .npy, Fortran order,
 * big endian, unknown dtype, shape that overflows, file shorter or longer than its shape says. */
enum status npy_read(const char *path, struct npy *out);
void npy_free(struct npy *);
/* Writes PATH.tmp.<pid>, then renames it; on an error PATH is left as it was. */
enum status npy_write(const char *path, enum dtype, int rank, const int64_t *shape,
		      const void *data);
/* Writes what precedes the elements in a .npy file, for any dtype but `pointer`. Returns its
 * length. */
#define NPY_HEADER_BYTES 640
size_t npy_header(enum dtype, int rank, const int64_t *shape, char out[NPY_HEADER_BYTES]);
/* USAGE unless dtype, rank and shape are as given; `what` names the array in the message
 * ("--q q.npy"). A dimension of -1 matches any size. */
enum status npy_expect(const struct npy *, const char *what, enum dtype, int rank,
		       const int64_t *shape);

#endif
