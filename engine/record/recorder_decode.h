/* recorder_decode.h - attention read out of the launches of a decode step.
 *
 * Serves recorder_results.c.
 */
#ifndef RECORDER_DECODE_H
#define RECORDER_DECODE_H

#include "base/status.h"

struct recording;

/* Reads what a launch of an attention kernel did: K and V rows, and from level partials on partials
 * or reduction steps. Does nothing for other kernels. */
enum status recorder_decode(const struct recording *);

#endif
