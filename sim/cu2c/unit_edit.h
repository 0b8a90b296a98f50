/* unit_edit.h - replaces tokens of a unit by other text, which the unit owns. Private to the
 * rewriter. */
#ifndef UNIT_EDIT_H
#define UNIT_EDIT_H

#include "sim/cu2c/unit.h"

/* Takes over the text; returns it. */
const char *unit_keep(struct unit *, char *text);
/* Writes the text before, or after, what is written for the token now. */
void unit_put_before(struct unit *, int at, const char *text);
void unit_put_after(struct unit *, int at, const char *text);
/* Removes the tokens [from, end). */
void unit_drop(struct unit *, int from, int end);
/* Writes `template` where C++ demands it and nvcc does not: X<T>::template f<int>(),
 * x.template f<int>(). */
void unit_name_templates(struct unit *, int from, int end);
/* Writes the tokens as they are in the source, on one line. */
void unit_write_source(const struct unit *, int from, int end, FILE *);
/* What is written for the tokens now, on one line; the caller frees it. */
char *unit_text(const struct unit *, int from, int end);

#endif
