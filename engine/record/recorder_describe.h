/* recorder_describe.h - the rows of launches and kernels.
 *
 * Used by launches, nodes of graphs and the launches that these make.
 */
#ifndef RECORDER_DESCRIBE_H
#define RECORDER_DESCRIBE_H

#include <stdint.h>

#include "base/status.h"

struct kernel;
struct launch;
struct recorder;
struct row_op;

/* Stores the row of an operation that is a launch, or a node that makes one. */
enum status recorder_note_launch(struct recorder *, const struct launch *, int64_t number,
				 struct row_op *, enum status done, int64_t *op);
enum status recorder_store_kernel(struct recorder *, const struct kernel *);    /* once per run */

#endif
