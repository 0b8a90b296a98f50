/* view_element_value.c - an element of two runs: how its values compare, as text.
 *
 * Draws nothing. See view_element_value.h.
 */
#include "tui/views/element/view_element_value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static bool both(const struct element_view *e, int64_t element, uint64_t bits[2])
{
	return e->there[0] && e->there[1] && written_at(&e->w[0], element, &bits[0])
		&& written_at(&e->w[1], element, &bits[1]);
}

enum element_class element_class(const struct element_view *e, int64_t element)
{
	enum dtype type = e->w[0].dtype;
	uint64_t bits[2];
	int64_t ulp;

	if (!both(e, element, bits))
		return ELEMENT_UNKNOWN;
	if (value_equal(type, bits[0], bits[1]))
		return ELEMENT_EQUAL;
	if (value_is_nan(type, bits[0]) || value_is_nan(type, bits[1]))
		return ELEMENT_NAN;
	if (value_is_infinite(type, bits[0]) || value_is_infinite(type, bits[1]))
		return ELEMENT_INFINITE;
	ulp = value_distance(type, bits[0], bits[1]);
	return ulp >= 0 && ulp <= 4 ? ELEMENT_NEAR : ELEMENT_OVER;
}

double element_distance(const struct element_view *e, enum view_distance kind, int64_t element)
{
	enum element_class class = element_class(e, element);
	enum dtype type = e->w[0].dtype;
	uint64_t bits[2];
	double apart;

	if (class == ELEMENT_EQUAL)
		return 0.0;
	if (class != ELEMENT_NEAR && class != ELEMENT_OVER)
		return NAN;
	both(e, element, bits);
	if (kind == DISTANCE_ULP && value_is_float(type))
		return (double)value_distance(type, bits[0], bits[1]);
	apart = fabs(value_real(type, bits[0]) - value_real(type, bits[1]));
	return kind == DISTANCE_REL && apart > 0.0 ? apart / fabs(value_real(type, bits[1]))
						   : apart;
}

const char *element_index(const struct written *w, int64_t element, view_cell cell)
{
	int64_t index[WRITTEN_RANK], rest = element;
	size_t used = 0;

	for (int i = w->rank - 1; i >= 0; i--) {
		index[i] = i ? rest % w->shape[i] : rest;
		rest /= w->shape[i];
	}
	if (w->rank == 0) {
		snprintf(cell, VIEW_CELL, "[%" PRId64 "]", element);
		return cell;
	}
	for (int i = 0; i < w->rank && used < VIEW_CELL; i++)
		used += (size_t)snprintf(cell + used, VIEW_CELL - used, "%c%" PRId64 "%s",
					 i ? ',' : '[', index[i], i == w->rank - 1 ? "]" : "");
	return cell;
}

void element_text(enum view_number number, enum dtype type, uint64_t bits, view_cell cell)
{
	if (number == NUMBER_HEX)
		snprintf(cell, VIEW_CELL, "0x%0*" PRIx64, 2 * (int)dtype_bytes(type), bits);
	else if (type == DTYPE_F32)
		view_format_number(number, (uint32_t)bits, cell);
	else
		value_text(cell, VIEW_CELL, type, bits);
}

struct view_context element_side(const struct view_context *c, const struct element_view *e,
				 int side)
{
	struct view_context other = *c;

	other.store = e->pair.store[side];
	other.run = e->pair.run[side];
	return other;
}
