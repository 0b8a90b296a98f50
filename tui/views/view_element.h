/* view_element.h - what one launch wrote in two runs, element by element: parts of view_diff.c.
 *
 * view_element.c has the table, view_element_chart.c counts and charts, view_element_cause.c where a
 * value came from.
 */
#ifndef VIEW_ELEMENT_H
#define VIEW_ELEMENT_H

#include "base/value.h"
#include "traces/diff/diff_spot.h"
#include "traces/store/written.h"
#include "tui/views/view.h"

struct element_view {
	struct diff_pair pair;
	const struct view_place *place; /* of the first run */
	struct written w[2];            /* the output shown; of the same type in both */
	bool there[2];
	int64_t focus;                  /* element of the table's middle */
	bool known, differs;            /* the focus; one that is not known as the output does */
};

/* How two values stand to each other, worst last. */
enum element_class {
	ELEMENT_UNKNOWN,                /* one side was not recorded */
	ELEMENT_EQUAL,
	ELEMENT_NEAR,                   /* 1 to 4 ulp */
	ELEMENT_OVER,
	ELEMENT_INFINITE,               /* on one side, or of another sign */
	ELEMENT_NAN,                    /* on one side */
	ELEMENT_CLASSES
};
enum element_class element_class(const struct element_view *, int64_t element);
/* ulp of floats, distance of integers; NaN where there is none. */
double element_distance(const struct element_view *, enum view_distance, int64_t element);
/* "[0,1,2]", or "[77]" where the shape says nothing. */
const char *element_index(const struct written *, int64_t element, view_cell);

/* The bits of a value in a base; no other than f32 has its bits apart. */
void element_text(enum view_number, enum dtype, uint64_t bits, view_cell);

/* The two runs that a context compares; *some false: it has only one. */
enum status element_pair(const struct view_context *, struct diff_pair *, bool *some);
/* All that is known of the launch of the address. */
enum status element_draw(const struct view_context *, const struct diff_pair *);

/* Where a difference is, and where an address lies among differences. */
enum status element_spot_address(const struct view_context *, const struct diff_spot *,
				 struct address *at);
enum status element_address_spot(const struct view_context *, const struct address *at,
				 struct diff_spot *);

/* --- parts --- */

void element_chart_draw(const struct view_context *, const struct element_view *);
enum status element_cause_draw(const struct view_context *, const struct element_view *);
/* The finding that may explain a difference in the launch. */
enum status element_finding_draw(const struct view_context *, const struct element_view *);
/* The first point that differs of a block, or (-1) of the launch: where the difference was born, or
 * came in. Nothing where none does. */
enum status element_first_point(const struct view_context *, const struct element_view *,
				int64_t block);
/* The values of a point on both sides. */
enum status element_point_draw(const struct view_context *, const struct element_view *);

/* The context of one side. */
struct view_context element_side(const struct view_context *, const struct element_view *,
				 int side);
/* "  at kernels/attend_keys.cuh:45", where the text has the point. */
struct kernel_text;
void element_point_place(const struct view_context *, const struct kernel_text *,
			 const char *point);
/* Whether a launch has rows in a view. */
enum status element_has_rows(const struct view_context *, const char *table, int64_t launch,
			     bool *some);

#endif
