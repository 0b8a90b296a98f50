/* breakpoints.h - places where a walk through a trace stops: kernels, source lines, addresses.
 *
 * A line breakpoint stops at every named point on the line. If the line has no point, it stops at
 * every launch that executed the line where lines were counted, else at every launch of a kernel
 * with that file. Used by the viewer, and by views that mark lines.
 */
#ifndef BREAKPOINTS_H
#define BREAKPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "tui/views/address.h"

#define BREAKPOINTS 16
#define BREAKPOINT_TEXT 200

enum breakpoint_kind { BREAK_KERNEL, BREAK_LINE, BREAK_PLACE };

struct breakpoint {
	enum breakpoint_kind kind;
	char name[128];                 /* of the kernel, or of a file or the end of its path */
	int64_t line;
	struct address at;              /* of BREAK_PLACE */
};

struct breakpoints {
	struct breakpoint items[BREAKPOINTS];
	int count;
};

struct view_context;

/* "attention.cu:88", "L12.b3" or a kernel's name. USAGE for a name or line that is too long. */
enum status breakpoint_parse(const char *text, struct breakpoint *out);
void breakpoint_format(const struct breakpoint *, char text[BREAKPOINT_TEXT]);
/* Sets it, or removes it if set: *set says which. USAGE when BREAKPOINTS are set already. */
enum status breakpoints_toggle(struct breakpoints *, const struct breakpoint *, bool *set);
/* Whether a line of a file has a breakpoint. */
bool breakpoints_at_line(const struct breakpoints *, const char *file, int64_t line);
/* The first place after `at` (direction 1), or the last before it (-1), that has a breakpoint or a
 * finding of the run. */
enum status breakpoints_next(const struct view_context *, const struct breakpoints *,
			     int direction, struct address *at, bool *found);

#endif
