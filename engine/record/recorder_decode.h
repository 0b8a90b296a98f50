/* recorder_decode.h - extracts attention data from the launches of a decode step.
 *
 * Used by recorder_results.c.
 */
#ifndef RECORDER_DECODE_H
#define RECORDER_DECODE_H

#include "base/status.h"

struct recording;

/* Stores the results of a launch of an attention kernel: K and V rows, and, at level partials or
 * higher, partials or reduction steps. Does nothing for other kernels. */
enum status recorder_decode(const struct recording *);

#endif
