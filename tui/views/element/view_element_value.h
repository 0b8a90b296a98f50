/* view_element_value.h - an output of one launch in two runs, and an element of it. */
#ifndef VIEW_ELEMENT_VALUE_H
#define VIEW_ELEMENT_VALUE_H

#include "base/value.h"
#include "traces/store/written.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_place.h"

struct element_view {
	struct diff_pair pair;
	const struct view_place *place; /* of the first run */
	struct written w[2];            /* the output shown; of the same type in both */
	bool there[2];
	int64_t focus;                  /* element in the middle of the table */
	bool known, differs;            /* of the focus; if not known, `differs` is the output's */
};

/* How two values compare, worst last. */
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
/* "[0,1,2]", or "[77]" when the shape is unknown. */
const char *element_index(const struct written *, int64_t element, view_cell);

/* The bits of a value in a format; only f32 can show its sign, exponent and fraction apart. */
void element_text(enum view_number, enum dtype, uint64_t bits, view_cell);

/* The context of one side. */
struct view_context element_side(const struct view_context *, const struct element_view *,
				 int side);

#endif
