/* launch_copy.h - copies of launches that outlive the call they were passed to.
 *
 * A copy owns everything that its launch points to (arguments, their names, blobs and pointer
 * fields, attributes), except kernels, buffers and live sources. Used by lists of launches, the
 * recorder and `flashtwin bench`.
 */
#ifndef LAUNCH_COPY_H
#define LAUNCH_COPY_H

#include "engine/device.h"

struct launch launch_copy(const struct launch *);
void launch_copy_free(struct launch *);         /* all zeros is allowed */

#endif
