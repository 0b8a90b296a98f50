/* export_rows.h - chunk partials and reductions of a launch as arrays; used by export_npz.c. */
#ifndef EXPORT_ROWS_H
#define EXPORT_ROWS_H

#include "base/npz.h"
#include "tui/views/view.h"

/* Adds L<launch>.partial.* and L<launch>.reduce.*, where the launch has such rows. */
enum status export_launch_rows(const struct view_context *, int64_t launch, struct npz *);

#endif
