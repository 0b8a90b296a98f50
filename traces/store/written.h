/* written.h - what a launch wrote, element by element, from wherever the trace stores it.
 *
 * The bytes are stored with digests, as accumulators of partials, as uploads that rows of a cache
 * came from, or in the download that follows. Elements count from the beginning of the buffer. Used
 * by views and the search for differences.
 */
#ifndef WRITTEN_H
#define WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/status.h"

struct store;

#define WRITTEN_RANK 8

struct written_piece {
	int64_t first, count;           /* elements */
	const uint8_t *bytes;
};

struct written {
	int64_t op, output;             /* the launch's operation; number of the output */
	int64_t buffer, offset, bytes;  /* from the first byte to the last */
	int64_t digest;
	char name[48];
	enum dtype dtype;
	int rank;
	int64_t shape[WRITTEN_RANK];    /* of the buffer */
	struct written_piece *pieces;   /* [piece_count] ascending; 0: bytes were not recorded */
	size_t piece_count;
	void **owned;                   /* memory that pieces point into */
	size_t owned_count;
};

/* *found is false if the launch has no such output; `out` is then empty. Free it in any case. IO or
 * DAMAGED from the store. */
enum status written_read(struct store *, int64_t run, int64_t launch, int64_t output,
			 struct written *out, bool *found);
void written_free(struct written *);
/* The bits of an element; false where they are not known. */
bool written_at(const struct written *, int64_t element, uint64_t *bits);
/* The known element at or after `from` (direction 1), or at or before it (-1); -1: none. */
int64_t written_next(const struct written *, int64_t from, int direction);
/* Elements from the first written to the last. */
int64_t written_first(const struct written *);
int64_t written_count(const struct written *);

#endif
