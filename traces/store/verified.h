/* verified.h - proves that the digests of a run stand for its rows, so that equal rows can be
 * skipped.
 *
 * Two runs with equal digests are equal only if each digest is that of the rows stored with it. A
 * sum of the rows shows that cheaply; without one, the rows are read and their digests computed
 * again. Used by diffs and views.
 */
#ifndef VERIFIED_H
#define VERIFIED_H

#include <stdint.h>

#include "base/status.h"

struct store;

enum verified {
	VERIFIED_SUM,                   /* the rows match sums of the trace */
	VERIFIED_WRITTEN,               /* this store wrote them */
	VERIFIED_READ                   /* they were read; a trace before version 4 has no digests
					   of points, so that nothing is known about them */
};

/* DAMAGED if rows and sums, or rows and digests, do not match. Remembered for later calls. */
enum status verified_digests(struct store *, int64_t run, enum verified *how);
enum status verified_points(struct store *, int64_t run, enum verified *how);

/* Read the rows in any case. */
enum status verify_digests(struct store *, int64_t run);
enum status verify_points(struct store *, int64_t run);

#endif
