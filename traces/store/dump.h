/* dump.h - the logical dump of a trace: its content, without clock readings and storage details.
 *
 * Two recordings of the same work with the same seed have byte-equal dumps.
 */
#ifndef DUMP_H
#define DUMP_H

#include <stdio.h>

#include "base/status.h"

struct store;

/* Every row of every view in a fixed order, one line each: the view, then column=value separated by
 * tabs. NULL columns and clock columns are left out, stored bytes appear as length:hash of their
 * content. IO when `out` cannot be written, DAMAGED from the store. */
enum status dump_logical(struct store *, FILE *out);

#endif
