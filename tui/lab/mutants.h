/* mutants.h - the wrong solutions of a lab: staff/mutants.json. */
#ifndef MUTANTS_H
#define MUTANTS_H

#include <jansson.h>

#include "tui/lab/case/lab.h"

/* The list of mutants; the caller decrefs it. INTERNAL if it is missing or not a list. */
enum status mutants_read(const struct lab *, json_t **out);
/* The text of a mutant of `solution`; the caller frees it. INTERNAL if a change does not apply
 * exactly once, or the mutant lacks a name or what it does. */
enum status mutant_text(const struct lab *, const json_t *mutant, const char *solution, char **out);

#endif
