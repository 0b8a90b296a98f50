/* breakpoints.h - places that a walk through a trace stops at: kernels, source lines, addresses.
 *
 * A line stops at every named point on it; without one at every launch that came to it, where lines
 * were counted, else at every launch of a kernel with that file. Serves the viewer, and views that
 * mark lines.
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
/* Sets it, or takes it away: *set says which. USAGE when there are BREAKPOINTS already. */
enum status breakpoints_toggle(struct breakpoints *, const struct breakpoint *, bool *set);
/* Whether a line of a file has one. */
bool breakpoints_at_line(const struct breakpoints *, const char *file, int64_t line);
/* The first place behind `at` (direction 1), or the last before it (-1), where one of them or a
 * finding of the run stops. */
enum status breakpoints_next(const struct view_context *, const struct breakpoints *,
			     int direction, struct address *at, bool *found);

#endif
